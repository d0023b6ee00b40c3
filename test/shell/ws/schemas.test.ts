// Every message type that a venue sends in a run with everything that makes one: each fits its schema exactly, each type and form occurs,
// and each comes from a channel that the table names.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CHANNELS, type Channel } from '../../../shell/ipc/channels.ts';
import { MESSAGES, type MessageSchema } from '../../../shell/http/shapes/messages.ts';
import { definitionsIn } from '../../../shell/http/shapes/shape.ts';
import { perp } from '../api/perps.ts';
import { freshNonce, order } from '../api/requests.ts';
import type { Signer } from '../api/wallets.ts';
import { DAILY, Desk, LONG, NEXT, someone } from '../../e2e/conformance/desk.ts';
import { closed, createAjv, type Validate } from '../describe/closed.ts';
import { SocketClient, type SocketMessage } from '../../support/socket.ts';

/** A quarter of an hour before the expiry: so many seconds for the trades, by the clock of the venue. */
const START = Date.UTC(2026, 0, 5, 7, 45);
const MINUTE = 60_000;
const rows: readonly Channel[] = CHANNELS;
const payloads = Object.entries<MessageSchema>(MESSAGES).map(([type, { payload }]) => (
  [type, closed(payload, { schemas: definitionsIn(payload) })] as const
));
/** What is written for a channel whose name has parts. */
const WRITTEN: Readonly<Record<string, string>> = { candles: 'candles:BTC:1m' };

let desk: Desk;
/** A wallet whose option is settled, and one that is liquidated; each listens to all channels. */
const [holder, debtor, other, rich] = [someone(), someone(), someone(), someone()];
const sockets = new Map<Signer, SocketClient>();

before(async () => {
  desk = await Desk.open({ start: new Date(START).toISOString(), speed: 60, caps: {} });
  for (const signer of [holder, debtor]) {
    await desk.rest(signer, { symbol: LONG, price: '1', tif: 'ioc' });
    sockets.set(signer, await listening(signer));
  }
  await live();
});
after(async () => {
  for (const socket of sockets.values()) socket.close();
  await desk?.close();
});

async function listening({ address }: Signer): Promise<SocketClient> {
  const socket = await SocketClient.open(desk.url);
  socket.send({ type: 'Authenticate', wallet: address });
  await socket.until(({ type }) => type === 'Authenticated');
  for (const { name } of rows) {
    socket.send({ type: 'Subscribe', channel: WRITTEN[name] ?? name, ...(name === 'options_chain' && { symbols: [LONG, NEXT, DAILY] }) });
    const { type, ...told } = await socket.until(({ type: one }) => one === 'Subscribed' || one === 'Error');
    assert.equal(type, 'Subscribed', `${name}: ${JSON.stringify(told)}`);
  }
  return socket;
}

/** Trades, a market of the operator, a price that ruins one, an expiry, and what a client may ask for beside orders. */
async function live(): Promise<void> {
  const index = (price: number): Promise<unknown> => desk.administer('/admin/index-price', { underlying: 'BTC', price: String(price) });
  const { body: { time_ms: time } } = await desk.get('/time');
  await desk.administer('/competitions', {
    name: 'Sprint', win_conditions: ['pnl'], primary_win_condition: 'pnl', start_ts_ms: START, end_ts_ms: time + 16 * MINUTE,
  });
  for (const symbol of [DAILY, LONG]) await desk.trade(holder, other, { symbol });
  await desk.rest(holder, { symbol: LONG, price: '7' });
  for (const [signer, side] of [[debtor, 'Buy'], [rich, 'Sell']] as const) {
    const taken = await desk.post('/order', perp(signer, { side, size: '900', price: '100000' }));
    assert.equal(taken.body.status, 'ACKED', taken.text);
  }
  const market = { symbol: 'BTC-20260327-123000-C' };
  await desk.administer('/markets', market);
  assert.equal((await desk.send('DELETE', '/markets', market, desk.admin)).status, 200);
  await entry(sockets.get(holder)!);
  const told = (signer: Signer, wanted: string): Promise<SocketMessage> => sockets.get(signer)!.until(({ type }) => type === wanted);
  await index(101_000);
  await sockets.get(debtor)!.until(({ type, rank }) => type === 'CompetitionUpdate' && rank === 1);
  await index(99_000);
  await told(debtor, 'CompetitionRankChange');
  await index(92_500);
  await told(debtor, 'LiquidationStateChange');
  await desk.expired();
  await desk.until(async () => {
    const price = { underlying: 'BTC', expiry: '2026-01-05', price: '101000' };
    return (await desk.post('/admin/settlement-price', price, desk.admin)).status === 200;
  });
  await told(holder, 'PositionExpired');
  await told(holder, 'CompetitionFinalStanding');
}

