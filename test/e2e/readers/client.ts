// One client of the run: a wallet that trades by socket and REST, subscribes to its private streams and one symbol's trades and book, and
// reads what it has just written on another connection, perhaps on another api thread. It loses its connection now and then and resumes
// its streams, also while they run. Each fault is described; what was seen is counted.

import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, Http, NoAnswer, type OrderUpdate, type Request, type RequestSigner } from '../../../scripts/client.ts';
import type { Random } from '../../sim/random.ts';
import { ChannelBook } from '../../support/channel-book.ts';
import { Connection } from './connection.ts';
import { microsOf, StreamCheck } from './stream-check.ts';

type Body = Record<string, any>;

/** What all clients share; `trades`: the text of each by symbol and seq, the same for whoever is told it. */
export type Shared = {
  readonly url: string; readonly http: Http; readonly signer: RequestSigner; readonly symbols: readonly string[]; readonly mid: number;
  readonly trades: Map<string, string>; readonly fault: (text: string) => void; readonly count: (what: string) => void;
};

const MOST_OPEN = 12;
/** Of 100 requests after which a client does more than to read what it wrote. */
const OFTEN = { book: 20, takeUp: 8, lose: 2 };
const FOLDS = 400;
const TRADES = 50_000;
const SETTLED_WITHIN_MS = 60_000;
const ENDS = new Set(['canceled', 'filled']);
const IS_DONE = /^Order \d+ (is already filled|was already cancelled)/;

export class Client {
  readonly told: StreamCheck;
  readonly #shared: Shared;
  readonly #random: Random;
  readonly #symbol: string;
  readonly #wallet = createWallet();
  /** Orders that an answer left open. */
  readonly #open = new Set<number>();
  #connection: Connection | null = null;
  #book = new ChannelBook();
  #trade = 0;
  /** The book as it was folded, by seq, and what was read of seqs that are not told yet. */
  readonly #folds = new Map<number, string>();
  readonly #reads = new Map<number, string>();

