// Terms of extended orders in a run (post-only, self-trade prevention, expires_at, valid_until, links): drawn here, remembered from the
// requests, and checked from events: who is post-only takes nothing, nothing that has expired trades, prevention ends the order that it
// says, and what an order of a link fills leaves each other one at once, no more and no less. Shares only codes and layouts with the core.

import assert from 'node:assert/strict';
import { BUY, CONTRACT, GTC, IOC, MINUTE, SECOND, SELL } from '../../core/units.ts';
import { ITEM_NUMBERS } from '../../core/codec/batch-items.ts';
import { BYTE_LINK_ID, BYTE_ORDER_FLAGS, FLAG_ENTRY, FLAG_REDUCE_ONLY, POST_ONLY_REJECT, POST_ONLY_SLIDE, STP_CANCEL_BOTH, STP_CANCEL_MAKER,
  STP_CANCEL_TAKER } from '../../core/codec/commands.ts';
import { DONE_LINKED, DONE_NO_ENTRY, DONE_ORDER_EXPIRED, DONE_SELF_TRADE, OK, ORDER_EXPIRED, TOO_LATE, TOO_MANY_LINKED, TOO_MANY_TRIGGERS,
  WOULD_TAKE } from '../../core/errors.ts';
import * as E from '../../core/codec/events.ts';
import { MAX_ORDER_AMOUNT, MAX_SIZE } from '../../core/limits.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { copyOfRecord, writeBatch } from '../support/batch.ts';
import type { OrderFields } from '../support/records.ts';
import { isQuote, openOrders, termsIn } from '../support/raw.ts';
import { accountOf, CLIENT_IDS, contractOf, fiveFigures, type RunContext } from './draw.ts';
import { CODES } from './names.ts';
import { Dialect } from './dialect.ts';
import type { Guard } from './guard.ts';
import type { Random } from './random.ts';

/** How an order comes to the venue, for the histogram. */
type Way = 'place' | 'replace' | 'bulk' | 'trigger';
type Known = {
  readonly account: number; readonly instrument: number; readonly link: string; readonly expiresAt: number; readonly postOnly: number;
  readonly stp: number; readonly isReduceOnly: boolean;
  /** Size that is left, and how much of it linked fills must still take off. */
  left: number; owed: number;
  isWaiting: boolean;
};

const LINKS = ['a', 'b', 'l'.repeat(32)];
const MOST_LINKED = 8;
/** The smallest of the caps on waiting orders. */
const LEAST_TRIGGERS = 10;
const STPS = ['cancel_maker', 'cancel_taker', 'cancel_both'];

/** Some terms for an order, or none; some of them have it refused. */
function drawTerms(random: Random, now: number, order: OrderFields): OrderFields {
  if (random.chance(0.6)) return order;
  const terms: OrderFields = { ...order, stp: random.pick([STP_CANCEL_MAKER, STP_CANCEL_TAKER, STP_CANCEL_TAKER, STP_CANCEL_BOTH]) };
  if (random.chance(0.3)) Object.assign(terms, { tif: GTC, postOnly: random.pick([POST_ONLY_REJECT, POST_ONLY_SLIDE]) });
  if (random.chance(0.4)) terms.expiresAt = now + random.pick([0, 1, SECOND, 20 * SECOND, MINUTE, 30 * MINUTE]);
  if (random.chance(0.3)) terms.validUntil = now + random.pick([0, 1, 10 * SECOND, 10 * SECOND, 10 * SECOND]);
  if (random.chance(0.4)) terms.linkId = random.pick(LINKS);
  return terms;
}

export class Terms {
  private readonly state: State;
  private readonly dialect: Dialect;
  private readonly known = new Map<number, Known>();
  /** The order being sent; the order that trades at the moment. */
  private sent: OrderFields | null = null;
  /** Orders of the batch being sent, by item. */
  private items: (OrderFields | null)[] = [];
  private isBatch = false;
  private groups = 0;
  private taker = 0;
  private isAmend = false;
  private count: (bucket: string) => void;

  /** Starts from the present state. */
  constructor(state: State, guard: Guard, count: (bucket: string) => void) {
    this.state = state;
    this.dialect = new Dialect(state, guard);
    this.count = count;
    for (const order of openOrders(state).filter((one) => !isQuote(one))) {
      const { account, entry, flags, id, instrument, remaining, slot } = order;
      const isReduceOnly = (flags & FLAG_REDUCE_ONLY) !== 0;
      this.known.set(id, { ...termsIn(state, slot), account, instrument, isReduceOnly, left: remaining, owed: 0, isWaiting: entry === 0 });
    }
  }

