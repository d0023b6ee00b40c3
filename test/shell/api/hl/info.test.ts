// POST /hl/info: which question each type asks, what is refused with 422, and when the route is there.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../../support/fast-check.ts';
import { bookOf, candlesOf } from '../../../../shell/api/hl-info/market.ts';
import { fillOf, frontendOrder } from '../../../../shell/api/hl-info/orders.ts';
import { lessBy, price, rate, sizeDecimals } from '../../../../shell/api/hl-info/texts.ts';
import { readConfig, type Config } from '../../../../shell/process/config.ts';
import { Harness } from '../harness.ts';

const user = `0x${'ab'.repeat(20)}`;

function venueFor(t: TestContext, flags: readonly string[] = []): Harness {
  const venue = new Harness({ flags });
  t.after(() => venue.close());
  return venue;
}

async function info(venue: Harness, body: object): Promise<{ status: number; body: string }> {
  const answer = await fetch(`${venue.url}/hl/info`, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.text() };
}

test('a request of an unknown type, without a type or with a wrong field is 422 with a text', async (t) => {
  const venue = venueFor(t);
  for (const body of [
    {}, { type: 'nope' }, { type: 7 }, { type: 'toString' }, { type: 'openOrders' }, { type: 'openOrders', user: '0x1' },
    { type: 'candleSnapshot', req: { coin: 'BTC', interval: '7m', startTime: 0 } }, { type: 'recentTrades', coin: 'DOGE' },
    { type: 'orderStatus', user, oid: {} }, { type: 'orderStatus', user, oid: 'a'.repeat(65) },
  ]) {
    const { status, body: text } = await info(venue, body);
    assert.equal(status, 422, JSON.stringify(body));
    assert.match(text, /^[A-Z][^{]+$/i, JSON.stringify(body));
  }
  assert.deepEqual(venue.asked.map(({ kind }) => kind), []);
});

test('each read is charged to the source, and names the wallet in lower case', async (t) => {
  const venue = venueFor(t);
  venue.answers.set('portfolio', () => ({ status: 503, body: JSON.stringify({ error: 'margin_unavailable', message: 'no price' }) }));
  venue.answers.set('perpMarket', () => ({ status: 200, body: '{}' }));
  const { status, body } = await info(venue, { type: 'clearinghouseState', user: user.toUpperCase().replace('0X', '0x') });
  assert.equal(status, 503);
  assert.equal(body, 'no price');
  assert.deepEqual(venue.asked.map(({ kind, parameters, charge }) => [kind, parameters, charge & 255]), [
    ['portfolio', { wallet: user }, 1], ['perpMarket', {}, 1],
  ]);
});

test('without the dialect its route is unknown', async (t) => {
  const venue = venueFor(t, ['--hl', 'off']);
  assert.equal((await info(venue, { type: 'meta' })).status, 400);
});

test('the dialect is on by default only with the default name on a loopback address', () => {
  const isOn = (...flags: string[]): boolean => (readConfig(flags, {}) as Config).hl;
  assert.equal(isOn(), true);
  assert.equal(isOn('--host', '0.0.0.0'), false);
  assert.equal(isOn('--service-name', 'Other'), false);
  assert.equal(isOn('--host', '0.0.0.0', '--hl', 'on'), true);
  assert.equal(isOn('--hl', 'off'), false);
  assert.throws(() => readConfig(['--hl', 'yes'], {}), /--hl must be on or off/);
});

test('a price has five figures, all digits before the point, and at most 6 - szDecimals decimals', () => {
  const cases: [number, number, string][] = [
    [100036.7, 6, '100037'], [95123.4, 5, '95123'], [3501.16, 4, '3501.2'], [14.31619, 2, '14.316'], [0.123456, 0, '0.12346'],
    [0.0000123456, 0, '0.000012'], [1_234_567.8, 6, '1234568'], [0, 0, '0'], [2000, 4, '2000'],
  ];
  for (const [value, decimals, text] of cases) assert.equal(price(value, decimals), text);
  assert.deepEqual([0, 0.5, 9.9, 3500, 99_999, 100_000, 1e9].map(sizeDecimals), [0, 0, 1, 4, 5, 6, 6]);
  assert.equal(rate(0.0000125), '0.0000125');
  assert.equal(rate(-1e-12), '0');
});

test('a price of our grid is shown unchanged with the sizes’ decimals of its own mark', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: -6, max: 1 }), (figures, power) => {
    const value = Number(`${figures}e${power}`);
    assert.equal(Number(price(value, sizeDecimals(value))), value);
  }));
});

