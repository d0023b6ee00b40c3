// An edge in a worker thread: it opens, serves, closes, and lets the worker and the process end by themselves. Run in a
// process of its own, since an edge left open would abort it.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { HEAD_BYTES } from '../../shell/edge/bounds.ts';

const WORKER = `
  import { parentPort } from 'node:worker_threads';
  import { openEdge } from './shell/edge/edge.ts';
  const edge = openEdge({
    host: '127.0.0.1', port: 0, trustProxy: false, cors: '*', onFault: () => undefined,
    route: ({ query }, to) => to.send(200, String(query.length)),
    sockets: { path: '/ws', admit: () => null, open: () => ({ message() {}, close() {} }), errorFrame: (_, text) => text },
  });
  parentPort.postMessage(edge.port);
  parentPort.once('message', () => { edge.close(); parentPort.close(); });
`;

const MAIN = `
  import { once } from 'node:events';
  import { Worker } from 'node:worker_threads';
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = '${HEAD_BYTES}';
  const source = \`${WORKER}\`.replaceAll('./shell', process.cwd() + '/shell');
  const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(source)));
  const [port] = await once(worker, 'message');
  const socket = new WebSocket('ws://127.0.0.1:' + port + '/ws');
  await once(socket, 'open');
  const answer = await fetch('http://127.0.0.1:' + port + '/?' + 'q'.repeat(40_000));
  console.log(answer.status, await answer.text());
  worker.postMessage('close');
  const [code] = await once(worker, 'exit');
  console.log('worker', code);
`;

test('a worker with an edge closes and exits with 0, and so does the process', async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', MAIN]);
  let out = '';
  child.stdout.on('data', (data) => { out += data; });
  child.stderr.on('data', (data) => { out += data; });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => child.on('exit', (...end) => resolve(end)));
  assert.deepEqual([code, signal, out], [0, null, '200 40000\nworker 0\n']);
});