  /** Sends an order, `replaced` for one in another's place, and checks the code. */
  order(way: Way, order: OrderFields, { send, venue }: RunContext, replaced = 0): number {
    const { clock } = this.state;
    const time = Math.max(venue.now, clock[TIME]!);
    this.sent = order;
    const code = send(replaced === 0 ? venue.write.place(order) : venue.write.replace(order, replaced));
    this.sent = null;
    const { expiresAt = 0, linkId = '', postOnly = 0, stp = 0, triggerBy = 0, validUntil = 0 } = order;
    const isLate = validUntil !== 0 && validUntil <= time;
    const isOver = expiresAt !== 0 && expiresAt <= time;
    if (code === OK) assert.ok(!isLate && !isOver, 'terms: an order comes after its time');
    if (code === TOO_LATE) assert.ok(isLate, 'terms: an order in time is too late');
    if (code === ORDER_EXPIRED) assert.ok(isOver, 'terms: an order in time has expired');
    if (code === WOULD_TAKE) assert.ok(postOnly !== 0 && this.isInTheWay(order, replaced), 'terms: nothing is in the way');
    if (code === TOO_MANY_LINKED) assert.ok(this.linked(order, replaced) >= MOST_LINKED, 'terms: the link has a place');
    if (code === TOO_MANY_TRIGGERS) assert.ok(triggerBy !== 0 && this.waiting(order.wallet) >= LEAST_TRIGGERS, 'terms: too few wait');
    const name = CODES.get(code);
    if (postOnly !== 0) this.count(`${way} with ${postOnly === POST_ONLY_SLIDE ? 'slide' : 'reject'} ${name}`);
    if (postOnly === POST_ONLY_SLIDE && code === WOULD_TAKE) this.count('slide past the bounds');
    if (expiresAt !== 0) this.count(`${way} with expires_at ${name}`);
    if (validUntil !== 0) this.count(`${way} with valid_until ${name}`);
    if (stp !== 0) this.count(`${way} with ${STPS[stp]} ${name}`);
    if (linkId !== '') this.count(`${way} with link_id ${name}`);
    return code;
  }

  private isInTheWay({ underlying, expiry, strike, kind, price, side }: OrderFields, replaced: number): boolean {
    return openOrders(this.state).some((other) => {
      const contract = contractOf(this.state, other.instrument);
      return contract.underlying === underlying && contract.expiry === expiry && contract.strike === strike && contract.kind === kind
        && other.entry !== 0 && other.id !== replaced && other.side !== side
        && (side === BUY ? other.price <= price : other.price >= price);
    });
  }

  private linked({ wallet, linkId = '', ...order }: OrderFields, replaced: number): number {
    const account = accountOf(this.state, wallet);
    return [...this.known].filter(([id, one]) => {
      const { underlying, expiry, strike, kind } = contractOf(this.state, one.instrument);
      return id !== replaced && one.account === account && one.link === linkId && underlying === order.underlying && expiry === order.expiry
        && strike === order.strike && kind === order.kind;
    }).length;
  }

  private waiting(wallet: number): number {
    const account = accountOf(this.state, wallet);
    return openOrders(this.state).filter((order) => order.account === account && order.entry === 0).length;
  }

  hear(kind: number, f: Float64Array): void {
    this.dialect.hear(kind, f);
    const id = f[E.ORDER_ID]!;
    const order = this.known.get(id);
    switch (kind) {
      case E.BATCH_ITEM: this.sent = this.items[f[E.ITEM_PLACE]!]!; return;
      case E.ORDER_ACCEPTED: this.accept(id, f); return;
      case E.ORDER_UNTRIGGERED: order!.isWaiting = true; return;
      case E.ORDER_TRIGGERED: case E.ORDER_AMENDED:
        this.taker = id;
        order!.isWaiting = false;
        order!.left = kind === E.ORDER_AMENDED ? f[E.ORDER_REASON]! : f[E.ORDER_SIZE]!;
        return;
      case E.ORDER_RESTED: this.taker = 0; return;
      case E.FILL: this.fill(f); return;
      case E.ORDER_SHRUNK: if (order !== undefined) this.shrink(order, f[E.ORDER_REASON]!); return;
      case E.ORDER_DONE: if (order !== undefined) this.end(id, order, f[E.ORDER_REASON]!); return;
      default:
    }
  }