test('a difference of two amounts is exact to a millionth', () => {
  const amounts = fc.integer({ min: -9e15, max: 9e15 });
  fc.assert(fc.property(amounts, amounts, (a, b) => {
    fc.pre(Number.isSafeInteger(a - b));
    const text = (value: number): string => (
      `${value < 0 ? '-' : ''}${Math.floor(Math.abs(value) / 1e6)}.${String(Math.abs(value) % 1e6).padStart(6, '0')}`
    );
    assert.equal(lessBy(text(a), text(b)), lessBy(text(a - b), '0'));
  }));
});

test('levels that are joined keep all of the size, bids below their prices and asks above', () => {
  const levels = fc.uniqueArray(fc.integer({ min: 1, max: 99_999 }), { minLength: 1, maxLength: 20 });
  fc.assert(fc.property(levels, fc.integer({ min: 2, max: 5 }), fc.constantFrom(null, 2, 5), (prices, nSigFigs, mantissa) => {
    const bids = prices.toSorted((a, b) => b - a).map((px) => [px, 1] as const);
    const { levels: [shown] } = bookOf('BTC', { timestamp: 1, bids, asks: [] }, { nSigFigs, mantissa }) as any;
    assert.equal(shown.reduce((sum: number, { n }: { n: number }) => sum + n, 0), bids.length);
    assert.ok(Number(shown[0].px) <= bids[0]![0]);
    for (const [at, level] of shown.entries()) if (at > 0) assert.ok(Number(level.px) < Number(shown[at - 1].px));
  }));
});

test('longer candles are made of shorter ones', () => {
  const hour = 3_600_000;
  const candle = (at: number, open: number, volume: number) => (
    { start_time_ms: at * hour, open, high: open + 2, low: open - 1, close: open + 1, volume }
  );
  assert.deepEqual(candlesOf('BTC', '2h', [candle(3, 10, 1), candle(4, 11, 2), candle(5, 20, 4)]), [
    { t: 2 * hour, T: 4 * hour - 1, s: 'BTC', i: '2h', o: '10', c: '11', h: '12', l: '9', v: '1', n: 0 },
    { t: 4 * hour, T: 6 * hour - 1, s: 'BTC', i: '2h', o: '11', c: '21', h: '22', l: '10', v: '6', n: 0 },
  ]);
  const [month] = candlesOf('BTC', '1M', [{ ...candle(0, 1, 1), start_time_ms: Date.UTC(2026, 1, 20) }]) as { t: number; T: number }[];
  assert.deepEqual([month!.t, month!.T], [Date.UTC(2026, 1), Date.UTC(2026, 2) - 1]);
  const [week] = candlesOf('BTC', '1w', [{ ...candle(0, 1, 1), start_time_ms: Date.UTC(2026, 0, 9) }]) as { t: number }[];
  assert.equal(week!.t, Date.UTC(2026, 0, 5), 'a Monday');
});

test('a fill tells where the position stood before it, and what it did to it', () => {
  const told = (side: 'Buy' | 'Sell', position: string): unknown[] => {
    const ids = { timestamp: 1, order_id: 1, trade_id: 1 };
    const fill = { ...ids, symbol: 'BTC-PERP', price: '100', size: '2', side, is_taker: true, fee: '0', realized_pnl: '0', position };
    const { startPosition, dir } = fillOf(fill) as { startPosition: string; dir: string };
    return [startPosition, dir];
  };
  assert.deepEqual(
    [told('Buy', '2'), told('Buy', '3'), told('Buy', '0'), told('Buy', '1'), told('Sell', '-2'), told('Sell', '1'), told('Sell', '-1')],
    [
      ['0', 'Open Long'], ['1', 'Open Long'], ['-2', 'Close Short'], ['-1', 'Short > Long'], ['0', 'Open Short'], ['3', 'Close Long'],
      ['1', 'Long > Short'],
    ],
  );
});

test('a trigger that guards against a loss is a stop, one in the direction of a profit takes it', () => {
  const typeOf = (side: 'Buy' | 'Sell', direction: 'above' | 'below', tif: string): unknown => {
    const trigger = { by: 'mark', direction, price: '90' } as const;
    const order = { symbol: 'BTC-PERP', side, price: '1', size: '1', filled: '0', oid: 1, created: 1, tif, clientId: null };
    return (frontendOrder({ ...order, reduceOnly: true, terms: { trigger } }) as { orderType: string }).orderType;
  };
  assert.deepEqual(
    [typeOf('Sell', 'below', 'ioc'), typeOf('Sell', 'above', 'gtc'), typeOf('Buy', 'above', 'gtc'), typeOf('Buy', 'below', 'ioc')],
    ['Stop Market', 'Take Profit Limit', 'Stop Limit', 'Take Profit Market'],
  );
});
