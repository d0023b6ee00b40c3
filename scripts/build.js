// npm run build: bundles the venue into dist/, one file for the process and one for each of its threads, with source maps.
// Does nothing when dist/ is newer than all that it is made from. In JavaScript, so that any Node can say what is missing.
// Packages stay outside the bundles: node_modules has them.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const MAIN = join(DIST, 'main.js');
/** Sources of the bundles. */
const SOURCES = ['core', 'shell', 'client/src', 'scripts/build.js', 'package.json', 'tsconfig.json'];
const THREADS = ['api', 'checkpointer', 'feed', 'history', 'journal', 'reader'];

/** Builds when a source is newer than the bundles; throws with esbuild's message when a source does not parse. */
export async function ensureBuilt() {
  const built = statSync(MAIN, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.every((path) => newest(join(ROOT, path)) < built)) return;
  await build();
}

async function build() {
  const { build: bundle } = await import('esbuild');
  const { outputFiles } = await bundle({
    absWorkingDir: ROOT,
    entryPoints: ['shell/process/main.ts', ...THREADS.map((name) => `shell/process/threads/${name}.ts`)],
    outbase: 'shell/process',
    outdir: DIST,
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node22',
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'silent',
  });
  // Beside dist/ first: an interrupted build leaves the old bundles whole.
  const made = `${DIST}.${process.pid}`;
  try {
    for (const { path, contents } of outputFiles) {
      const file = join(made, relative(DIST, path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents);
    }
    rmSync(DIST, { recursive: true, force: true });
    renameSync(made, DIST);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** When a file, or anything in a folder, was last changed, added or removed; ms. */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stats.mtimeMs);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureBuilt();
  } catch (error) {
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND';
    console.error(isMissing ? 'build: esbuild is not installed: run "npm ci"' : `build: ${error.message}`);
    process.exitCode = 1;
  }
}
