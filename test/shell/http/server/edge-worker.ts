// A worker thread with an HTTP server, started by edge-process.ts: posts its port, closes when told, and ends by itself.

import { parentPort } from 'node:worker_threads';
import { openEdge } from '../../../../shell/http/server/edge.ts';

const edge = openEdge({
  host: '127.0.0.1',
  port: 0,
  trustProxy: false,
  cors: '*',
  onFault: () => undefined,
  route: ({ query }, responder) => responder.send(200, String(query.length)),
  sockets: {
    path: '/ws',
    admit: () => null,
    open: () => ({ message: () => undefined, close: () => undefined }),
    errorFrame: (_, { message }) => message,
  },
});
parentPort!.postMessage(edge.port);
parentPort!.once('message', () => {
  edge.close();
  parentPort!.close();
});
