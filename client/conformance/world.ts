// What anybody can bring about in a venue: new wallets with test money, orders, a trade, an agent. The orders that are left open are
// cancelled at the end.

import { connect, createPrivateKey, Forms, privateKeySigner, roundPrice, type Strikebook, type Unsigned } from '../src/main.ts';
import type { Answer, Target } from './checks.ts';

type Traders = readonly [Strikebook, Strikebook, Strikebook];
type Ask = () => Promise<Answer>;
type Way = { readonly method: string; readonly path: string };

export class World {
  readonly buyer: Strikebook;
  readonly seller: Strikebook;
  /** Holds nothing. */
  readonly idle: Strikebook;
  /** The seller's, for requests that the client library would not make. */
  readonly raw: Forms;
  /** The option nearest the money of a later expiry, a price at which nobody sells, and its mark. */
  readonly symbol: string;
  readonly low: string;
  readonly mark: string;
  /** Values of parameters by name. */
  readonly values: Record<string, string>;
  /** A good request of each signed endpoint, by method and path. */
  readonly good: Readonly<Record<string, Ask>>;
  readonly #target: Target;
  #orders = 0;

  static async open(target: Target): Promise<World> {
    const trader = (): Promise<Strikebook> => connect(target.url, { signer: privateKeySigner(createPrivateKey()) });
    const traders = [await trader(), await trader(), await trader()] as const;
    const [buyer] = traders;
    const instruments = await buyer.get('/instruments', { currency: 'BTC' });
    const summaries = await buyer.get('/options-summary', { currency: 'BTC' });
    const index = Number(summaries[0]?.underlying_price ?? NaN);
    const last = Math.max(...instruments.map(({ expiration_timestamp: at }) => at));
    const calls = instruments.filter((one) => one.option_type === 'call' && one.expiration_timestamp === last);
    const nearest = calls.reduce((a, b) => (Math.abs(a.strike! - index) <= Math.abs(b.strike! - index) ? a : b));
    const { mark_price: mark } = await buyer.get('/orderbook', { instrument_name: nearest.instrument_name });
    return new World(target, traders, nearest.instrument_name, { mark, expiry: last });
  }

  private constructor(
    target: Target, [buyer, seller, idle]: Traders, symbol: string, { expiry, mark }: { readonly expiry: number; readonly mark: number },
  ) {
    this.#target = target;
    this.buyer = buyer;
    this.seller = seller;
    this.idle = idle;
    this.raw = new Forms(seller.info, seller.wallet, { areAmountsRaw: true });
    this.symbol = symbol;
    this.mark = roundPrice(mark, 'near');
    this.low = roundPrice(mark / 10, 'down');
    this.values = {
      wallet: buyer.wallet, currency: 'BTC', expiry: new Date(expiry).toISOString().slice(0, 10), symbol, instrument_name: symbol,
      resolution: '1m', interval: '5m', start_time_ms: '0', end_time_ms: '60000', username: nameOf(buyer),
    };
    this.good = this.#goodRequests();
  }

  /** Opens both accounts, and makes a trade, an order and a name that reads can show. */
  async build(): Promise<readonly string[]> {
    const faults: string[] = [];
    const terms = { symbol: this.symbol, size: '0.1', price: this.mark } as const;
    const rested = await this.seller.placeOrder({ ...terms, side: 'Sell' });
    const taken = await this.buyer.placeOrder({ ...terms, side: 'Buy', tif: 'ioc' });
    if (rested.status !== 'ACKED') faults.push(`an order at the mark is ${rested.status}: ${rested.reason}`);
    if (taken.filled_size !== 0.1) faults.push(`an order against it fills ${taken.filled_size}: ${taken.reason}`);
    const { order_id: id } = await this.buyer.placeOrder({ ...terms, side: 'Buy', price: this.low, client_id: 'first' });
    this.values['order_id'] = String(id);
    const trade = (await this.buyer.get('/fills', { wallet: this.buyer.wallet, limit: 1 })).data[0];
    if (trade?.trade_id != null) this.values['trade_id'] = String(trade.trade_id);
    const { data: [competition] } = await this.buyer.get('/competitions', {});
    if (competition !== undefined) this.values['competition_id'] = this.values['id'] = String(competition.id);
    await this.buyer.setUsername(nameOf(this.buyer));
    return faults;
  }

  /** Null: it names something that this venue does not have. */
  pathOf(path: string): string | null {
    const [, name] = /\{(\w+)\}/.exec(path) ?? [];
    if (name === undefined) return path;
    return this.values[name] === undefined ? null : path.replace(`{${name}}`, this.values[name]);
  }

  /** A new order that rests. */
  async rest(clientId = ''): Promise<number> {
    const terms = { symbol: this.symbol, side: 'Buy', size: '0.1', price: this.low, client_id: clientId } as const;
    const { order_id: id, reason } = await this.seller.placeOrder(terms);
    if (id === null) throw new Error(`an order far from the market is refused: ${reason}`);
    return id;
  }