  private accept(id: number, f: Float64Array): void {
    const { expiresAt = 0, linkId = '', postOnly = 0, stp = 0, flags = 0 } = this.sent ?? {};
    const link = this.isBatch ? linkOfItem(this.state) : linkId;
    this.taker = id;
    this.known.set(id, {
      account: f[E.ACCOUNT]!, instrument: f[E.ORDER_INSTRUMENT]!, link, expiresAt, postOnly, stp,
      isReduceOnly: (flags & FLAG_REDUCE_ONLY) !== 0, left: f[E.ORDER_SIZE]!, owed: 0, isWaiting: false,
    });
  }

  private fill(f: Float64Array): void {
    const time = this.state.clock[TIME]!;
    const taker = this.known.get(f[E.FILL_TAKER_ORDER]!);
    if (taker !== undefined) assert.equal(taker.postOnly, 0, 'terms: a post-only order takes');
    for (const id of [f[E.FILL_MAKER_ORDER]!, f[E.FILL_TAKER_ORDER]!]) {
      const order = this.known.get(id);
      if (order === undefined) continue;
      assert.ok(order.expiresAt === 0 || order.expiresAt > time, 'terms: an order is filled after its time');
      assert.equal(order.owed, 0, 'terms: an order is filled that a link has not shrunk');
      order.left -= f[E.FILL_SIZE]!;
      this.share(id, order, f[E.FILL_SIZE]!);
    }
  }

  /** What an order of a link is filled is owed by the others. */
  private share(filled: number, { account, instrument, link }: Known, size: number): void {
    if (link === '') return;
    for (const [id, one] of this.known) {
      if (id === filled || one.link !== link || one.account !== account || one.instrument !== instrument) continue;
      one.owed += size;
      this.count('linked order owes');
    }
  }

  private shrink(order: Known, left: number): void {
    const by = order.left - left;
    const isFree = order.isReduceOnly || this.isAmend;
    assert.ok(by > 0 && (isFree || by === order.owed), 'terms: a link takes off what was filled, and nothing else shrinks an order');
    if (order.owed > 0) this.count(`linked order shrinks ${order.isWaiting ? 'while it waits' : 'in its book'}`);
    order.left = left;
    order.owed = Math.max(0, order.owed - by);
  }

  private end(id: number, order: Known, reason: number): void {
    const where = order.isWaiting ? 'while it waits' : 'in its book';
    if (reason === DONE_LINKED) {
      assert.ok(order.owed >= order.left, 'terms: a link ends an order of which something is left');
      this.count(`linked order ends ${where}`);
    }
    if (reason === DONE_ORDER_EXPIRED) {
      assert.ok(order.expiresAt !== 0 && order.expiresAt <= this.state.clock[TIME]!, 'terms: an order expires before its time');
      this.count(`order expires ${where}`);
    }
    if (reason === DONE_SELF_TRADE) this.prevent(id);
    if (reason === DONE_NO_ENTRY) {
      assert.ok(order.isWaiting && order.isReduceOnly, 'terms: only what waits to reduce ends with its entry');
      this.count('order ends with its entry');
    }
    this.known.delete(id);
    if (id === this.taker) this.taker = 0;
  }

  /** The order ends because it met, or was met by, one of its wallet. */
  private prevent(id: number): void {
    const stp = this.known.get(this.taker)?.stp ?? STP_CANCEL_MAKER;
    const isTaker = id === this.taker;
    assert.ok(isTaker ? stp !== STP_CANCEL_MAKER : stp !== STP_CANCEL_TAKER, 'terms: prevention ends the other order');
    this.count(`self-trade ${STPS[stp]}`);
  }

  /** Between commands. */
  settled(): void {
    for (const [id, order] of this.known) if (order.owed !== 0) assert.fail(`terms: order ${id} still owes ${order.owed} to its link`);
  }

  /** `isIdle`: the core reports no work due by `time`. */
  check(state: State, isIdle: boolean, time: number): void {
    this.dialect.check();
    const groups = new Map<string, number>();
    for (const order of openOrders(state)) {
      const one = this.known.get(order.id);
      if (one === undefined) continue;
      assert.equal(one.left, order.remaining, `terms: what is left of order ${order.id}`);
      assert.ok(!isIdle || one.expiresAt === 0 || one.expiresAt > time, `terms: order ${order.id} outlives its time`);
      if (one.link === '') continue;
      if (termsIn(state, order.slot).awaitsEntry) {
        this.count('order that awaits its entry');
        const entry = openOrders(state).find(({ account, slot }) => account === order.account && termsIn(state, slot).entryOf === one.link);
        assert.ok(entry !== undefined && entry.remaining === entry.size, `terms: order ${order.id} awaits an entry that is gone or filled`);
      }
      const group = `${one.account}/${one.instrument}/${one.link}`;
      groups.set(group, (groups.get(group) ?? 0) + 1);
      assert.ok(groups.get(group)! <= MOST_LINKED, 'terms: too many in a link');
    }
  }

