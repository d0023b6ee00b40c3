// The socket client of the benches: where the venue closes its connection, the run ends with what the close frame says.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { clientFrame, SocketLoad } from '../../bench/socket-load.ts';

const FRAMES = Array.from({ length: 64 }, () => clientFrame('{"type":"PlaceOrder"}'));
const REASON = 'too many requests in flight';

let server: WebSocketServer;
let port = 0;
before(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    socket.send('{"type":"welcome"}');
    socket.once('message', () => socket.close(1008, REASON));
  });
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
after(() => server.close());

for (const [name, run] of Object.entries({
  'that sends as answers come': (load: SocketLoad) => load.flood(32),
  'that sends at a rate': (load: SocketLoad) => load.pace(1_000),
})) {
  test(`a client ${name} tells why the venue closed the connection`, async (t) => {
    const load = await SocketLoad.open(port, FRAMES);
    t.after(() => load.close());
    await assert.rejects(run(load), { message: `the venue closed the connection: 1008 ${REASON}` });
  });
}