  constructor(shared: Shared, random: Random, index: number) {
    this.#shared = shared;
    this.#random = random;
    this.#symbol = shared.symbols[index % shared.symbols.length]!;
    this.told = new StreamCheck((text) => this.#fault(text));
  }

  async open(): Promise<void> {
    const connection = await Connection.open(this.#shared.url, this.#wallet.address, (message, text) => this.#hear(message, text));
    this.#connection = connection;
    this.#book = new ChannelBook();
    this.#folds.clear();
    this.#reads.clear();
    for (const [channel, type] of [['fills', 'Fill'], ['order_updates', 'OrderUpdate']] as const) await this.#takeUp(channel, type, 0);
    for (const channel of ['trades', 'book']) await this.#ask({ type: 'Subscribe', channel, symbols: [this.#symbol] });
  }

  /** One request, the read of what it wrote, and perhaps more. What fails is a fault. */
  async act(): Promise<void> {
    try {
      await this.#act();
    } catch (error) {
      this.#fault((error as Error).stack!);
    }
  }

  async #act(): Promise<void> {
    const ids = [...this.#open];
    const id = ids.length > 0 ? this.#random.pick(ids) : null;
    if (id !== null && (ids.length >= MOST_OPEN || this.#random.chance(0.25))) await this.#cancel(id);
    else if (id !== null && this.#random.chance(0.2)) await this.#replace(id);
    else await this.#place();
    const dice = this.#random.between(1, 100);
    if (dice <= OFTEN.book) await this.#readBook();
    else if (dice <= OFTEN.book + OFTEN.takeUp) await this.#takeUpRunning();
    else if (dice <= OFTEN.book + OFTEN.takeUp + OFTEN.lose) await this.#lose();
  }

  /** Ends what is open, and compares what was told with what the venue says at last. */
  async settle(): Promise<void> {
    await this.#shared.http.send(this.#shared.signer.cancelAll(this.#wallet));
    let differs = '';
    for (const until = performance.now() + SETTLED_WITHIN_MS; performance.now() < until; await sleep(50)) {
      differs = await this.#difference();
      if (differs === '') break;
    }
    if (differs !== '') this.#fault(`at the end ${differs}`);
    await this.#connection!.close();
  }

  async #difference(): Promise<string> {
    const { body } = await this.#shared.http.get(`/portfolio?wallet=${this.#wallet.address}`);
    const shown = ((body as Body)['positions'] as Body[]).map(({ symbol, amount }) => [symbol as string, microsOf(amount)] as const);
    const sums = [...this.told.positions].filter(([, units]) => units !== 0);
    const [of, told] = [new Map(shown), new Map(sums)];
    if (of.size !== told.size || shown.some(([symbol, units]) => told.get(symbol) !== units)) {
      return `positions are ${JSON.stringify(shown)}, fills told sum up to ${JSON.stringify(sums)}`;
    }
    return this.told.open.length > 0 ? `orders ${this.told.open.join()} were not told to have ended` : '';
  }

  async #place(): Promise<void> {
    const terms = { ...this.#terms(), tif: this.#random.chance(0.8) ? 'gtc' as const : 'ioc' as const };
    const update = await this.#send('PlaceOrder', this.#shared.signer.placeOrder(this.#wallet, terms));
    if (update === null) return;
    if (update.status !== 'ACKED') return this.#shared.count(`place ${update.status}`);
    if (terms.tif === 'gtc' && microsOf(update.filled_size) < microsOf(terms.size)) this.#open.add(update.order_id!);
    await this.#readOwn(update.order_id!, ({ filled_size: filled }) => microsOf(filled) >= microsOf(update.filled_size));
  }

  async #cancel(id: number): Promise<void> {
    this.#open.delete(id);
    const update = await this.#send('CancelOrder', this.#shared.signer.cancel(this.#wallet, id));
    const isCanceled = update?.status === 'CANCELED';
    await this.#readOwn(id, ({ status }) => status === 'canceled' || (!isCanceled && status === 'filled'));
  }

  async #replace(id: number): Promise<void> {
    const terms = this.#terms();
    const update = await this.#send('ReplaceOrder', this.#shared.signer.replaceOrder(this.#wallet, id, terms));
    if (update === null || update.status !== 'ACKED') return;
    this.#open.delete(id);
    this.#open.add(update.order_id!);
    await this.#readOwn(update.order_id!, ({ filled_size: filled }) => microsOf(filled) >= microsOf(update.filled_size));
    await this.#readOwn(id, ({ status }) => status === 'canceled');
  }

  #terms(): { symbol: string; side: 'Buy' | 'Sell'; size: string; price: string } {
    const { symbols, mid } = this.#shared;
    const price = String(mid + this.#random.between(-3, 3));
    const size = (this.#random.between(1, 5) / 100).toFixed(2);
    return { symbol: this.#random.pick(symbols), side: this.#random.chance(0.5) ? 'Buy' : 'Sell', size, price };
  }

  /** Null when it was refused: its order was done. */
  async #send(type: string, request: Request): Promise<OrderUpdate | null> {
    const isBySocket = this.#random.chance(0.6);
    const way = isBySocket ? 'socket' : 'REST';
    const answer = isBySocket ? await this.#connection!.send(type, request.body!) : await this.#post(request);
    const isAnswered = typeof answer['status'] === 'string';
    this.#shared.count(`${type} by ${way} ${isAnswered ? answer['status'] : 'refused'}`);
    if (!isAnswered && !IS_DONE.test(String(answer['message']))) this.#fault(`${type} by ${way}: ${JSON.stringify(answer)}`);
    return isAnswered ? answer as OrderUpdate : null;
  }

  /**
   * The venue may end an idle connection as it is used again: the same bytes then go out once more, and act once. By a new connection:
   * in an hour of it another that had been idle as long was ended in the same way.
   */
  async #post(request: Request): Promise<Body> {
    try {
      return (await this.#shared.http.send(request)).body as Body;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.#shared.count('answer lost, asked again');
      const fresh = new Http(this.#shared.http.url);
      return await fresh.send(request).then(({ body }) => body as Body).finally(() => fresh.close());
    }
  }

  /** A read is never behind an answer: on whichever connection and api thread. */
  async #readOwn(id: number, isRight: (row: Body) => boolean): Promise<void> {
    const { body, text } = await this.#shared.http.get(`/orders?wallet=${this.#wallet.address}`);
    const row = ((body as Body)['data'] as Body[]).find((one) => one['order_id'] === id);
    if (row === undefined || !isRight(row)) {
      return this.#fault(`a read behind the answer about order ${id}: ${row === undefined ? text : JSON.stringify(row)}`);
    }
    if (ENDS.has(row['status'] as string)) this.#open.delete(id);
    this.#shared.count('own write read');
  }

  async #readBook(): Promise<void> {
    const { body } = await this.#shared.http.get(`/orderbook?instrument_name=${this.#symbol}&depth=500`);
    const { change_id: seq, bids, asks } = body as Body;
    const fold = this.#folds.get(seq as number);
    const read = JSON.stringify([bids, asks]);
    if (fold !== undefined) this.#compareBook(seq as number, fold, read);
    else if (this.#book.seq === null || (seq as number) > this.#book.seq) this.#reads.set(seq as number, read);
  }

  #compareBook(seq: number, fold: string, read: string): void {
    this.#shared.count('book read = fold of its changes');
    if (fold !== read) this.#fault(`the book at ${seq} is ${read}, its changes make ${fold}`);
  }

  /** And places an order meanwhile, so that something happens between the question and the answer. */
  async #takeUpRunning(): Promise<void> {
    const [channel, type] = this.#random.pick([['fills', 'Fill'], ['order_updates', 'OrderUpdate']] as const);
    await Promise.all([this.#takeUp(channel, type, this.#random.between(0, 5)), this.#place()]);
    this.#shared.count('stream taken up while it ran');
  }

  /** From `back` messages before the last. */
  async #takeUp(channel: string, type: 'Fill' | 'OrderUpdate', back: number): Promise<void> {
    const from = Math.max(0, this.told.lastSeq(type) - back);
    const { seq } = await this.#ask({ type: 'Subscribe', channel, from_seq: from });
    if (seq !== from) this.#fault(`${channel} from ${from} begins behind ${seq}`);
  }

  /** Others trade with its orders meanwhile. */
  async #lose(): Promise<void> {
    await this.#connection!.close();
    await sleep(this.#random.between(0, 300));
    this.told.isResumed = true;
    await this.open();
    this.#shared.count('connection lost and streams taken up');
  }

  async #ask(message: Body): Promise<Body> {
    const answer = await this.#connection!.ask(message);
    if (answer['type'] !== 'Subscribed') this.#fault(`${JSON.stringify(message)} was answered ${JSON.stringify(answer)}`);
    return answer;
  }

  #hear(message: Body, text: string): void {
    const { type, channel, seq, symbol } = message;
    if (type === 'Fill' || type === 'OrderUpdate') {
      this.told.take(message, text);
      if (ENDS.has(String(message['status']).toLowerCase())) this.#open.delete(message['order_id'] as number);
    } else if (type === 'BookUpdate') this.#fold(message);
    else if (type === 'Trade') this.#hearTrade(`${symbol} ${seq}`, seq as number, text);
    else if (type === 'Subscribed') this.#trade = channel === 'trades' ? seq as number : this.#trade;
    else if (type !== 'Hello') this.#fault(`an unexpected message ${text}`);
  }