  act(action: 'place' | 'perp' | 'trigger' | 'replace' | 'amend' | 'linked' | 'stops' | 'bulk' | 'batch', means: RunContext): void {
    const { anyone, draw, random, send, venue: { state, now, write } } = means;
    switch (action) {
      case 'place': case 'perp':
        this.order('place', drawTerms(random, now, draw.order(state, anyone, action === 'perp')), means);
        return;
      case 'trigger': this.order('trigger', drawTerms(random, now, draw.waiting(state, anyone)), means); return;
      case 'replace': {
        const old = draw.openOrder(state);
        this.order('replace', drawTerms(random, now, draw.order(state, old.wallet, random.chance(0.3))), means, old.id);
        return;
      }
      case 'amend': {
        const { id, wallet } = draw.openOrder(state);
        this.isAmend = true;
        send(write.amendOrder(wallet, draw.nonce(wallet), draw.amend(state, id)));
        this.isAmend = false;
        return;
      }
      case 'linked': this.chain(means); return;
      case 'stops': this.stops(means); return;
      case 'bulk': this.bulk(means); return;
      case 'batch': this.batch(means);
    }
  }

  /** A full link on both sides of the book, one order more by each way, and a taker that meets some of it. */
  private chain(means: RunContext): void {
    const { anyone: wallet, draw, random, venue: { state, now } } = means;
    const slot = draw.option(state);
    const [contract, mark, size] = [contractOf(state, slot), Math.max(1_000, state.valuation.mark[slot]!), random.between(1, 2_000)];
    const link = random.pick(LINKS);
    const rung = (side: number, away: number, by = wallet): OrderFields => ({
      ...contract, wallet: by, nonce: draw.nonce(by), side, size: size + random.between(0, 3), tif: GTC,
      price: fiveFigures(mark * (side === BUY ? 1 - away : 1 + away)),
    });
    for (let at = 0; at < MOST_LINKED; at++) {
      const order = { ...rung(at % 2 === 0 ? BUY : SELL, 0.02 + at / 100), linkId: link };
      if (random.chance(0.8)) this.order('place', order, means);
      else this.order('trigger', aimed(order, state.valuation.index[state.instruments.underlying[slot]!]!), means);
    }
    this.order('place', { ...rung(BUY, 0.5), linkId: link }, means);
    this.order('trigger', aimed({ ...rung(BUY, 0.5), linkId: link }, 1e9), means);
    this.order('bulk', { ...rung(BUY, 0.5), linkId: link }, means);
    if (this.order('place', rung(BUY, 0.4), means) === OK) {
      const old = state.result.numbers[0]!;
      this.order('replace', { ...rung(BUY, 0.5), linkId: link }, means, old);
      this.order('replace', { ...rung(BUY, -0.9), postOnly: POST_ONLY_REJECT }, means, old);
    }
    if (random.chance(0.2)) {
      this.order('place', { ...rung(SELL, 0), price: 1, size: 50 * size }, means);
      this.order('place', { ...rung(BUY, 0), postOnly: POST_ONLY_SLIDE }, means);
    }
    if (random.chance(0.2)) return;
    const taker = rung(random.pick([BUY, SELL]), -0.2, draw.wallet());
    const part = Math.max(1, Math.floor(size * random.pick([0.1, 0.5, 1, 1, 3])));
    this.order('place', drawTerms(random, now, { ...taker, tif: IOC, size: part }), means);
  }

  /** More waiting orders than a wallet of a small tier may have. */
  private stops(means: RunContext): void {
    const { anyone: wallet, draw, random, send, venue: { state, now, write } } = means;
    send(write.tier(wallet, 1));
    const slot = draw.option(state);
    const index = state.valuation.index[state.instruments.underlying[slot]!]!;
    for (let at = 0; at <= LEAST_TRIGGERS; at++) {
      const order = { ...draw.order(state, wallet, false), ...contractOf(state, slot), clientId: '', tif: random.pick([GTC, IOC]) };
      this.order('trigger', drawTerms(random, now, aimed(order, index * (0.9 + at / 50))), means);
    }
  }

