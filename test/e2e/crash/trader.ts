// One client of the crash run: a wallet with two agents that places, quotes, cancels and approves, one request at a time, and records
// every answer. What it knows of its orders follows from those answers alone, so that it can check whatever the venue shows later. It
// never trades with itself, because such cancels come without an answer. Sizes are integers of 1e-6 contracts, prices whole USDC. Orders
// that wait for a trigger, at once or for ever, have a contract of their own, in which nothing meets.

import type { OrderTerms, QuoteTerms } from '../../../client/src/forms.ts';
import type { QuoteAnswer } from '../../../shell/http/shapes/trading.ts';
import {
  createWallet, NoAnswer, type Answer, type Http, type OrderUpdate, type Request, type RequestSigner, type Wallet,
} from '../../../scripts/client.ts';
import { Page, QUOTE_SET } from './page.ts';

export type Market = { readonly symbol: string; readonly mid: number };
type Work =
  | { readonly kind: 'place'; readonly terms: OrderTerms }
  | { readonly kind: 'cancel' | 'cancelByCloid'; readonly orderId: number }
  | { readonly kind: 'quote'; readonly line: QuoteTerms }
  | { readonly kind: 'approve' | 'revoke'; readonly agent: string };
/** A signed request, and what came of it: null while that is not known. */
export type Entry = { readonly request: Request; readonly signer: string; readonly work: Work; answer: Answer | null };

export type Own = {
  readonly terms: OrderTerms;
  readonly size: number;
  /** What it took when it was placed. */
  readonly taken: number;
  /** The least that is known to have filled; exact once it is done. */
  filled: number;
  /** 'open': nothing says otherwise. */
  state: 'open' | 'filled' | 'canceled';
  /** It was seen in the book, so that it waits no more. */
  hasFired: boolean;
};

/** What was lost or done twice, in words, and how often what happened. */
export type Ledger = {
  readonly lost: string[]; readonly doubled: string[]; readonly counts: Map<string, number>;
  /** Told of every answer. */
  readonly onAnswer: (trader: string, entry: Entry) => void;
};

export function count(ledger: Ledger, what: string): void {
  ledger.counts.set(what, (ledger.counts.get(what) ?? 0) + 1);
}

export const UNITS = 1_000_000;
/** Open orders beyond which a trader rather cancels. */
const OPEN_ORDERS = 15;
/** Half the width of the prices around the middle, as a share of it: about half of the orders cross. */
const WIDTH = 0.01;
/** Values of the index that are never reached, and always. */
const NEVER = 900_000_000;
export const ALWAYS = 1;
/** Longer than a venue is down. */
const VALID_MS = 50_000;

export const unitsOf = (text: string | number): number => Math.round(Number(text) * UNITS);

/** A venue, or whichever node of one leads. */
export type Sender = Pick<Http, 'get' | 'send'>;

export class Trader {
  readonly wallet: Wallet = createWallet();
  readonly orders = new Map<number, Own>();
  /** Approved by an answer and not revoked by one. */
  readonly agents = new Set<string>();
  /** Of this cycle, in the order they were sent. */
  entries: Entry[] = [];
  /** The request whose outcome is not known, if any: nothing else is sent before it is. */
  unknown: Entry | null = null;
  readonly #agentWallets = [createWallet(), createWallet()];
  readonly #signer: RequestSigner;
  readonly #markets: readonly Market[];
  readonly #random: () => number;
  readonly #ledger: Ledger;
  readonly #open = new Set<number>();
  readonly #quiet: Market;
  readonly page: Page;
  #clientIds = 0;

  /** `quiet`: the contract of quotes and of orders that wait. */
  constructor(signer: RequestSigner, markets: readonly Market[], quiet: Market, random: () => number, ledger: Ledger) {
    this.#signer = signer;
    this.#markets = markets;
    this.#quiet = quiet;
    this.page = new Page(quiet, random, ledger);
    this.#random = random;
    this.#ledger = ledger;
  }

