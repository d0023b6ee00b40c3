// Rules about files as a whole: layers, circles, default exports, barrels, dead files and dead exports, seams.
// An export that nobody but a test imports says why it stands, in a line before it: `// seam: <why>` for one that waits for a later
// change or is used without an import, `// for tests: <why>` for one that shows tests what they could not see or make otherwise.
// tidy --seams lists both.
import {
  AREAS, ENTRIES, LAYERS, LIBRARY, LIBRARY_MAIN, LIBRARY_PACKAGES, TERMINAL, TERMINAL_MAY_IMPORT, TERMINAL_PACKAGES, WHATIF,
} from './house.ts';
import { posix } from 'node:path';
import { packageOf } from './world.ts';
import type { Export, Finding, Module } from './syntax.ts';

/** The folder at the top: core, shell, client, bench, test or scripts. */
export const areaOf = (path: string): string => path.slice(0, path.indexOf('/'));

const LAYER_NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(LAYERS).map(([area, rows]) => [area, new Set(rows.flat())]),
);

/** The longest name in `LAYERS` that the path begins with: `book` for core/book/levels.ts; else its first part. */
function layerOf(path: string): string {
  const [area, ...parts] = path.replace(/\.(js|tsx?)$/, '').split('/');
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join('/');
    if (LAYER_NAMES.get(area!)?.has(name) === true) return name;
  }
  return parts[0]!;
}

const rankOf = (path: string): number => (LAYERS[areaOf(path)] ?? []).findIndex(row => row.includes(layerOf(path)));

const SEAM = /^\/\/ (seam|for tests): (.*\S)/;
const MARK = /^\/\/ (seam|for tests):/;

export function checkGraph(modules: readonly Module[]): Finding[] {
  const byPath = new Map(modules.map(module => [module.path, module]));
  return [
    ...modules.flatMap(checkAreas),
    ...modules.flatMap(checkLayers),
    ...checkLibrary(modules, byPath),
    ...modules.flatMap(checkTerminal),
    ...checkCircles(modules, byPath),
    ...modules.flatMap(checkExports),
    ...checkDeadFiles(modules, byPath),
    ...checkDeadExports(modules),
  ];
}

/** The seams of the tree: `line` is that of the export, `rule` the mark, `message` the export's name and its reason. */
export function seamsOf(modules: readonly Module[]): Finding[] {
  return modules.flatMap(module => module.exports.flatMap(item => {
    const seam = seamBefore(module, item);
    return seam === null ? [] : [{ path: module.path, line: item.line, rule: seam.mark, message: `${item.name}: ${seam.why}` }];
  }));
}

function checkAreas({ path, imports }: Module): Finding[] {
  const allowed = AREAS[areaOf(path)] ?? [];
  return imports.flatMap(({ target, from, line }) => {
    if (target === '') return allowed.includes('shell') ? [] : [{ path, line, rule: 'layers', message: `core imports ${from}` }];
    return allowed.includes(areaOf(target)) ? [] : [{ path, line, rule: 'layers', message: `${areaOf(path)} imports ${target}` }];
  });
}

function checkLayers({ path, imports }: Module): Finding[] {
  const area = areaOf(path);
  if (LAYERS[area] === undefined) return [];
  const layer = layerOf(path);
  const rank = rankOf(path);
  if (rank < 0) return [{ path, line: 1, rule: 'layers', message: `${layer} is no layer of the ${area}` }];
  return imports
    .filter(({ target }) => areaOf(target) === area && rankOf(target) > rank)
    .map(({ target, line }) => ({ path, line, rule: 'layers', message: `${layer} imports upwards, from ${layerOf(target)}` }));
}

/** What the client library reaches, tables of the shell included, uses no package but its own and nothing of Node. */
function checkLibrary(modules: readonly Module[], byPath: ReadonlyMap<string, Module>): Finding[] {
  const reached = new Set(modules.filter(({ path }) => path.startsWith(LIBRARY)));
  for (const { imports } of reached) {
    for (const { target } of imports) if (byPath.has(target)) reached.add(byPath.get(target)!);
  }
  return [...reached].flatMap(({ path, imports }) => imports
    .filter(({ target, from }) => target === '' && !LIBRARY_PACKAGES.has(packageOf(from)))
    .map(({ from, line }) => ({ path, line, rule: 'layers', message: `the client library reaches ${from}` })));
}

