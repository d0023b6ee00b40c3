// All rules over a set of files given as text; tidy.ts runs it over the tree, tests over made-up files.
import { checkGraph, areaOf, seamsOf } from './graph.ts';
import { AREAS } from './house.ts';
import { checkManifest } from './manifest.ts';
import { checkPurity } from './purity.ts';
import { checkPython } from './python.ts';
import { parseModule, type File, type Finding, type Module } from './syntax.ts';
import { checkCode, checkText } from './text.ts';
import { checkDocument, checkWords } from './words.ts';
import { checkWorld } from './world.ts';

/** `findings` in the order of the files and their lines; `seams` as they are marked. */
type Report = { readonly findings: readonly Finding[]; readonly seams: readonly Finding[] };

export function check(files: readonly File[]): Report {
  const findings: Finding[] = [];
  const modules: Module[] = [];
  for (const file of files) {
    if (!(areaOf(file.path) in AREAS) || !/\.(js|tsx?)$/.test(file.path)) continue;
    try {
      modules.push(parseModule(file));
    } catch (error) {
      findings.push({ path: file.path, line: 1, rule: 'syntax', message: String(error).split('\n')[0]! });
    }
  }
  findings.push(...[checkText, checkDocument, checkPython].flatMap((rule) => files.flatMap(rule)));
  findings.push(...checkGraph(modules), ...checkManifest(files, modules));
  for (const module of modules) findings.push(...checkPurity(module), ...checkWorld(module), ...checkCode(module), ...checkWords(module));
  findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  return { findings, seams: seamsOf(modules) };
}