  /** Orders of one request, some in the place of others. */
  private bulk(means: RunContext): void {
    const { anyone: wallet, draw, random, venue: { state, now } } = means;
    for (let left = random.between(2, 6); left > 0; left--) {
      const old = random.chance(0.3) ? draw.openOrder(state) : null;
      const order = drawTerms(random, now, draw.order(state, old?.wallet ?? wallet, random.chance(0.3)));
      this.order('bulk', order, means, old?.id ?? 0);
    }
  }

  /** An entry, near the mark, and triggers that close what it opens. */
  private group(wallet: number, { draw, random, venue: { state, write } }: RunContext): Uint8Array<ArrayBuffer>[] {
    const linkId = `tpsl-${++this.groups}`;
    const slot = draw.option(state);
    const entry = { ...draw.order(state, wallet, false), ...contractOf(state, slot), linkId, flags: FLAG_ENTRY };
    const index = state.valuation.index[state.instruments.underlying[slot]!]!;
    const exits = [0.97, 1, 1.03].slice(random.between(0, 2)).map((part) => ({
      ...aimed(entry, index * part), side: 1 - entry.side, clientId: '', flags: FLAG_REDUCE_ONLY, tif: random.pick([GTC, IOC]),
    }));
    this.items.push(entry, ...exits);
    return [entry, ...exits].map((order) => copyOfRecord(write.place(order)));
  }

  /** Orders, replaces and cancels under one signature, some of them of orders that an item before has ended. */
  private batch(means: RunContext): void {
    const { anyone: wallet, draw, random, send, venue: { state, now, write } } = means;
    this.items = [];
    this.dialect.begin();
    const records = Array.from({ length: random.between(0, 8) }, (_, place) => {
      const old = draw.openOrder(state);
      const kind = random.between(0, 9);
      this.items.push(null);
      if (kind === 0) return copyOfRecord(write.cancel(wallet, 0, old.id));
      if (kind === 1) return copyOfRecord(write.cancelByClientId(wallet, 0, random.pick(CLIENT_IDS)));
      if (random.chance(0.1)) return this.dialect.item(place, wallet, means);
      const drawn = random.chance(0.1) ? draw.waiting(state, wallet) : draw.order(state, wallet, random.chance(0.3));
      const order = drawTerms(random, now, drawn);
      this.items[this.items.length - 1] = order;
      return copyOfRecord(kind < 4 ? write.replace(order, random.pick([0, old.id])) : write.place(order));
    });
    if (random.chance(0.4)) records.push(...random.chance(0.7) ? this.group(wallet, means) : this.exits(wallet, means));
    const until = random.chance(0.1) ? now : 0;
    this.isBatch = true;
    const code = send(writeBatch(write, { wallet, nonce: draw.nonce(wallet) }, records, { until, rate: random.pick([0, 1, 2]) }));
    this.isBatch = false;
    this.sent = null;
    this.count(`batch ${CODES.get(code)}`);
    const { answered, answers } = state.result;
    for (let at = 0; at < answered; at += ITEM_NUMBERS) this.count(`item ${CODES.get(answers[at]!)}`);
    if (code === OK) this.dialect.done(wallet, this.count);
  }

  /** Triggers that close a position, however large it is, of a contract or a perp. */
  private exits(wallet: number, { draw, random, venue: { state, write } }: RunContext): Uint8Array<ArrayBuffer>[] {
    const held = draw.order(state, wallet, random.chance(0.5));
    const exits = [0.98, 1.02].map((part, at): OrderFields => ({
      ...held, side: random.pick([BUY, SELL]), size: Math.min(MAX_SIZE, Math.floor(MAX_ORDER_AMOUNT / held.price) * CONTRACT),
      clientId: '', flags: FLAG_REDUCE_ONLY, tif: random.pick([GTC, IOC]), linkId: `all-${this.groups}`, triggerBy: 3,
      triggerDirection: 1 + at, triggerPrice: fiveFigures(held.price * part),
    }));
    this.groups++;
    this.items.push(...exits);
    this.count('exits of a position');
    return exits.map((order) => copyOfRecord(write.place(order)));
  }
}

/** With what the order that it replaces has given it. An entry is no member. */
function linkOfItem({ item: { u8 } }: State): string {
  if ((u8[BYTE_ORDER_FLAGS]! & FLAG_ENTRY) !== 0) return '';
  return Buffer.from(u8.subarray(BYTE_LINK_ID + 4, BYTE_LINK_ID + 4 + u8[BYTE_LINK_ID]!)).toString('latin1');
}

/** With a trigger at this index or above. */
function aimed(order: OrderFields, price: number): OrderFields {
  return { ...order, triggerBy: 1, triggerDirection: 1, triggerPrice: fiveFigures(price) };
}