/** A bid far below the market. */
async function pageOfQuotes(): Promise<object> {
  const { body } = await desk.get('/time');
  const page = {
    quote_set: 'main', valid_until: body.time_ms + 50_000, crossing: 'reject', quotes: `${LONG} 1 1 - -`,
    nonce: freshNonce(),
  };
  const signature = holder.sign('MassQuote', {
    wallet: holder.address, quoteSet: page.quote_set, validUntil: page.valid_until, crossing: page.crossing, quotes: page.quotes,
    nonce: page.nonce,
  });
  return { wallet: holder.address, ...page, signature };
}

/** One order by socket, many, all cancelled, a page of quotes, and what is no message. */
async function entry(socket: SocketClient): Promise<void> {
  const place = (price: string): object => order(holder, { symbol: LONG, price });
  socket.send({ type: 'PlaceOrder', id: 1, ...place('8') });
  socket.send({ type: 'BulkPlaceOrder', id: 'two', orders: [place('9'), { ...place('9'), size: '2' }] });
  const nonce = freshNonce();
  const signature = holder.sign('CancelAll', { wallet: holder.address, scope: '', nonce });
  socket.send({ type: 'CancelAll', id: 3, wallet: holder.address, scope: '', nonce, signature });
  await socket.until(({ type }) => type === 'ActionResult');
  socket.send({ type: 'MassQuote', id: 'page', ...await pageOfQuotes() });
  await socket.until(({ type }) => type === 'QuoteResult');
  socket.send({ type: 'PlaceOrder', id: 4, ...place('8'), side: 'none' });
  await socket.until(({ type }) => type === 'OrderResult');
  socket.send({ type: 'Subscribe', channel: 'nothing' });
  await socket.until(({ type }) => type === 'Error');
  socket.send({ type: 'Unsubscribe', channel: 'trades' });
  await socket.until(({ type }) => type === 'Unsubscribed');
}

/** The type, and which form of it. */
function formOf({ type, update_type: update, action, status, is_snapshot: snapshot }: SocketMessage): string {
  return `${type} ${update ?? action ?? snapshot ?? (type === 'OrderUpdate' ? status : '')}`;
}

const FORMS = [
  'PortfolioUpdate Initial', 'PortfolioUpdate PositionUpdate', 'PortfolioUpdate BalanceUpdate', 'PortfolioUpdate MarginUpdate',
  'PortfolioUpdate GreeksUpdate', 'OptionsChainUpdate Upsert', 'OptionsChainUpdate Remove', 'MarketUpdate Created', 'MarketUpdate Deleted',
  'MarketUpdate Expired', 'OrderUpdate ACKED', 'OrderUpdate OPEN', 'OrderUpdate FILLED', 'OrderUpdate CANCELED', 'ActionResult CancelAll',
  'BookUpdate true', 'BookUpdate false',
];

test('every type and form occurs, and each message fits its schema', () => {
  const ajv = createAjv();
  const validators = new Map(payloads.map(([type, payload]): [string, Validate] => [type, ajv.compile(payload)]));
  const told = [...sockets.values()].flatMap((socket) => socket.told);
  const faults = told.flatMap((message) => {
    const validate = validators.get(message.type);
    if (validate === undefined) return [`${message.type} has no schema`];
    return validate(message) ? [] : [`${message.type}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(message).slice(0, 400)}`];
  });
  assert.deepEqual([...new Set(faults)].slice(0, 5), []);
  const seen = new Set(told.flatMap((message) => [message.type, formOf(message)]));
  assert.deepEqual([...Object.keys(MESSAGES), ...FORMS].filter((one) => !seen.has(one)), [], 'never told');
});

test('a message with a surplus, missing or wrongly typed field does not fit its schema', () => {
  const ajv = createAjv();
  const told = [...sockets.values()].flatMap((socket) => socket.told);
  for (const [type, payload] of payloads) {
    const validate = ajv.compile(payload);
    const message = told.find((one) => one.type === type)!;
    const [, second] = Object.keys(message);
    for (const wrong of [{ ...message, more: 1 }, { ...message, [second!]: undefined }, { ...message, [second!]: [[]] }]) {
      assert.equal(validate(JSON.parse(JSON.stringify(wrong))), false, JSON.stringify(wrong).slice(0, 200));
    }
  }
});

test('every streamed type belongs to a channel, and channels name only types with a schema', () => {
  const results = ['OrderResult', 'BulkOrderResult', 'QuoteResult', 'ActionResult'];
  const control = ['Hello', 'Subscribed', 'Unsubscribed', 'Authenticated', 'Error', ...results];
  const streamed = rows.flatMap(({ messages }) => messages);
  assert.deepEqual([...new Set([...streamed, ...control])].sort(), Object.keys(MESSAGES).sort());
});
