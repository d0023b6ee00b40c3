// What a run creates in a venue: new wallets with test money, orders, a trade, an agent. With the operator's token also a competition and a
// market. Open orders are cancelled at the end.

import {
  connect, createPrivateKey, Forms, privateKeySigner, roundPrice, type Instrument, type OptionSummary, type Strikebook, type Unsigned,
} from '../src/main.ts';
import type { Answer, Target } from './checks.ts';

type Traders = readonly [Strikebook, Strikebook, Strikebook, Strikebook, Strikebook, Strikebook];
type Way = { readonly method: string; readonly path: string };
type Option = { readonly symbol: string; readonly mark: number };
/** `options`: those of later expiries. `deep`: of them the call and the put deepest in the money. */
type Market = {
  readonly nearest: Option; readonly expiry: string; readonly index: number;
  readonly options: readonly Option[]; readonly deep: readonly string[];
};

const MINUTE_MS = 60_000;
/** Of the run's own markets: above those of anybody else. */
const FIRST_STRIKE = 2_000_000;

export class World {
  readonly buyer: Strikebook;
  readonly seller: Strikebook;
  /** Holds nothing. */
  readonly idle: Strikebook;
  /** Asks for what is refused. */
  readonly asker: Strikebook;
  /** Fills its book of positions. */
  readonly taker: Strikebook;
  /** Restricted by the operator. */
  readonly operated: Strikebook;
  /** The asker's, for requests that the client library would not make. */
  readonly raw: Forms;
  readonly market: Market;
  /** The option nearest the money of the last expiry, its mark, a price at which nobody sells, and one at which nobody buys. */
  readonly symbol: string;
  readonly mark: string;
  readonly low: string;
  readonly high: string;
  /** Values of parameters by name. */
  readonly values: Record<string, string>;
  /** An order of the buyer that is filled. */
  filled = 0;
  readonly #target: Target;
  #markets = 0;

  static async open(target: Target): Promise<World> {
    const trader = (): Promise<Strikebook> => connect(target.url, { signer: privateKeySigner(createPrivateKey()) });
    const traders = [await trader(), await trader(), await trader(), await trader(), await trader(), await trader()] as const;
    return new World(target, traders, await marketOf(traders[0]));
  }

  private constructor(target: Target, [buyer, seller, idle, asker, taker, operated]: Traders, market: Market) {
    this.#target = target;
    this.buyer = buyer;
    this.seller = seller;
    this.idle = idle;
    this.asker = asker;
    this.taker = taker;
    this.operated = operated;
    this.raw = new Forms(asker.info, asker.wallet, { areAmountsRaw: true });
    this.market = market;
    const { expiry, nearest: { mark, symbol } } = market;
    this.symbol = symbol;
    this.mark = roundPrice(mark, 'near');
    this.low = roundPrice(mark / 10, 'down');
    this.high = roundPrice(mark * 1.2, 'up');
    this.values = {
      wallet: buyer.wallet, currency: 'BTC', expiry, symbol, instrument_name: symbol,
      resolution: '1m', interval: '5m', start_time_ms: '0', end_time_ms: '60000', username: nameOf(buyer),
    };
  }

  /** Opens accounts, and makes a trade, an order and a name that reads can show. */
  async build(): Promise<readonly string[]> {
    const { buyer, low, symbol } = this;
    const faults: string[] = [];
    if (this.#target.hasToken) await this.compete();
    const { reason, status } = await this.offer();
    if (status !== 'ACKED') faults.push(`an order at the mark is ${status}: ${reason}`);
    const taken = await this.buy(buyer);
    if (taken.filled_size !== 0.1) faults.push(`an order against it fills ${taken.filled_size}: ${taken.reason}`);
    this.filled = taken.order_id ?? 0;
    const { order_id: id } = await buyer.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low, client_id: 'first' });
    this.values['order_id'] = String(id);
    const trade = (await buyer.get('/fills', { wallet: buyer.wallet, limit: 1 })).data[0];
    if (trade?.trade_id != null) this.values['trade_id'] = String(trade.trade_id);
    const { data: [competition] } = await buyer.get('/competitions', {});
    if (competition !== undefined) this.values['competition_id'] = this.values['id'] = String(competition.id);
    await buyer.setUsername(nameOf(buyer));
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