  #fold(message: Body): void {
    try {
      this.#book.apply(message);
    } catch (error) {
      return this.#fault(`book: ${(error as Error).message} at ${JSON.stringify(message)}`);
    }
    const { seq, bids, asks } = this.#book;
    const fold = JSON.stringify([bids, asks]);
    this.#folds.set(seq!, fold);
    if (this.#folds.size > FOLDS) this.#folds.delete(this.#folds.keys().next().value!);
    for (const [at, read] of this.#reads) {
      if (at === seq) this.#compareBook(at, fold, read);
      // Books may jump over the seq that was read.
      if (at <= seq!) this.#reads.delete(at);
    }
  }

  #hearTrade(name: string, seq: number, text: string): void {
    if (seq !== ++this.#trade) this.#fault(`trades of ${this.#symbol}: ${text} where ${this.#trade} is due`);
    const { trades, count } = this.#shared;
    const before = trades.get(name);
    if (before === undefined) {
      trades.set(name, text);
      if (trades.size > TRADES) trades.delete(trades.keys().next().value!);
    } else if (before === text) count('trade told alike');
    else this.#fault(`a trade told otherwise: ${before} and ${text}`);
  }

  #fault(text: string): void {
    this.#shared.fault(`${this.#wallet.address}: ${text}`);
  }
}
