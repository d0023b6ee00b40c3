// How the feed reads Hyperliquid's messages: valid prices, an index from two sources, and the wait between attempts. This is messages,
// index and backoff alone; hyperliquid-venue.test.ts has the feed's thread and the venue.

import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { backoff, MidSocket } from '../../../shell/feeds/hyperliquid/mid-socket.ts';
import { IndexPrice } from '../../../shell/feeds/hyperliquid/index-price.ts';
import { readMessage, readMids, readOracle, readPrice } from '../../../shell/feeds/hyperliquid/parse-messages.ts';
import { Hyperliquid } from '../../support/hyperliquid.ts';

const WANTED = new Set(['BTC', 'ETH']);

test('a price is a plain decimal from a millionth to a thousand million', () => {
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

test('property: any message yields only prices in range, and only of wanted coins', () => {
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

test('a message of another form yields no mids and no oracle prices', () => {
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

test('the mid is the index, bounded to half a percent around the oracle price', () => {
  const index = new IndexPrice();
  index.addMid(100_200_000, 0);
  assert.equal(index.takeNew(0), 0, 'a first price that nothing confirms');
  index.addOracle(100_000_000, 10);
  assert.equal(index.takeNew(20), 100_200_000);
  assert.equal(index.sourceAt(20), 'mid');
  index.addMid(100_500_000, 1_000);
  assert.equal(index.takeNew(1_000), 100_500_000);
  assert.equal(index.takeNew(1_500), 0, 'nothing new');
  for (const [mid, price] of [[100_500_001, 100_500_000], [99_499_999, 99_500_000], [1, 99_500_000], [900_000_000, 100_500_000]] as const) {
    index.addMid(mid, 2_000);
    assert.deepEqual([index.takeNew(2_000), index.sourceAt(2_000)], [price, 'bounded'], String(mid));
  }
  index.addOracle(101_000_000, 3_000);
  index.addMid(100_900_000, 3_000);
  assert.deepEqual([index.takeNew(3_000), index.sourceAt(3_000)], [100_900_000, 'mid']);
});

test('mids alone are enough, at the start and when the oracle has been silent for a minute', () => {
  const index = new IndexPrice();
  const shown = (price: number, time: number): number => {
    index.addMid(price, time);
    return index.takeNew(time);
  };
  assert.deepEqual([shown(100_000, 0), shown(100_010, 500), shown(100_020, 1_000)], [0, 0, 100_020]);
  assert.equal(index.sourceAt(1_000), 'mid_alone');
  index.addOracle(100_000, 1_500);
  assert.deepEqual([shown(103_000, 2_000), index.sourceAt(2_000)], [100_500, 'bounded']);
  assert.deepEqual([shown(103_000, 61_500), index.sourceAt(61_500)], [0, 'none'], 'after a silence, which nothing confirms');
  assert.deepEqual([shown(103_000, 61_501), shown(103_000, 61_502)], [0, 103_000]);
  assert.equal(index.sourceAt(61_502), 'mid_alone');
});

test('the last oracle price bounds a mid for a minute, then no longer', () => {
  const index = new IndexPrice();
  index.addMid(100_000, 0);
  index.addOracle(100_000, 0);
  for (let time = 5_000; time <= 60_000; time += 5_000) {
    index.addMid(102_000, time);
    assert.deepEqual([index.takeNew(time), index.sourceAt(time)], [100_500, 'bounded'], String(time));
  }
  index.addMid(102_000, 60_001);
  assert.deepEqual([index.takeNew(60_001), index.sourceAt(60_001)], [102_000, 'mid_alone']);
});

test('oracle prices alone are enough, if close to the last one or repeated three times', () => {
  const index = new IndexPrice();
  const shown = (price: number, time: number): number => {
    index.addOracle(price, time);
    return index.takeNew(time);
  };
  assert.deepEqual([shown(100_000, 0), shown(100_100, 3_000), shown(100_200, 6_000)], [0, 0, 100_200]);
  assert.equal(index.sourceAt(6_000), 'oracle_alone');
  assert.equal(shown(104_000, 9_000), 104_000);
  assert.deepEqual([shown(7, 12_000), shown(104_100, 15_000)], [0, 104_100]);
  assert.deepEqual([shown(50_000, 18_000), shown(50_100, 21_000), shown(50_200, 24_000)], [0, 0, 50_200]);
  // Nothing for a minute: what was said says nothing any more.
  assert.deepEqual([shown(50_300, 90_000), shown(50_300, 93_000), shown(50_300, 96_000)], [0, 0, 50_300]);
});

test('a wild oracle price does not move the bound until it is repeated three times', () => {
  const index = new IndexPrice();
  index.addMid(100_000, 0);
  index.addOracle(100_000, 1);
  const bounded = (oracle: number, time: number): number => {
    index.addOracle(oracle, time);
    index.addMid(100_000, time + 1);
    return index.takeNew(time + 1);
  };
  assert.deepEqual([bounded(1, 3_000), bounded(200_000, 6_000), bounded(100_100, 9_000)], [100_000, 100_000, 100_000]);
  assert.deepEqual([bounded(200_000, 12_000), bounded(200_000, 15_000), bounded(200_000, 18_000)], [100_000, 100_000, 199_000]);
});

test('a slow or overtaken oracle answer counts as old, and with both sources silent there is no price', () => {
  const index = new IndexPrice();
  index.addMid(100_000, 0);
  index.addOracle(100_000, 5_000);
  index.addOracle(103_000, 4_000);
  assert.equal(index.takeNew(5_000), 100_000);
  index.addMid(103_000, 15_000);
  assert.equal(index.takeNew(15_000), 100_500, 'the one that was overtaken bounds nothing');
  assert.equal(index.sourceAt(25_001), 'none');
  index.addOracle(100_000, 14_000);
  assert.equal(index.takeNew(25_001), 0, 'asked for more than ten seconds ago');
});

test('property: a price is shown once, and is a recent mid, oracle price, or bound of an oracle price', () => {
  const told = (min: number, max: number, longest: number) => fc.record({
    isOracle: fc.boolean(), price: fc.integer({ min, max }), wait: fc.integer({ min: 0, max: longest }),
  });
  const news = told(1, 200_000, 12_000);
  const calm = told(99_900, 100_100, 4_000);
  let shownAtAll = 0;
  fc.assert(fc.property(fc.array(fc.oneof(calm, calm, calm, news), { maxLength: 60 }), (run) => {
    const index = new IndexPrice();
    let time = 0;
    const [oracles, mids] = [[] as { price: number; time: number }[], [] as { price: number; time: number }[]];
    const isYoung = (age: number) => (one: { time: number }): boolean => time - one.time <= age;
    for (const { isOracle, price, wait } of run) {
      time += wait;
      (isOracle ? oracles : mids).push({ price, time });
      if (isOracle) index.addOracle(price, time);
      else index.addMid(price, time);
      const [shown, source] = [index.takeNew(time), index.sourceAt(time)];
      assert.equal(index.takeNew(time), 0);
      if (shown === 0) continue;
      shownAtAll++;
      const isOf = (rows: readonly { price: number; time: number }[], age: number): boolean => (
        rows.filter(isYoung(age)).some((one) => one.price === shown)
      );
      const isBound = oracles.filter(isYoung(60_000)).some((one) => Math.abs(shown - one.price) === Math.floor(one.price / 200));
      const isMid = isOf(mids, 10_000);
      const isRight = { mid: isMid, mid_alone: isMid, oracle_alone: isOf(oracles, 10_000), bounded: isBound, none: false };
      assert.ok(isRight[source], `${shown} of ${source}`);
    }
  }), { numRuns: 500 });
  assert.ok(shownAtAll > 300, `${shownAtAll}`);
});

test('the wait doubles with each failure up to half a minute, less a random part of up to half', () => {
  for (const [failures, most] of [[1, 1_000], [2, 2_000], [3, 4_000], [5, 16_000], [6, 30_000], [60, 30_000], [5_000, 30_000]] as const) {
    assert.equal(backoff(failures, 0), most);
    assert.ok(backoff(failures, 0.999) >= most / 2 && backoff(failures, 0.999) < most * 0.51);
    const some = Array.from({ length: 50 }, () => backoff(failures));
    assert.ok(some.every((wait) => wait > most / 2 - 1 && wait <= most));
    assert.ok(new Set(some).size > 40);
  }
});

test('a server that never finishes its handshake is given up after ten seconds, even if it sends bytes', async (t) => {
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

test('a message of mids without any of the coins does not count as a connection that works', async (t) => {
  const hyperliquid = await Hyperliquid.start(t);
  const { changes, mids, told } = connect(t, hyperliquid.ws);
  await hyperliquid.subscribed();
  for (const none of [{}, { DOGE: '0.1' }, { BTC: 'NaN' }]) hyperliquid.sendMids(none);
  hyperliquid.sendMids({ BTC: '100000' });
  await told;
  assert.deepEqual([changes, mids], [[null], [new Map([['BTC', 100_000e6]])]]);
});

test('a server that sends pings and reads no pongs is dropped', async (t) => {
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
  assert.deepEqual(changes, ['the server does not read pongs']);
});

test('a host whose every address refuses is reported by the error code', async (t) => {
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
