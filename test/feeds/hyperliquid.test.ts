// What the feed makes of Hyperliquid's messages: prices that are prices, an index that rests on two sources, and the patience
// between tries. Messages, index and backoff by themselves; the feed's thread and the venue stand in hyperliquid-venue.test.ts.

import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import fc from 'fast-check';
import { backoff } from '../../shell/feeds/hyperliquid/backoff.ts';
import { IndexPrice } from '../../shell/feeds/hyperliquid/index-price.ts';
import { readMessage, readMids, readOracle, readPrice } from '../../shell/feeds/hyperliquid/messages.ts';
import { MidSocket } from '../../shell/feeds/hyperliquid/socket.ts';
import { Hyperliquid } from '../support/hyperliquid.ts';

const WANTED = new Set(['BTC', 'ETH']);

test('a price is a plain decimal of at least a millionth and at most a thousand millions', () => {
  const good: [string, number][] = [
    ['29258.0', 29_258_000_000], ['0.067131', 67_131], ['80907.5', 80_907_500_000], ['1', 1_000_000], ['0.000001', 1],
    ['0.0000019', 1], ['1000000000', 1e15],
  ];
  for (const [text, price] of good) assert.equal(readPrice(text), price, text);
  const bad = [
    'NaN', 'Infinity', '-1', '+1', '0', '0.0', '0.0000001', '1e5', '', ' 1', '1 ', '1,5', '.5', '1.', '0x10', '1000000000.1',
    '9'.repeat(400), null, undefined, 1, NaN, Infinity, {}, [], ['1'], true,
  ];
  for (const value of bad) assert.equal(readPrice(value), 0, String(value));
});

test('whatever a message says, what is read of it is a price in range for a coin that is wanted', () => {
  const value = fc.oneof(fc.string(), fc.double().map(String), fc.jsonValue(), fc.constantFrom('NaN', '0', '-5', '100.5', '1e9'));
  const mids = fc.dictionary(fc.constantFrom('BTC', 'ETH', 'DOGE', '__proto__', 'constructor'), value);
  fc.assert(fc.property(mids, fc.jsonValue(), (given, other) => {
    const message = readMessage(JSON.stringify({ channel: 'allMids', data: { mids: given } }));
    assert.equal(message?.channel, 'allMids');
    const contexts = Object.values(given).map((oraclePx) => ({ oraclePx }));
    const answer = [{ universe: Object.keys(given).map((name) => ({ name })) }, contexts];
    for (const prices of [readMids(message!.data, WANTED), readOracle(answer, WANTED)]) {
      for (const [coin, price] of prices!) {
        assert.ok(WANTED.has(coin));
        assert.ok(Number.isSafeInteger(price) && price >= 1 && price <= 1e15);
        assert.ok(Math.abs(price / 1e6 - Number(given[coin])) <= 1e-6 * (1 + Number(given[coin])), `${price} of ${given[coin]}`);
      }
    }
    readMids(other, WANTED);
    readOracle(other, WANTED);
  }));
});

test('what has another form is no message, no mids, no oracle prices', () => {
  for (const text of ['', '{', '[]', '1', 'null', '{"data":{}}', '{"channel":7}', '{"channel":"allMids","data":{"mids":{"BTC":"1']) {
    assert.equal(readMessage(text), null, text);
  }
  for (const data of [null, 1, [], {}, { mids: null }, { mids: ['1'] }, { mids: '1' }]) assert.equal(readMids(data, WANTED), null);
  const universe = [{ name: 'BTC' }, { name: 'ETH' }];
  const contexts = [{ oraclePx: '1' }, { oraclePx: '2' }];
  assert.deepEqual(readOracle([{ universe }, contexts], WANTED), new Map([['BTC', 1e6], ['ETH', 2e6]]));
  assert.deepEqual(readOracle([{ universe: [null, { name: 'ETH' }] }, contexts], WANTED), new Map([['ETH', 2e6]]));
  assert.deepEqual(readOracle([{ universe }, [null, { oraclePx: 2 }]], WANTED), new Map());
  const none = [
    null, {}, [], [{ universe }], [{ universe }, {}], [{}, contexts], [{ universe: 'BTC' }, contexts], [{ universe }, [contexts[0]]],
  ];
  for (const answer of none) assert.equal(readOracle(answer, WANTED), null, JSON.stringify(answer));
});

