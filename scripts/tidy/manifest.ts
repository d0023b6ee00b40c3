// Rules about what we depend on: the lockfile names no registry (an install must work from any mirror), every
// dependency has its reason in docs/decisions/, and what runs in the venue imports only what it declares.
import { packageOf } from './world.ts';
import type { File, Finding, Module } from './syntax.ts';

type Manifest = { readonly [group: string]: unknown };

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'];

export function checkManifest(files: readonly File[], modules: readonly Module[]): Finding[] {
  const manifest = files.find(({ path }) => path === 'package.json');
  if (!manifest) return [];
  const fields = JSON.parse(manifest.text) as Manifest;
  const decisions = files.filter(({ path }) => /^docs\/decisions\/[^/]+\.md$/.test(path)).map(({ text }) => text).join('\n');
  const unexplained = GROUPS.flatMap(group => Object.keys(fields[group] ?? {})).filter(name => !decisions.includes(`\`${name}\``));
  const lineOf = (name: string): number => manifest.text.slice(0, manifest.text.indexOf(`"${name}"`)).split('\n').length;
  return [
    ...unexplained.map(name =>
      ({ path: manifest.path, line: lineOf(name), rule: 'manifest', message: `no page of docs/decisions names \`${name}\`` })),
    ...checkLock(files.find(({ path }) => path === 'package-lock.json')),
    ...checkDeclared(modules, new Set(Object.keys(fields['dependencies'] ?? {}))),
  ];
}

function checkLock(lock: File | undefined): Finding[] {
  return (lock?.text ?? '').split('\n').flatMap((line, at) =>
    (line.includes('"resolved"') ? [{ path: lock!.path, line: at + 1, rule: 'manifest', message: 'address of a registry' }] : []));
}

/** The shell runs without what only the developers install. */
function checkDeclared(modules: readonly Module[], declared: ReadonlySet<string>): Finding[] {
  return modules.filter(({ path }) => path.startsWith('shell/')).flatMap(({ path, imports }) => imports
    .filter(({ from, target }) => target === '' && !from.startsWith('node:') && !declared.has(packageOf(from)))
    .map(({ from, line }) => ({ path, line, rule: 'manifest', message: `${packageOf(from)} is not among the dependencies` })));
}
