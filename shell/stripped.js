// Preloaded into every thread of the venue (`node --import`): hands Node the text of each TypeScript module with its types stripped
// already. A thread of its own strips, once, all that the program can reach, and is gone; the others read the same shared memory.
// Must never decide what runs: the text is the one that Node would make.
// Node would strip in every thread that loads a module, by WebAssembly whose memory grows. That detaches a buffer, and code that V8
// compiles in a thread where one was ever detached looks, at each access to a typed array, whether its buffer is still there
// (docs/decisions/0038). A module that is not found here is left to Node, which makes the same text of it.

import { readFileSync, realpathSync } from 'node:fs';
import * as modules from 'node:module';
import { pathToFileURL } from 'node:url';
import { getEnvironmentData, MessageChannel, receiveMessageOnPort, setEnvironmentData, Worker, workerData } from 'node:worker_threads';

/** Under this name a thread has the texts from the one that started it. (A test's process has those of the run from the beginning.) */
export const STRIPPED = 'stripped';
/** How long the thread may take, which needs a third of a second; then Node strips. */
const STRIPPED_WITHIN_MS = 10_000;
/** What names another module, in an import or in the URL of a thread. */
const PATHS = /'(\.\.?\/[^'\s]+\.ts)'/g;

if (workerData?.stripsFrom !== undefined) stripReachable(workerData);
// A Node without hooks is too old for the venue, which start.js says better.
else modules.registerHooks?.({ resolve, load });

function resolve(specifier, context, next) {
  if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return next(specifier, context);
  const url = new URL(specifier, context.parentURL).href;
  return stripped().places.has(url) ? { url, shortCircuit: true } : next(specifier, context);
}

function load(url, context, next) {
  const place = url.endsWith('.ts') ? stripped().places.get(url) : undefined;
  if (place === undefined) return next(url, context);
  const { texts, ends } = stripped();
  const from = place === 0 ? 0 : ends[place - 1];
  return { format: 'module', source: Buffer.from(texts, from, ends[place] - from).toString(), shortCircuit: true };
}

/** The texts, one behind the other, the place of each module's among them, and where each ends. Asked for by the first that needs it. */
function stripped() {
  const given = getEnvironmentData(STRIPPED);
  if (given !== undefined) return given;
  // A program that is no file names no module by a path of its own.
  const made = process.argv[1] === undefined ? strippedTexts([]) : stripAside();
  setEnvironmentData(STRIPPED, made);
  return made;
}

/** Waits for the thread, as whoever asks for a module does not go on without it. */
function stripAside() {
  const { port1: from, port2: to } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL(import.meta.url), {
    name: 'stripper', workerData: { stripsFrom: process.argv[1], to, done }, transferList: [to],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  thread.unref();
  Atomics.wait(done, 0, 0, STRIPPED_WITHIN_MS);
  const made = receiveMessageOnPort(from);
  from.close();
  return made?.message ?? strippedTexts([]);
}

function stripReachable({ stripsFrom, to, done }) {
  to.postMessage(strippedTexts(reachable(pathToFileURL(realpathSync(stripsFrom)).href)));
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
}

/** The modules that can be reached from this one, and their texts. A path that names no file is somebody's example. */
function* reachable(entry) {
  const urls = new Set([entry]);
  for (const url of urls) {
    let text;
    try {
      text = readFileSync(new URL(url), 'utf8');
    } catch {
      continue;
    }
    for (const [, path] of text.matchAll(PATHS)) urls.add(new URL(path, url).href);
    if (url.endsWith('.ts')) yield [url, text];
  }
}

/**
 * Of modules, each its URL and its text with types: all texts without them in shared memory, and where each ends. The ends are apart, as
 * each thread is given a copy of all but the memory, and a map of a thousand objects takes some milliseconds to copy.
 */
export function strippedTexts(sources) {
  const places = new Map();
  const texts = [];
  const ends = [];
  let length = 0;
  for (const [url, source] of sources) {
    const text = withoutTypes(source);
    if (text === null) continue;
    places.set(url, texts.length);
    texts.push(text);
    length += text.length;
    ends.push(length);
  }
  const shared = new SharedArrayBuffer(length);
  Buffer.concat(texts).copy(Buffer.from(shared));
  return { texts: shared, places, ends: Uint32Array.from(ends) };
}

/** Null for a text that is no TypeScript, which is Node's to say. */
function withoutTypes(source) {
  try {
    return Buffer.from(modules.stripTypeScriptTypes(source));
  } catch {
    return null;
  }
}