  /** Sends until the venue stops answering, or `isOver`. */
  async trade(http: Sender, isOver: () => boolean): Promise<void> {
    while (!isOver() && this.unknown === null) {
      if (this.#random() < 0.02 && this.orders.size > 0) {
        if (!await this.#look(http)) return;
      } else if (!await this.#act(http, this.#next())) return;
    }
  }

  /** Sends the request of unknown outcome again, the very same bytes, until it has one. */
  async resolve(http: Sender): Promise<void> {
    for (let tries = 0; this.unknown !== null && tries < 50; tries++) {
      const answer = await http.send(this.unknown.request);
      if (answer.status >= 500) continue;
      const wasDone = answer.headers['idempotent-replay'] === 'true';
      count(this.#ledger, wasDone ? 'unknown, had acted' : 'unknown, had not acted');
      this.#note(this.unknown, answer);
      this.unknown = null;
    }
    if (this.unknown !== null) throw new Error(`no outcome for ${this.unknown.request.body}`);
  }

  /** The order is done, by an answer or by what the venue shows. */
  markDone(orderId: number, own: Own, state: 'filled' | 'canceled', filled: number): void {
    own.state = state;
    own.filled = filled;
    this.#open.delete(orderId);
  }

  /** False when the venue did not answer. */
  async #act(http: Sender, entry: Entry): Promise<boolean> {
    this.entries.push(entry);
    try {
      const answer = await http.send(entry.request);
      if (answer.status === 500) this.unknown = entry;
      else this.#note(entry, answer);
      return true;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.unknown = entry;
      return false;
    }
  }

  #next(): Entry {
    const { wallet } = this;
    const roll = this.#random();
    const agents = this.#agentWallets;
    const agent = agents[Math.floor(this.#random() * agents.length)]!;
    const signer = this.agents.has(agent.address) && this.#random() < 0.4 ? agent : wallet;
    const entry = (request: Request, work: Work, by = signer): Entry => ({ request, signer: by.address, work, answer: null });
    if (roll < 0.01) return entry(this.#signer.approveAgent(wallet, agent.address), { kind: 'approve', agent: agent.address }, wallet);
    if (roll < 0.015) return entry(this.#signer.revokeAgent(wallet, agent.address), { kind: 'revoke', agent: agent.address }, wallet);
    if (roll > 0.85) {
      const line = this.page.next();
      const terms = { quote_set: QUOTE_SET, quotes: [line], valid_until: Date.now() + VALID_MS };
      return entry(this.#signer.massQuote(wallet, terms, signer), { kind: 'quote', line });
    }
    if (roll > 0.8) {
      const terms = this.#waiting();
      return entry(this.#signer.placeOrder(wallet, terms, signer), { kind: 'place', terms });
    }
    const target = this.#target(roll);
    if (target === null) {
      const terms = this.#terms();
      return entry(this.#signer.placeOrder(wallet, terms, signer), { kind: 'place', terms });
    }
    const clientId = this.orders.get(target)!.terms.client_id ?? '';
    const byClientId = clientId !== '' && this.#random() < 0.6;
    const request = byClientId ? this.#signer.cancelByCloid(wallet, clientId, signer) : this.#signer.cancel(wallet, target, signer);
    return entry(request, { kind: byClientId ? 'cancelByCloid' : 'cancel', orderId: target });
  }

  /** An order to cancel, mostly an open one, now and then one that is done; null: place one. */
  #target(roll: number): number | null {
    const candidates = roll < 0.04 ? [...this.orders.keys()].slice(-30) : [...this.#open];
    const share = this.#open.size > OPEN_ORDERS ? 0.7 : 0.3;
    if (candidates.length === 0 || roll > share) return null;
    return candidates[Math.floor(this.#random() * candidates.length)]!;
  }

  #terms(): OrderTerms {
    const { symbol, mid } = this.#markets[Math.floor(this.#random() * this.#markets.length)]!;
    const side = this.#random() < 0.5 ? 'Buy' : 'Sell';
    const drawn = Math.round(mid * (1 + WIDTH * (2 * this.#random() - 1)));
    const price = String(Math.max(1, this.#besideOwn(symbol, side, drawn)));
    const size = String((1 + Math.floor(this.#random() * 5)) / 100);
    const roll = this.#random();
    const tif = roll < 0.75 ? 'gtc' : roll < 0.9 ? 'ioc' : 'fok';
    const clientId = this.#random() < 0.4 ? `order-${++this.#clientIds}` : '';
    return { symbol, side, size, price, tif, client_id: clientId };
  }

  #waiting(): OrderTerms {
    const { symbol, mid } = this.#quiet;
    const size = String((1 + Math.floor(this.#random() * 5)) / 100);
    const trigger = { by: 'index', direction: 'above', price: String(this.#random() < 0.5 ? ALWAYS : NEVER) } as const;
    const price = String(Math.max(1, Math.round(mid * (0.4 + 0.2 * this.#random()))));
    return {
      symbol, side: 'Buy', size, price, tif: 'gtc', client_id: `order-${++this.#clientIds}`, trigger, valid_until: Date.now() + VALID_MS,
    };
  }

  /** The price, moved so far that it cannot meet an own order that may be open. */
  #besideOwn(symbol: string, side: 'Buy' | 'Sell', price: number): number {
    for (const orderId of this.#open) {
      const { terms } = this.orders.get(orderId)!;
      if (terms.symbol !== symbol || terms.side === side) continue;
      price = side === 'Buy' ? Math.min(price, Number(terms.price) - 1) : Math.max(price, Number(terms.price) + 1);
    }
    return price;
  }

  /** Takes an answer down and draws from it what it says of our orders and agents. */
  #note(entry: Entry, answer: Answer): void {
    entry.answer = answer;
    this.#ledger.onAnswer(this.wallet.address, entry);
    const { work } = entry;
    count(this.#ledger, 'answers');
    if (answer.status !== 200) {
      count(this.#ledger, `${work.kind} ${answer.status}`);
      return;
    }
    if ('agent' in work) {
      const { success } = answer.body as { success: boolean };
      count(this.#ledger, `${work.kind} ${success}`);
      if (success && work.kind === 'approve') this.agents.add(work.agent);
      if (success && work.kind === 'revoke') this.agents.delete(work.agent);
      return;
    }
    if (work.kind === 'quote') {
      this.page.note(work.line, answer.body as QuoteAnswer);
      return;
    }
    const update = answer.body as OrderUpdate;
    count(this.#ledger, `${work.kind} ${update.status}`);
    if (work.kind === 'place') this.#notePlaced(work.terms, update);
    else this.#noteCancel(work.orderId, update);
  }

  #notePlaced(terms: OrderTerms, { status, order_id: orderId, filled_size: filledSize }: OrderUpdate): void {
    if (status !== 'ACKED' || orderId === null) return;
    if (this.orders.has(orderId)) this.#ledger.doubled.push(`order id ${orderId} was given twice`);
    const size = unitsOf(terms.size);
    const taken = unitsOf(filledSize);
    const rests = taken < size && terms.tif === 'gtc';
    const state = rests ? 'open' : taken === size ? 'filled' : 'canceled';
    this.orders.set(orderId, { terms, size, taken, filled: taken, state, hasFired: false });
    if (rests) this.#open.add(orderId);
    if (terms.trigger !== undefined) count(this.#ledger, 'waits');
    else count(this.#ledger, rests ? (taken > 0 ? 'rested in part' : 'rested') : `${terms.tif} ${state}`);
  }

  #noteCancel(orderId: number, { status, reason, filled_size: filledSize }: OrderUpdate): void {
    const own = this.orders.get(orderId)!;
    if (status === 'CANCELED') {
      if (own.state !== 'open') this.#ledger.doubled.push(`order ${orderId} was ${own.state} and is cancelled again`);
      const filled = unitsOf(filledSize);
      if (filled < own.filled) this.#ledger.lost.push(`order ${orderId} is cancelled with ${filled} units filled, known are ${own.filled}`);
      this.markDone(orderId, own, 'canceled', filled);
      return;
    }
    if (/already filled/.test(reason ?? '')) {
      if (own.state === 'canceled') this.#ledger.lost.push(`order ${orderId} was cancelled and is called filled`);
      else this.markDone(orderId, own, 'filled', own.size);
    } else if (/already cancelled/.test(reason ?? '')) {
      if (own.state !== 'canceled') this.#ledger.lost.push(`order ${orderId} was ${own.state} and is called cancelled`);
    } else this.#ledger.lost.push(`order ${orderId}: ${reason}`);
  }

  /** Reads its newest orders under load: what it sees is binding for every later look. */
  async #look(http: Sender): Promise<boolean> {
    const newest = [...this.orders.keys()].at(-1)!;
    try {
      const { status, body } = await http.get(`/orders?wallet=${this.wallet.address}&limit=50`);
      if (status !== 200) return true;
      const rows = (body as { data: { order_id: number; filled_size: string; quote_set?: string }[] }).data
        .filter((row) => row.quote_set === undefined);
      if (!rows.some((row) => row.order_id === newest)) this.#ledger.lost.push(`order ${newest}: not in a read after its answer`);
      for (const { order_id: orderId, filled_size: filledSize } of rows) {
        const own = this.orders.get(orderId);
        if (own === undefined) this.#ledger.doubled.push(`order ${orderId} of ${this.wallet.address} is no answer's`);
        else if (own.state === 'open') own.filled = Math.max(own.filled, unitsOf(filledSize));
      }
      count(this.#ledger, 'reads');
      return true;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return false;
    }
  }
}