/** The page imports what house.ts allows it, and only tests import the page. */
function checkTerminal({ path, imports }: Module): Finding[] {
  const tell = (line: number, message: string): Finding => ({ path, line, rule: 'layers', message });
  if (!path.startsWith(TERMINAL)) {
    if (areaOf(path) === 'test') return [];
    return imports.filter(({ target }) => target.startsWith(TERMINAL)).map(({ target, line }) => tell(line, `only tests import ${target}`));
  }
  const allowed = path.startsWith(WHATIF.folder) ? WHATIF.mayImport : TERMINAL_MAY_IMPORT;
  return imports
    .filter(({ target, from }) => (
      target === '' ? !TERMINAL_PACKAGES.has(packageOf(from)) : !allowed.some((folder) => target.startsWith(folder))
    ))
    .map(({ target, from, line }) => tell(line, `the trading page imports ${target || from}`));
}

/** Circles of files, but among tests, and circles of layers of one row. */
function checkCircles(modules: readonly Module[], byPath: ReadonlyMap<string, Module>): Finding[] {
  const files = new Map<string, Set<string>>();
  const layers = new Map<string, Set<string>>();
  const home = new Map<string, string>();
  for (const { path, imports } of modules) {
    if (areaOf(path) === 'test') continue;
    const targets = imports.map(({ target }) => target).filter(target => byPath.has(target));
    files.set(path, new Set(targets));
    const area = areaOf(path);
    if (LAYERS[area] === undefined) continue;
    const layer = `${area}/${layerOf(path)}`;
    if (!home.has(layer)) home.set(layer, path);
    const below = layers.get(layer) ?? new Set();
    for (const target of targets.filter(each => areaOf(each) === area)) {
      if (layerOf(target) !== layerOf(path)) below.add(`${area}/${layerOf(target)}`);
    }
    layers.set(layer, below);
  }
  const circles = (edges: ReadonlyMap<string, ReadonlySet<string>>): Finding[] => circlesOf(edges).map(circle =>
    ({ path: home.get(circle[0]!) ?? circle[0]!, line: 1, rule: 'circles', message: `circle of imports: ${circle.join(' > ')}` }));
  return [...circles(files), ...circles(layers)];
}

/** One circle for each start that can reach itself and is not on a reported circle; the start is at both ends. */
function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const circles: string[][] = [];
  const told = new Set<string>();
  for (const start of edges.keys()) {
    const circle = told.has(start) ? null : pathBack(start, edges);
    if (!circle) continue;
    circles.push(circle);
    for (const path of circle) told.add(path);
  }
  return circles;
}

/** The shortest way from `start` to itself, breadth first. */
function pathBack(start: string, edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const came = new Map<string, string>();
  const queue = [start];
  for (const at of queue) {
    for (const next of edges.get(at) ?? []) {
      if (next === start) {
        const way = [start];
        for (let step = at; step !== start; step = came.get(step)!) way.unshift(step);
        return [start, ...way];
      }
      if (came.has(next)) continue;
      came.set(next, at);
      queue.push(next);
    }
  }
  return null;
}

function checkExports({ path, ast, exports }: Module): Finding[] {
  const findings: Finding[] = exports
    .filter(({ name }) => name === 'default')
    .map(({ line }) => ({ path, line, rule: 'exports', message: 'default export' }));
  for (const node of ast.body) {
    if (node.type !== 'ExportAllDeclaration') continue;
    findings.push({ path, line: node.loc!.start.line, rule: 'exports', message: 'export * names nothing' });
  }
  const declares = ast.body.some(node => !['ImportDeclaration', 'ExportAllDeclaration'].includes(node.type)
    && !(node.type === 'ExportNamedDeclaration' && !node.declaration));
  const passed = ast.body.flatMap(node => (node.type === 'ExportNamedDeclaration' ? node.specifiers : []));
  if (!declares && passed.length > 0 && passed.length === exports.length) {
    findings.push({ path, line: 1, rule: 'exports', message: 'barrel: the file only passes on the exports of others' });
  }
  return findings;
}