  async end(): Promise<void> {
    await Promise.all([this.buyer.cancelAll(''), this.seller.cancelAll('')]);
  }

  /** Signed by the client library, sent as it is. `to`: another path or method of the same request. */
  async sent(trader: Strikebook, unsigned: Unsigned<unknown>, to: Partial<Way> = {}): Promise<Answer> {
    const { body, method, path } = await trader.sign(unsigned);
    return this.#target.send(to.method ?? method, to.path ?? path, body);
  }

  #goodRequests(): Record<string, Ask> {
    const { buyer, idle, low, seller, symbol } = this;
    const { forms } = seller;
    const order = { symbol, side: 'Buy', size: '0.1', price: low } as const;
    const own = (make: () => Unsigned<unknown>, to = {}): Ask => () => this.sent(seller, make(), to);
    const resting = (make: (id: number) => Unsigned<unknown>, to = {}): Ask => async () => this.sent(seller, make(await this.rest()), to);
    const named = (make: (id: string) => Unsigned<unknown>, to = {}): Ask => async () => {
      const id = `named-${++this.#orders}`;
      await this.rest(id);
      return this.sent(seller, make(id), to);
    };
    const agent = (): string => privateKeySigner(createPrivateKey()).address;
    const approved = (make: (agent: string) => Unsigned<unknown>, to = {}): Ask => async () => {
      const one = agent();
      await this.sent(seller, forms.approveAgent(one, undefined));
      return this.sent(seller, make(one), to);
    };
    const mmp = { currency: 'BTC', interval_ms: 1_000, frozen_time_ms: 1_000, qty_limit: '1000' };
    const reading = (path: string, body: object): Ask => () => this.#target.send('POST', path, body);
    return {
      'POST /approve-agent': own(() => forms.approveAgent(agent(), undefined)),
      'POST /revoke-agent': approved((one) => forms.revokeAgent(one), { method: 'POST', path: '/revoke-agent' }),
      'DELETE /revoke-agent': approved((one) => forms.revokeAgent(one), { method: 'DELETE', path: '/revoke-agent' }),
      'DELETE /revoke-all-agents': own(() => forms.revokeAllAgents()),
      'POST /order': own(() => forms.placeOrder(order)),
      'PUT /order': resting((id) => forms.replaceOrder({ ...order, order_id: id, size: '0.2' })),
      'POST /amend': resting((id) => forms.amendOrder({ order_id: id, size: '0.05', price: low })),
      'DELETE /order': resting((id) => forms.cancelOrder(id), { method: 'DELETE', path: '/order' }),
      'POST /cancel': resting((id) => forms.cancelOrder(id), { method: 'POST', path: '/cancel' }),
      'DELETE /order_cloid': named((id) => forms.cancelOrderByClientId(id), { method: 'DELETE', path: '/order_cloid' }),
      'POST /cancel-by-cloid': named((id) => forms.cancelOrderByClientId(id), { method: 'POST', path: '/cancel-by-cloid' }),
      'POST /cancel-all': own(() => forms.cancelAll('')),
      'POST /cancel-after': own(() => forms.cancelAfter(0)),
      'POST /cancel-on-disconnect': own(() => forms.setCancelOnDisconnect({ enabled: false, grace_ms: 0 })),
      'POST /bulk_order': own(() => forms.placeOrders([order, { ...order, size: '0.2' }])),
      'PUT /bulk_order': resting((id) => forms.replaceOrders([{ ...order, order_id: id, size: '0.2' }])),
      'PUT /bulk_amend': resting((id) => forms.amendOrders([{ order_id: id, size: '0.05', price: low }])),
      'DELETE /bulk_order': resting((id) => forms.cancelOrders([id])),
      'DELETE /bulk_order_cloid': named((id) => forms.cancelOrdersByClientId([id])),
      'POST /void-nonces': () => this.sent(idle, idle.forms.voidNonces(0)),
      'POST /profile/username-request': () => this.sent(idle, idle.forms.requestUsername(nameOf(idle))),
      'POST /margin-mode': () => this.sent(idle, idle.forms.setMarginMode('portfolio')),
      'POST /username': own(() => forms.setUsername(nameOf(seller))),
      'POST /mmp/config': own(() => forms.setMmp(mmp)),
      'POST /mmp/reset': own(() => forms.resetMmp('BTC')),
      'DELETE /mmp/config': own(() => forms.deleteMmp('BTC')),
      'POST /limit_iv': reading('/limit_iv', { symbol, iv: 0.5 }),
      'POST /risk/simulate/portfolio': reading('/risk/simulate/portfolio', { positions: [{ symbol, amount: '1' }] }),
      'POST /risk/simulate/orders': reading('/risk/simulate/orders', {
        wallet: buyer.wallet, orders: [{ symbol, side: 'Buy', size: '1', price: low }],
      }),
    };
  }
}

/** Nobody else's. */
function nameOf({ wallet }: Strikebook): string {
  return `c_${wallet.slice(2, 18)}`;
}
