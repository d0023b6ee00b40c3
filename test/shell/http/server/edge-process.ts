// A process with one HTTP server in a worker, started by worker.test.ts: one long request and one socket, then the end.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { HEAD_BYTES } from '../../../../shell/http/limits.ts';

process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(HEAD_BYTES);
const worker = new Worker(new URL('edge-worker.ts', import.meta.url));
const [port] = await once(worker, 'message') as [number];
const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
await once(socket, 'open');
const answer = await fetch(`http://127.0.0.1:${port}/?${'q'.repeat(40_000)}`);
console.log(answer.status, await answer.text());
worker.postMessage('close');
const [code] = await once(worker, 'exit') as [number];
console.log('worker', code);
