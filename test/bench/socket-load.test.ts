// The socket client of the benches: where the venue closes its connection, the run ends with what the close frame says; it never has so
// many requests in flight that the venue closes it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { clientFrame, SocketLoad } from '../../bench/socket-load.ts';
import { BOUNDS } from '../../shell/http/limits.ts';

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

test('a client that sends at a rate waits while a venue that stands still has as many requests as it takes', async (t) => {
  const standing = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  t.after(() => standing.close());
  await once(standing, 'listening');
  const frames = Array.from({ length: 3 * BOUNDS.resultsWaiting }, () => FRAMES[0]!);
  const many = BOUNDS.resultsWaiting - 100;
  let received = 0;
  let unanswered = 0;
  let most = 0;
  standing.on('connection', (socket) => {
    socket.send('{"type":"welcome"}');
    // After a pause in which more would come, were there no bound.
    const answer = (): void => {
      for (; unanswered > 0; unanswered--) socket.send('{"status":"ACKED"}');
    };
    socket.on('message', () => {
      received++;
      if (++unanswered === many || received === frames.length) setTimeout(answer, 100);
      most = Math.max(most, unanswered);
    });
  });
  const load = await SocketLoad.open((standing.address() as AddressInfo).port, frames);
  t.after(() => load.close());
  await load.pace(100_000);
  assert.equal(load.answered, frames.length);
  assert.ok(most >= many && most < BOUNDS.resultsWaiting, `${most} unanswered`);
});
