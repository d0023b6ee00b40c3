// Loaded first into every process and thread of a test run: TypeScript whose types scripts/test.ts has stripped already is taken
// from the folder of this module, by the hash of its text, and a path that names one is not looked up; anything else is left to
// Node, which would make the same of it. Both are most of what it takes to start a thread, and a run starts thousands of them.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = new URL('.', import.meta.url);

// An older Node, which some tests start too, has no hooks and reads no TypeScript.
modules.registerHooks?.({
  resolve(specifier, context, next) {
    if (!/^\.\.?\/.*\.ts$/.test(specifier)) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
  },
  load(url, context, next) {
    const source = url.startsWith('file:') && url.endsWith('.ts') ? stripped(fileURLToPath(url)) : null;
    return source === null ? next(url, context) : { format: 'module', source, shortCircuit: true };
  },
});

function stripped(path: string): string | null {
  try {
    return readFileSync(new URL(createHash('sha1').update(readFileSync(path)).digest('hex'), folder), 'utf8');
  } catch {
    return null;
  }
}
