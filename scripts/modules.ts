// Modules of the tree with their types stripped once, for runs of many processes, which load them from a folder instead of stripping. It
// saves most of the start of a short process. Also, stripping detaches a buffer, after which V8's compiled code checks at each access to
// a typed array of that thread whether its buffer is attached: a bench must not measure that.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Writes the stripped modules into `folder`, and the module there that a process preloads (`--import`); returns its URL. */
export function stripInto(folder: string): string {
  for (const path of sources()) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, stripTypeScriptTypes(readFileSync(join(ROOT, path), 'utf8')));
  }
  const preload = join(folder, 'preload.mjs');
  writeFileSync(preload, preloadOf(folder));
  return pathToFileURL(preload).href;
}

/** All modules, by their path in the tree. */
function sources(): string[] {
  const isCode = (name: string): boolean => !/^(\.|node_modules|dist)/.test(name);
  const tops = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory() && isCode(entry.name));
  return tops.flatMap(({ name }) => readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules')).map((path) => join(name, path)));
}

function preloadOf(folder: string): string {
  return `import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
const root = ${JSON.stringify(pathToFileURL(ROOT).href)};
const stripped = ${JSON.stringify(`${pathToFileURL(folder).href}/`)};
// An older Node, as some tests run one, has no hooks and loads no TypeScript either.
modules.registerHooks?.({
  load(url, context, next) {
    if (!url.startsWith(root) || !url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
    return { format: 'module', source: readFileSync(new URL(url.slice(root.length), stripped)), shortCircuit: true };
  },
});
`;
}