  offer() {
    return this.seller.placeOrder({ symbol: this.symbol, side: 'Sell', size: '0.1', price: this.mark });
  }

  /** What is offered. */
  buy(trader: Strikebook) {
    return trader.placeOrder({ symbol: this.symbol, side: 'Buy', size: '0.1', price: this.high, tif: 'ioc' });
  }

  /** Free USDC. */
  async balance(trader: Strikebook): Promise<number> {
    return Number((await trader.get('/portfolio', { wallet: trader.wallet })).available_balance);
  }

  /** Of the venue, in ms. */
  async time(): Promise<number> {
    return (await this.buyer.get('/orderbook', { instrument_name: this.symbol })).timestamp;
  }

  /** A price of so many times the index. */
  ofIndex(times: number): string {
    return roundPrice(this.market.index * times, 'down');
  }

  async expired(): Promise<string | undefined> {
    const having = (status: string): Promise<Answer> => this.#target.get(`/instruments?currency=BTC&status=${status}`);
    const [waiting, settled] = [await having('EXPIRED_PENDING_PRICE'), await having('SETTLED')];
    return ([...waiting.body, ...settled.body] as readonly Instrument[])[0]?.instrument_name;
  }

  /** A symbol that nobody has listed, another run neither. */
  newMarket(): string {
    const strike = FIRST_STRIKE + 16 * Number(this.buyer.wallet.slice(0, 7)) + this.#markets++;
    return this.symbol.replace(/-\d+-[CP]$/, `-${strike}-C`);
  }

  /** A competition of one minute. */
  async compete(): Promise<Answer> {
    const start = await this.time();
    return this.#target.operate('POST', '/competitions', {
      name: 'Conformance', win_conditions: ['pnl'], primary_win_condition: 'pnl', start_ts_ms: start, end_ts_ms: start + MINUTE_MS,
    });
  }

  async end(): Promise<void> {
    for (const trader of [this.buyer, this.seller, this.idle, this.asker, this.taker, this.operated]) await trader.cancelAll('');
  }

  /** Signed by the client library, sent as it is. `to`: another path or method of the same request. */
  async sent(trader: Strikebook, unsigned: Unsigned<unknown>, to: Partial<Way> = {}): Promise<Answer> {
    const { body, method, path } = await trader.sign(unsigned);
    return this.#target.send(to.method ?? method, to.path ?? path, body);
  }
}

async function marketOf(trader: Strikebook): Promise<Market> {
  const instruments = (await trader.get('/instruments', { currency: 'BTC' })).filter((one) => one.trading_mode === 'orderbook');
  const summaries = await trader.get('/options-summary', { currency: 'BTC' });
  const marks = new Map(summaries.map((one: OptionSummary) => [one.instrument_name, one.mark_price]));
  const index = summaries[0]?.underlying_price ?? NaN;
  const last = Math.max(...instruments.map(({ expiration_timestamp: at }) => at));
  const sorted = instruments.toSorted((a, b) => b.expiration_timestamp - a.expiration_timestamp || a.strike - b.strike);
  const lastOnes = sorted.filter(({ expiration_timestamp: at }) => at === last);
  const calls = lastOnes.filter((one) => one.option_type === 'call');
  const nearest = calls.reduce((a, b) => (Math.abs(a.strike - index) <= Math.abs(b.strike - index) ? a : b));
  const deep = [calls[0]!, lastOnes.findLast((one) => one.option_type === 'put')!].map((one) => one.instrument_name);
  const option = ({ instrument_name: symbol }: Instrument): Option => ({ symbol, mark: marks.get(symbol) ?? 0 });
  return { nearest: option(nearest), expiry: new Date(last).toISOString().slice(0, 10), index, options: sorted.map(option), deep };
}

/** Nobody else's. */
export function nameOf({ wallet }: Strikebook): string {
  return `c_${wallet.slice(2, 18)}`;
}