test('the oracle price is the level, the mid carries it on, and the perpetual\'s own premium does not enter', () => {
  const index = new IndexPrice();
  index.tellMid(100_200_000, 0);
  assert.equal(index.show(0), 0);
  index.tellOracle(100_000_000, 10);
  assert.equal(index.show(20), 100_000_000);
  index.tellMid(100_300_200, 1_000);
  assert.equal(index.show(1_000), 100_100_000);
  assert.equal(index.show(1_500), 0, 'nothing new');
  index.tellOracle(100_090_000, 3_000);
  assert.equal(index.show(3_100), 100_090_000);
});

test('a mid that moves by more than half a percent waits for the oracle', () => {
  const index = new IndexPrice();
  index.tellMid(100_000, 0);
  index.tellOracle(100_000, 1);
  index.tellMid(100_500, 10);
  assert.equal(index.show(10), 100_500);
  index.tellMid(100_501, 20);
  assert.equal(index.show(20), 0);
  index.tellOracle(100_480, 3_000);
  assert.equal(index.show(3_000), 100_480);
});

test('sources that are more than 5 % apart are used for nothing until they agree again', () => {
  const index = new IndexPrice();
  index.tellMid(100_000, 0);
  index.tellOracle(1, 1);
  assert.equal(index.show(2), 0);
  assert.equal(index.isContradicted(2), true);
  index.tellOracle(105_001, 1_000);
  assert.equal(index.show(1_000), 0);
  index.tellOracle(105_000, 2_000);
  assert.equal(index.show(2_000), 105_000);
  assert.equal(index.isContradicted(2_000), false);
  index.tellMid(900_000, 2_500);
  assert.equal(index.show(2_500), 0);
  assert.equal(index.isContradicted(2_500), true);
  index.tellMid(900_000, 32_001);
  assert.equal(index.isContradicted(32_001), false, 'an oracle price of half a minute ago contradicts nobody');
});

test('without a mid an oracle price is held against what was shown of late, or must be said three times', () => {
  const index = new IndexPrice();
  const shown = (price: number, time: number): number => {
    index.tellOracle(price, time);
    return index.show(time);
  };
  assert.deepEqual([shown(100_000, 0), shown(100_100, 3_000), shown(100_200, 6_000)], [0, 0, 100_200]);
  assert.equal(shown(104_000, 9_000), 104_000);
  assert.deepEqual([shown(7, 12_000), shown(104_100, 15_000)], [0, 104_100]);
  assert.deepEqual([shown(50_000, 18_000), shown(50_100, 21_000), shown(50_200, 24_000)], [0, 0, 50_200]);
  // Nothing for a minute: what was shown says nothing any more.
  assert.deepEqual([shown(90_000, 90_000), shown(50_300, 93_000)], [0, 0]);
});

test('a slow or late answer is old, one that was overtaken is left out, and the mid carries for half a minute', () => {
  const index = new IndexPrice();
  index.tellMid(100_000, 0);
  index.tellOracle(100_000, 5_000);
  index.tellOracle(103_000, 4_000);
  assert.equal(index.show(5_000), 100_000);
  index.tellMid(100_100, 34_000);
  assert.equal(index.show(34_000), 100_100);
  index.tellMid(100_100, 35_001);
  assert.equal(index.show(35_001), 0);
  const late = new IndexPrice();
  for (const time of [0, 3_000, 6_000]) late.tellOracle(100_000, time);
  assert.equal(late.show(16_001), 0);
});

test('a mid that comes long after an oracle price does not make it new', () => {
  const index = new IndexPrice();
  for (const time of [0, 3_000, 6_000]) index.tellOracle(100_000, time);
  assert.equal(index.show(6_000), 100_000);
  // Both were silent; of what happened between, a ratio of mids that begins now says nothing.
  index.tellMid(97_000, 16_001);
  assert.equal(index.show(16_001), 0);
  index.tellMid(97_100, 17_000);
  assert.equal(index.show(17_000), 0);
  index.tellOracle(97_050, 18_000);
  index.tellMid(97_100, 18_500);
  assert.equal(index.show(18_500), 97_050);
});

