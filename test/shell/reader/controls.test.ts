// What the reader shows of the operator's controls: trading modes in market data and on their stream, and the list of accounts.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY } from '../../../core/units.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, walletText } from './support.ts';

type Row = Record<string, unknown>;

/** As /orderbook, /instruments, the contract in /markets and the underlying there tell it. */
function modesOf(bench: Bench): unknown[] {
  const book = bench.body<Row>('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 });
  const listed = bench.body<Row[]>('instruments', { currency: 'BTC', status: ['ACTIVE'] });
  const one = listed.find((row) => row.instrument_name === CALL_100_SYMBOL)!;
  const { data } = bench.body<{ data: { trading_mode: string; instruments: Row[] }[] }>('markets', { include_instruments: true });
  const market = data.find(({ instruments }) => instruments.some(({ id }) => id === CALL_100_SYMBOL))!;
  const contract = market.instruments.find(({ id }) => id === CALL_100_SYMBOL)!;
  return [book.trading_mode, one.trading_mode, contract.trading_mode, market.trading_mode];
}

test('trading modes are in /orderbook, /instruments and /markets at once, and each change on market_updates', (t) => {
  const bench = new Bench(t);
  assert.deepEqual(modesOf(bench), ['orderbook', 'orderbook', 'orderbook', 'orderbook']);
  const { body } = bench.answer('subscribe', { channel: 'market_updates', key: '' });
  const { topic, seq } = JSON.parse(body) as { topic: number; seq: number };
  const { write } = bench.venue;
  const halt = (mode: number, underlying = -1, contract: typeof CALL_100 | null = null): void => {
    bench.venue.venue(write.tradingMode(mode, underlying, contract));
    bench.feed();
  };
  halt(2, 0, CALL_100);
  assert.deepEqual(modesOf(bench), ['halted', 'halted', 'halted', 'orderbook']);
  halt(1, 0);
  assert.deepEqual(modesOf(bench), ['halted', 'halted', 'halted', 'cancel_only']);
  halt(0, 0, CALL_100);
  assert.deepEqual(modesOf(bench), ['cancel_only', 'cancel_only', 'cancel_only', 'cancel_only']);
  halt(2);
  assert.deepEqual(modesOf(bench), ['halted', 'halted', 'halted', 'halted']);
  const told = bench.sent.filter((one) => one.topic === topic).map(({ message }) => message);
  const of = { type: 'MarketUpdate', action: 'TradingMode', timestamp: bench.venue.now };
  assert.deepEqual(told, [
    { ...of, scope: CALL_100_SYMBOL, trading_mode: 'halted', seq: seq + 1 },
    { ...of, scope: 'BTC', trading_mode: 'cancel_only', seq: seq + 2 },
    { ...of, scope: CALL_100_SYMBOL, trading_mode: 'orderbook', seq: seq + 3 }, { ...of, scope: '', trading_mode: 'halted', seq: seq + 4 },
  ]);
});

test('the list of accounts comes in pages, each row once, and a mode filters it', (t) => {
  const bench = new Bench(t);
  const { write } = bench.venue;
  for (const wallet of [1, 2, 3, 4, 5]) bench.venue.send(write.place({ ...CALL_100, wallet, nonce: 1, side: BUY, price: 1e6, size: 1e6 }));
  bench.venue.venue(write.walletMode(2, 2));
  bench.venue.venue(write.walletMode(4, 1));
  bench.venue.settle();
  bench.feed();
  const page = (offset: number, mode?: 'open' | 'close_only' | 'blocked') => (
    bench.body<{ data: Row[]; next_offset: number | null }>('accounts', { limit: 2, offset, ...(mode && { mode }) })
  );
  const rows: Row[] = [];
  for (let next: number | null = 0; next !== null;) {
    const { data, next_offset: after } = page(next);
    rows.push(...data);
    next = after;
  }
  assert.deepEqual(rows.map(({ wallet, mode, open_orders: open }) => [wallet, mode, open]), [
    [walletText(1), 'open', 1], [walletText(2), 'blocked', 0], [walletText(3), 'open', 1], [walletText(4), 'close_only', 1],
    [walletText(5), 'open', 1],
  ]);
  const blocked = page(0, 'blocked').data.map(({ wallet, tier, balance }) => [wallet, tier, balance]);
  assert.deepEqual(blocked, [[walletText(2), 'default', '10000000']]);
  assert.deepEqual(page(99), { success: true, data: [], next_offset: null });
});