function checkDeadFiles(modules: readonly Module[], byPath: ReadonlyMap<string, Module>): Finding[] {
  const reached = new Set(modules.map(({ path }) => path).filter(path => ENTRIES.some(entry => entry.test(path))));
  for (const path of reached) {
    const { imports, strings } = byPath.get(path)!;
    const named = strings.flatMap(text => [posix.join(posix.dirname(path), text), posix.normalize(text)]);
    for (const target of [...imports.map(item => item.target), ...named]) if (byPath.has(target)) reached.add(target);
  }
  return modules
    .filter(({ path }) => !reached.has(path))
    .map(({ path }) => ({ path, line: 1, rule: 'dead', message: 'file is reached from no entry' }));
}

/**
 * Finds dead exports. In core and shell, an import by a test counts only if the export's own file uses it too. An
 * export that only tests use needs a mark. Elsewhere every import counts; exports of the client library are for others.
 */
function checkDeadExports(modules: readonly Module[]): Finding[] {
  const used = new Set<string>();
  const tested = new Set<string>();
  const whole = new Set<string>();
  for (const { path, imports } of modules) {
    const isTest = areaOf(path) === 'test';
    for (const { target, names } of imports) {
      if (names === null && !isTest) whole.add(target);
      for (const name of names ?? []) (isTest ? tested : used).add(`${target} ${name}`);
    }
  }
  return modules.filter(({ path }) => path !== LIBRARY_MAIN).flatMap(module => {
    const isForTests = !['core', 'shell'].includes(areaOf(module.path));
    const alive = ({ name }: Export): boolean => {
      const id = `${module.path} ${name}`;
      return whole.has(module.path) || used.has(id) || (tested.has(id) && (isForTests || usesItself(module, name)));
    };
    const unused = module.exports.filter(item => !alive(item) && seamBefore(module, item) === null);
    const dead = unused.map(({ name, line }) => ({ path: module.path, line, rule: 'dead', message: `export ${name} is never imported` }));
    return [...dead, ...checkSeams(module, ({ name }) => whole.has(module.path) || used.has(`${module.path} ${name}`))];
  });
}

function usesItself({ text }: Module, name: string): boolean {
  const code = text.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
  return [...code.matchAll(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'))].length > 1;
}

/** Also reports a mark without an export, or with an export that is in use. */
function checkSeams(module: Module, alive: (item: Export) => boolean): Finding[] {
  const waiting = module.exports.filter(item => !alive(item) && seamBefore(module, item) !== null);
  const marks = module.text.split('\n').flatMap((text, at) => (MARK.test(text) ? [at + 1] : []));
  const right = new Set(waiting.map(({ line }) => seamLine(module, line)));
  return marks
    .filter(line => !right.has(line))
    .map(line => ({ path: module.path, line, rule: 'seam', message: 'mark stands before no export that needs it, or gives no reason' }));
}

/** The mark before an export and its reason, null if there is none. */
function seamBefore({ text }: Module, { line }: Export): { mark: string; why: string } | null {
  const [, mark, why] = SEAM.exec(text.split('\n')[seamLine({ text }, line) - 1] ?? '') ?? [];
  return mark === undefined || why === undefined ? null : { mark, why };
}

/** The line of the mark in the comment right before line `line`, 0 if there is none. */
function seamLine({ text }: Pick<Module, 'text'>, line: number): number {
  const lines = text.split('\n');
  for (let at = line - 1; at > 0 && /^(\/\/|\/\*|\s\*)/.test(lines[at - 1]!); at -= 1) {
    if (MARK.test(lines[at - 1]!)) return at;
  }
  return 0;
}