test('in any run of news a shown price is near the newest oracle price, which is young, and nothing is shown twice', () => {
  const told = (min: number, max: number, longest: number) => fc.record({
    isOracle: fc.boolean(), price: fc.integer({ min, max }), wait: fc.integer({ min: 0, max: longest }),
  });
  const news = told(1, 200_000, 12_000);
  const calm = told(99_900, 100_100, 4_000);
  let shownAtAll = 0;
  fc.assert(fc.property(fc.array(fc.oneof(calm, calm, calm, news), { maxLength: 60 }), (run) => {
    const index = new IndexPrice();
    let time = 0;
    let oracle = { price: 0, time: -1 };
    let mid = { price: 0, time: -Infinity };
    for (const { isOracle, price, wait } of run) {
      time += wait;
      if (isOracle && time > oracle.time) oracle = { price, time };
      if (isOracle) index.tellOracle(price, time);
      else index.tellMid(price, time);
      if (!isOracle) mid = { price, time };
      const shown = index.show(time);
      assert.equal(index.show(time), 0);
      if (shown === 0) continue;
      shownAtAll++;
      assert.ok(Math.abs(shown - oracle.price) <= oracle.price * 0.005 + 1);
      assert.ok(time - oracle.time <= 30_000);
      if (time - mid.time <= 10_000) assert.ok(Math.abs(mid.price - oracle.price) <= mid.price * 0.05);
    }
  }), { numRuns: 500 });
  assert.ok(shownAtAll > 300, `${shownAtAll}`);
});

test('the wait doubles with each failure up to half a minute, and chance takes up to half of it', () => {
  for (const [failures, most] of [[1, 1_000], [2, 2_000], [3, 4_000], [5, 16_000], [6, 30_000], [60, 30_000], [5_000, 30_000]] as const) {
    assert.equal(backoff(failures, 0), most);
    assert.ok(backoff(failures, 0.999) >= most / 2 && backoff(failures, 0.999) < most * 0.51);
    const some = Array.from({ length: 50 }, () => backoff(failures));
    assert.ok(some.every((wait) => wait > most / 2 - 1 && wait <= most));
    assert.ok(new Set(some).size > 40);
  }
});

test('a server that takes a connection and never ends its handshake is given up after ten seconds, whatever it drips', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\n', () => server.emit('dripped')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const told: (string | null)[] = [];
  const mids = new MidSocket({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, coins: () => WANTED, steady: () => 0,
    onMids: () => undefined, onChange: (why) => told.push(why),
  });
  t.after(() => {
    mids.close();
    server.close();
  });
  await once(server, 'dripped');
  t.mock.timers.tick(9_999);
  assert.deepEqual(told, []);
  t.mock.timers.tick(1);
  assert.deepEqual(told, ['no connection within 10000 ms']);
});

/** A connection to `url`, each text that it has told of itself, and each row of mids; 'told' comes with the first of either. */
function connect(t: TestContext, url: string): { changes: (string | null)[]; mids: ReadonlyMap<string, number>[]; told: Promise<void> } {
  const [changes, mids]: [(string | null)[], ReadonlyMap<string, number>[]] = [[], []];
  const told = Promise.withResolvers<void>();
  const socket = new MidSocket({
    url, coins: () => WANTED, steady: () => 0,
    onMids: (row) => mids.push(row),
    onChange: (why) => {
      changes.push(why);
      told.resolve();
    },
  });
  t.after(() => socket.close());
  return { changes, mids, told: told.promise };
}

test('mids of none of the coins are no success', async (t) => {
  const hyperliquid = await Hyperliquid.start(t);
  const { changes, mids, told } = connect(t, hyperliquid.ws);
  await hyperliquid.subscribed();
  for (const none of [{}, { DOGE: '0.1' }, { BTC: 'NaN' }]) hyperliquid.sendMids(none);
  hyperliquid.sendMids({ BTC: '100000' });
  await told;
  assert.deepEqual([changes, mids], [[null], [new Map([['BTC', 100_000e6]])]]);
});

test('a server that pings and does not read the answers is left before they are many', async (t) => {
  const hyperliquid = await Hyperliquid.start(t);
  const { changes } = connect(t, hyperliquid.ws);
  await hyperliquid.subscribed();
  const socket = hyperliquid.socket!;
  const isLost = once(hyperliquid, 'lost').then(() => true);
  socket.pause();
  const ping = Buffer.concat([Buffer.of(0x89, 125), Buffer.alloc(125)]);
  const many = Buffer.concat(Array<Buffer>(2_000).fill(ping));
  // What the system itself holds for a connection is some megabytes.
  for (let sent = 0, lost = false; !lost && sent < 128 * 1_048_576; sent += many.length) {
    lost = await Promise.race([isLost, new Promise<boolean>((resolve) => socket.write(many, () => resolve(false)))]);
  }
  assert.deepEqual(changes, ['answers to pings are not read']);
});

test('a host whose every address refuses is told of by the code', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  t.mock.method(dns, 'lookup', (_: string, __: object, done: (error: null, addresses: dns.LookupAddress[]) => void) => {
    done(null, ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })));
  });
  const { changes, told } = connect(t, `ws://two.invalid:${port}`);
  await told;
  assert.deepEqual(changes, ['ECONNREFUSED']);
});
