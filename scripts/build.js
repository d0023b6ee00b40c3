// npm run build: bundles the venue into dist/, one file for the process and one for each of its threads, with source maps, and the trading
// page into dist/page/. Does nothing when dist/ is newer than all that it is made from. In JavaScript, so that any Node can say what is
// missing. Packages stay outside the bundles of the venue, because node_modules has them; those of the page are inside.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const MAIN = join(DIST, 'main.js');
const PAGE = join(DIST, 'page');
const TERMINAL = 'client/terminal';
/** A thread of the page. */
const SOCKETS = 'venue/socket-thread.ts';
/** Sources of the bundles. */
const SOURCES = [
  'core', 'shell', 'client/src', 'client/demo', 'client/scenarios', 'client/conformance', 'client/terminal', 'scripts/build.js',
  'scripts/backup.ts', 'scripts/output.ts', 'package.json', 'tsconfig.json',
];
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
    entryPoints: [
      { in: 'shell/process/main.ts', out: 'main' }, { in: 'scripts/backup.ts', out: 'backup' },
      { in: 'client/demo/thread.ts', out: 'threads/demo' }, { in: 'client/scenarios/thread.ts', out: 'threads/scenario' },
      { in: 'client/conformance/main.ts', out: 'conformance' },
      ...THREADS.map((name) => ({ in: `shell/process/threads/${name}.ts`, out: `threads/${name}` })),
    ],
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
  const page = await bundlePage(bundle);
  // Beside dist/ first: an interrupted build leaves the old bundles whole.
  const made = `${DIST}.${process.pid}`;
  try {
    const write = (path, contents) => {
      const file = join(made, relative(DIST, path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents);
    };
    for (const { path, contents } of outputFiles) write(path, contents);
    for (const [path, contents] of page) write(path, contents);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(made, DIST);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The files of dist/page: index.html, assets with a hash in their name, each of them also compressed, and source maps beside them. */
async function bundlePage(bundle) {
  const { outputFiles, metafile } = await bundle({
    absWorkingDir: ROOT,
    entryPoints: [
      { in: `${TERMINAL}/main.tsx`, out: 'page' }, { in: `${TERMINAL}/style.css`, out: 'style' },
      { in: `${TERMINAL}/${SOCKETS}`, out: 'sockets' },
    ],
    outdir: join(PAGE, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    metafile: true,
    minify: true,
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'silent',
  });
  const outputs = Object.entries(metafile.outputs);
  const made = (source) => outputs.find(([, { entryPoint }]) => entryPoint === `${TERMINAL}/${source}`);
  const asset = (path) => `assets/${basename(path)}`;
  const [script, { imports }] = made('main.tsx');
  const preloads = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${asset(path)}">\n`);
  const html = readFileSync(join(ROOT, TERMINAL, 'index.html'), 'utf8')
    .replace('%SCRIPT%', asset(script))
    .replace('%STYLE%', asset(made('style.css')[0]))
    .replace('%SOCKETS%', asset(made(SOCKETS)[0]))
    .replace('%PRELOADS%\n', preloads.join(''));
  const files = outputFiles.map(({ path, contents }) => [path, contents]);
  const packed = files
    .filter(([path]) => !path.endsWith('.map'))
    .map(([path, contents]) => [`${path}.gz`, gzipSync(contents, { level: constants.Z_BEST_COMPRESSION })]);
  return [[join(PAGE, 'index.html'), html], ...files, ...packed];
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
