// Endless empty message fragments: the web server shows them to nobody, so the system's socket queues show whose they are.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { BOUNDS } from '../../../../shell/http/limits.ts';
import { Quota } from '../../../../shell/http/quota.ts';
import { FloodDetector, parseConnections, receiveQueuesOf } from '../../../../shell/http/server/flood-detector.ts';
import { sourceOfAddress } from '../../../../shell/http/source.ts';
import { exchange, openVenue, requestText, until } from './client.ts';
import { maskedFrame, mute, TEXT, upgradeHeaders } from './frames.ts';

const ONE = sourceOfAddress(Uint8Array.of(203, 0, 113, 1));
const TWO = sourceOfAddress(Uint8Array.of(203, 0, 113, 2));
/** Of these bounds every tick comes late. */
const LATE = { ...BOUNDS, tickMs: -1_000, barTicks: 3 };

function floodsOf(bounds: typeof LATE, unread: { readonly source: typeof ONE; readonly bytes: number }[]): FloodDetector {
  return new FloodDetector(bounds, new Quota({ amount: 100, loopback: 300 }), () => unread);
}

test('a source with too much unread data at two late ticks in a row is barred for a while; others are not', () => {
  const unread = [{ source: ONE, bytes: 60 }, { source: TWO, bytes: 100 }, { source: ONE, bytes: 41 }];
  const floods = floodsOf(LATE, unread);
  const barred = (): boolean[] => {
    floods.onTick();
    return [ONE, TWO].map((source) => floods.isBarred(source));
  };
  assert.deepEqual([barred(), barred()], [[false, false], [true, false]]);
  unread.length = 0;
  assert.deepEqual([barred(), barred(), barred()], [[true, false], [true, false], [false, false]]);
});

test('data read between two ticks, or unread while the thread is on time, bars nobody', () => {
  const unread = [{ source: ONE, bytes: 101 }];
  const floods = floodsOf(LATE, unread);
  floods.onTick();
  unread[0]!.bytes = 100;
  floods.onTick();
  unread[0]!.bytes = 101;
  floods.onTick();
  assert.equal(floods.isBarred(ONE), false);
  const inTime = floodsOf({ ...LATE, tickMs: 1_000_000 }, unread);
  for (let i = 0; i < 5; i++) inTime.onTick();
  assert.equal(inTime.isBarred(ONE), false);
});

test('the system\'s socket tables give the unread bytes of the port\'s established connections by source', () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue\n';
  const lines = [
    '   0: 0100007F:1F90 017100CB:D5A2 01 00000000:0000A000 00:00000000 00000000 0 0 1',
    '   1: 0100007F:1F90 027100CB:D5A3 01 00000005:00000000 00:00000000 00000000 0 0 2',
    '   2: 0100007F:1F91 017100CB:D5A2 01 00000000:0000A000 00:00000000 00000000 0 0 3',
    '   3: 00000000:1F90 00000000:0000 0A 00000000:00000005 00:00000000 00000000 0 0 4',
    '   4: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF0000017100CB:D5A4 01 00000000:00000010 00:00000000 0 0 0 5',
  ];
  assert.deepEqual(parseConnections(head + lines.join('\n'), 0x1f90), [{ source: ONE, bytes: 0xa000 }, { source: ONE, bytes: 16 }]);
});

test('the system reports the unread bytes of a connection of this process', {
  skip: process.platform !== 'linux' && 'only Linux tells',
}, async (t) => {
  const server = net.createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const client = net.connect(port, '127.0.0.1');
  const [accepted] = await once(server, 'connection') as [net.Socket];
  t.after(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  client.write('x'.repeat(1_000));
  await until(() => receiveQueuesOf(port).length > 0);
  assert.deepEqual(receiveQueuesOf(port).map(({ source: { network }, bytes }) => [network, bytes]), [['127.0.0.1', 1_000]]);
});

test('empty fragments that hold up the thread end their source\'s sockets and bar it from new ones', {
  skip: process.platform !== 'linux' && 'only Linux tells',
}, async (t) => {
  const closed: number[] = [];
  const { edge } = openVenue({
    bounds: { tickMs: 20, readBytes: 40_000 },
    sockets: {
      path: '/ws', admit: () => null, errorFrame: (_, { message }) => message,
      open: () => ({ message: () => undefined, close: (code) => closed.push(code) }),
    },
  });
  t.after(() => edge.close());
  const begin = Buffer.concat([Buffer.from([TEXT]), maskedFrame(TEXT, 'x').subarray(1)]);
  const parts = Buffer.concat(Array<Buffer>(10_000).fill(Buffer.from([0, 0x80, 0, 0, 0, 0])));
  let isOpen = true;
  const flooder = mute(edge.port, (socket) => {
    socket.write(begin);
    const flood = (): void => {
      if (!isOpen) return;
      socket.write(parts);
      // As long as the thread would read what many sockets send. A tick comes next, and only then are these parts read.
      for (const end = performance.now() + 100; performance.now() < end;);
      setImmediate(flood);
    };
    setImmediate(flood);
  });
  await flooder;
  isOpen = false;
  await until(() => edge.counts.sockets === 0);
  assert.deepEqual(closed, [1006], 'cut off, and not for a pong that did not come');
  const upgrade = requestText('GET', '/ws', '', upgradeHeaders('AAAAAAAAAAAAAAAAAAAAAA=='));
  assert.equal((await exchange(edge.port, [upgrade], 1)).answers[0]!.status, 429);
  assert.equal((await exchange(edge.port, [requestText('GET', '/orders')], 1)).answers[0]!.status, 200, 'requests go on');
});
