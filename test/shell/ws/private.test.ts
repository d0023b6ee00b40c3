// Private channels of a real venue: what clients get on two workers, and what they get again after the venue was killed. The numbers and
// messages are the same, with none missing and none twice.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bulk, createWallet, Http, signerFor, type RequestSigner, type Wallet } from '../../../scripts/client.ts';
import { socketError } from '../../support/socket-error.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';

type Message = Record<string, any>;

const TOKEN = 'a-token-of-the-private-tests';
const CHANNELS = ['fills', 'order_updates', 'portfolio', 'liquidation', 'competition'];

/** A socket of one wallet, or of nobody, that keeps what it is told. */
class Listener {
  readonly frames: Message[] = [];
  readonly socket: WebSocket;

  constructor(url: string, wallet: string | null) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/ws${wallet === null ? '' : `?wallet=${wallet}`}`);
    this.socket.onmessage = ({ data }) => this.frames.push(JSON.parse(data as string) as Message);
  }

  async until(isSo: () => boolean): Promise<void> {
    for (let i = 0; i < 6_000 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(isSo(), `nothing more after ${JSON.stringify(this.frames.at(-1))}`);
  }

  /** The answer to a Subscribe: Subscribed or Error. */
  async subscribe(channel: string, more: object = {}): Promise<Message> {
    await this.until(() => this.frames.some(({ type }) => type === 'Hello'));
    const from = this.frames.length;
    this.socket.send(JSON.stringify({ type: 'Subscribe', channel, ...more }));
    const answer = (): Message | undefined => this.frames.slice(from).find(({ type }) => type === 'Subscribed' || type === 'Error');
    await this.until(() => answer() !== undefined);
    return answer()!;
  }

  of(...types: string[]): Message[] {
    return this.frames.filter(({ type }) => types.includes(type));
  }
}

const folder = fs.mkdtempSync(join(tmpdir(), 'strikebook-private-'));
let venue: VenueProcess;
let http: Http;
let sign: RequestSigner;
let symbol = '';
const [maker, taker] = [createWallet(), createWallet()] as [Wallet, Wallet];

async function start(): Promise<void> {
  venue = await VenueProcess.start({
    data: join(folder, 'data'),
    flags: ['--feed', 'manual', '--clock-start', '2026-01-05T00:00:00Z', '--admin-token', TOKEN, '--workers', '2', '--rate-limits', 'off'],
  });
  await venue.ready();
  http = new Http(venue.url);
  sign = await signerFor(http);
}

async function get(path: string): Promise<Message> {
  return (await http.get(path)).body as Message;
}

function post(path: string, body: object): Promise<unknown> {
  return http.send({ method: 'POST', path, body: JSON.stringify(body), headers: { authorization: `Bearer ${TOKEN}` } });
}

async function place(wallet: Wallet, side: 'Buy' | 'Sell', size: string, tif: 'gtc' | 'ioc' = 'gtc'): Promise<void> {
  const { body } = await http.send(sign.placeOrder(wallet, { symbol, side, size, price: '2000', tif }));
  assert.equal((body as Message)['status'], 'ACKED', JSON.stringify(body));
}

before(async () => {
  await start();
  for (const [underlying, price] of [['BTC', '100000'], ['ETH', '4000']]) await post('/admin/index-price', { underlying, price });
  const instruments = await get('/instruments?currency=BTC') as unknown as { instrument_name: string }[];
  symbol = instruments.find(({ instrument_name: name }) => name.endsWith('-100000-C'))!.instrument_name;
});

after(async () => {
  http.close();
  await venue.kill();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('without a wallet a private channel is refused, and so is from_seq where nothing can be resumed', async () => {
  const nobody = new Listener(venue.url, null);
  for (const channel of CHANNELS) {
    assert.deepEqual(await nobody.subscribe(channel), socketError('unauthorized', 'Authentication required for this channel'));
  }
  assert.equal((await nobody.subscribe('trades', { from_seq: 1 }))['type'], 'Error');
  nobody.socket.close();
});

test('the portfolio stream starts with GET /portfolio, then margin mode and fills arrive live', async () => {
  const listener = new Listener(venue.url, maker.address);
  for (const channel of CHANNELS) assert.deepEqual(await listener.subscribe(channel), { type: 'Subscribed', channel, seq: 0 });
  await listener.until(() => listener.of('PortfolioUpdate').length === 1);
  const { type, update_type, timestamp, seq, ...initial } = listener.of('PortfolioUpdate')[0]!;
  const asked = await get(`/portfolio?wallet=${maker.address}`);
  assert.deepEqual([type, update_type, seq, timestamp], ['PortfolioUpdate', 'Initial', 0, initial['portfolio_snapshot_timestamp_ms']]);
  assert.deepEqual({ ...initial, portfolio_snapshot_timestamp_ms: 0 }, { ...asked, portfolio_snapshot_timestamp_ms: 0 });
  await http.send(sign.setMarginMode(maker, 'portfolio'));
  const told = (kind: string): Message[] => listener.of('PortfolioUpdate').filter((one) => one['update_type'] === kind);
  await listener.until(() => told('MarginUpdate').length > 0);
  assert.equal(told('MarginUpdate')[0]!['margin_mode'], 'portfolio');
  assert.equal(typeof told('MarginUpdate')[0]!['span_margin'].scanning_risk, 'string');
  await place(maker, 'Sell', '3');
  await place(taker, 'Buy', '1', 'ioc');
  await listener.until(() => told('PositionUpdate').length === 1);
  const { position } = told('PositionUpdate')[0]!;
  assert.deepEqual([position.symbol, position.amount, position.entry_price], [symbol, '-1', '2000']);
  const texts = listener.of('Fill', 'OrderUpdate').map((one) => one['status'] ?? one['type']);
  assert.deepEqual(texts, ['ACKED', 'OPEN', 'Fill', 'PARTIALLY_FILLED']);
  listener.socket.close();
});

test('after kill -9 and a restart, missed messages come again on every worker, then the live ones', async () => {
  const first = new Listener(venue.url, maker.address);
  for (const channel of ['fills', 'order_updates']) await first.subscribe(channel, { from_seq: 0 });
  await place(taker, 'Buy', '0.5', 'ioc');
  await place(maker, 'Sell', '1');
  await first.until(() => first.of('Fill').length === 2 && first.of('OrderUpdate').length === 6);
  await venue.kill();
  http.close();
  await start();
  const told = new Listener(venue.url, maker.address);
  const other = new Listener(venue.url, maker.address);
  for (const listener of [told, other]) {
    assert.deepEqual(await listener.subscribe('fills', { from_seq: 1 }), { type: 'Subscribed', channel: 'fills', seq: 1 });
    assert.deepEqual(await listener.subscribe('order_updates', { from_seq: 2 }), { type: 'Subscribed', channel: 'order_updates', seq: 2 });
  }
  await place(taker, 'Buy', '0.25', 'ioc');
  for (const listener of [told, other]) {
    await listener.until(() => listener.of('Fill').length >= 2 && listener.of('OrderUpdate').length >= 5);
    assert.deepEqual(listener.of('Fill').slice(0, 1), first.of('Fill').slice(1), 'the same message');
    assert.deepEqual(listener.of('OrderUpdate').slice(0, 4), first.of('OrderUpdate').slice(2));
    assert.deepEqual(listener.of('Fill').map(({ seq }) => seq), [2, 3]);
    assert.deepEqual(listener.of('OrderUpdate').map(({ seq }) => seq), [3, 4, 5, 6, 7]);
  }
  const portfolio = await told.subscribe('portfolio');
  await told.until(() => told.of('PortfolioUpdate').length > 0);
  const { seq, positions } = told.of('PortfolioUpdate')[0]!;
  assert.equal(portfolio['seq'], seq);
  assert.equal((positions as Message[])[0]!['amount'], '-1.75');
  const refused = socketError('invalid_parameter', 'Cannot resume fills from seq 9: newest is 3');
  assert.deepEqual(await told.subscribe('fills', { from_seq: 9 }), refused);
  await place(taker, 'Buy', '0.25', 'ioc');
  await other.until(() => other.of('Fill').length === 3);
  assert.equal(told.of('Fill').length, 2, 'an Error leaves no subscription');
  // A stream that is taken up while it runs begins once more, and goes on once.
  await other.subscribe('fills', { from_seq: 0 });
  await place(taker, 'Buy', '0.25', 'ioc');
  await other.until(() => other.of('Fill').some(({ seq: number }) => number === 5));
  await other.subscribe('liquidation');
  assert.deepEqual(other.of('Fill').map(({ seq: number }) => number), [2, 3, 4, 1, 2, 3, 4, 5]);
  for (const listener of [told, other, first]) listener.socket.close();
});

test('a wallet with hundreds of positions gets messages longer than a record of the ring', async () => {
  const [buyer, seller] = [createWallet(), createWallet()] as [Wallet, Wallet];
  for (const wallet of [buyer, seller]) {
    await place(wallet, 'Buy', '0.01', 'ioc');
    await post('/user-tier', { wallet: wallet.address, tier: 'market_maker' });
  }
  const contracts = (await Promise.all(['BTC', 'ETH'].map((currency) => get(`/instruments?currency=${currency}`)))).flat() as Message[];
  const symbols = contracts.map((one) => one['instrument_name'] as string).filter((name) => !name.endsWith('-PERP')).slice(0, 450);
  for (let i = 0; i < symbols.length; i += 50) {
    for (const [wallet, side, tif] of [[seller, 'Sell', 'gtc'], [buyer, 'Buy', 'ioc']] as const) {
      const orders = symbols.slice(i, i + 50).map((name) => sign.placeOrder(wallet, { symbol: name, side, size: '0.01', price: '1', tif }));
      await http.send(bulk('POST /bulk_order', orders));
    }
  }
  assert.equal((await get(`/portfolio?wallet=${buyer.address}`))['positions'].length, symbols.length);
  const listener = new Listener(venue.url, buyer.address);
  await listener.subscribe('portfolio');
  await post('/admin/index-price', { underlying: 'BTC', price: '100100' });
  const told = (): Message[] => listener.of('PortfolioUpdate').filter((one) => one['update_type'] === 'GreeksUpdate');
  await listener.until(() => told().length > 0);
  assert.equal(told()[0]!['per_leg'].length, symbols.length);
  assert.ok(JSON.stringify(told()[0]).length > 65_536);
  const seqs = listener.of('PortfolioUpdate').map((one) => one['seq'] as number);
  assert.deepEqual(seqs, seqs.map((_, i) => seqs[0]! + i));
  listener.socket.close();
});
