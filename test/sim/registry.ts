// Expected state of the registry, of cancel-all and of the operator's markets, computed from events and from the open orders at the time
// of a command, and compared with the raw arrays. Shares only layouts with the core.

import assert from 'node:assert/strict';
import { DONE_CANCEL_AFTER, DONE_DISCONNECTED } from '../../core/errors.ts';
import { FLAG_REDUCE_ONLY } from '../../core/codec/commands.ts';
import * as E from '../../core/codec/events.ts';
import type { State } from '../../core/engine/state.ts';
import { accountTotal, instrumentTotal, isQuote, nameIn, openOrders, termsIn } from '../support/raw.ts';

const ACTIVE = 1;
const DELETED = 4;
/** Numbers of an item of the queue of ended orders: account, last id, scope, slot, reason; scopes below zero: all, one contract. */
const ITEM = 15;
const EVERY = -1;
const ONE = -2;

type Scope = (instrument: number) => boolean;

/** The reason of a passed deadline whose tick has not come yet; 0: none (guard.ts). */
type ReasonDue = (account: number) => number;

export class Registry {
  private readonly state: State;
  private readonly reasonDue: ReasonDue;
  private readonly names = new Map<number, string>();
  private readonly payouts = new Map<number, { account: number; seen: boolean }>();
  private readonly starts: number[] = [];
  /** Ids of orders that wait to be cancelled and are still in a book. */
  private readonly ended = new Set<number>();
  private requests: number;
  private payoutIds: number;

  /** Starts from the present state. */
  constructor(state: State, reasonDue: ReasonDue) {
    this.state = state;
    this.reasonDue = reasonDue;
    this.requests = state.usernames.counters[0]!;
    this.payoutIds = state.payouts.counters[0]!;
    for (let account = 0; account < accountTotal(state); account++) this.names.set(account, this.nameOf(account));
    for (let id = Math.max(1, this.payoutIds - state.payouts.capacity + 1); id <= this.payoutIds; id++) {
      const row = (id - 1) % state.payouts.capacity;
      this.payouts.set(id, { account: state.payouts.account[row]!, seen: state.payouts.seen[row] === 1 });
    }
    this.starts.push(...state.competitions.start.subarray(0, state.competitions.counters[0]));
    const [head, length] = state.cancelJobs.counters;
    const { jobs } = state.cancelJobs;
    for (let i = 0; i < length!; i++) {
      const at = (head! + i) % (jobs.length / ITEM) * ITEM;
      const scope = jobs[at + 2]!;
      const name = Buffer.from(Uint32Array.from(jobs.subarray(at + 7, at + ITEM)).buffer).toString('latin1', 0, jobs[at + 6]);
      this.end(jobs[at]!, jobs[at + 1]!, (slot) => (
        scope === EVERY || (scope === ONE ? slot === jobs[at + 3] : state.instruments.underlying[slot] === scope)
      ), jobs[at + 4]!, jobs[at + 5] === 0 ? null : name);
    }
  }

  /** Number of open orders of the account `within` the scope of a cancel-all at this time; called before it is sent. */
  countOpen(account: number, within: Scope, time: number): number {
    const { state } = this;
    return openOrders(state).filter((order) => {
      const { expiresAt } = termsIn(state, order.slot);
      return order.account === account && within(order.instrument) && (expiresAt === 0 || expiresAt > time);
    }).length;
  }

  /** A cancel-all was accepted or a deadline fired: the open orders in its scope must end without another fill; `set`: quotes only. */
  end(account: number, last: number, within: Scope, reason = 0, set: string | null = null): void {
    const isTimed = reason === DONE_CANCEL_AFTER || reason === DONE_DISCONNECTED;
    for (const order of openOrders(this.state)) {
      // Such an end leaves what waits to protect a position.
      const stays = isTimed && order.entry === 0 && (order.flags & FLAG_REDUCE_ONLY) !== 0;
      const isMeant = set === null || (isQuote(order) && (set === '' || nameIn(this.state, order.slot) === set));
      if (!stays && isMeant && order.account === account && order.since <= last && within(order.instrument)) this.ended.add(order.id);
    }
  }

  apply(kind: number, f: Float64Array): void {
    switch (kind) {
      case E.USERNAME_CHANGED: this.rename(f); return;
      case E.ACCOUNT_CLOSED: this.names.delete(f[E.ACCOUNT]!); return;
      case E.POSITION_SETTLED:
        assert.equal(f[E.SETTLED_PAYOUT_ID], ++this.payoutIds, 'registry: payout ids have no gap');
        this.payouts.set(this.payoutIds, { account: f[E.ACCOUNT]!, seen: false });
        this.payouts.delete(this.payoutIds - this.state.payouts.capacity);
        return;
      case E.PAYOUT_SEEN: {
        const payout = this.payouts.get(f[E.PAYOUT_ID]!);
        assert.ok(payout !== undefined && payout.account === f[E.ACCOUNT] && !payout.seen, 'registry: seen once, by its wallet');
        payout.seen = true;
        return;
      }
      case E.COMPETITION_CREATED:
        assert.equal(f[E.COMPETITION_ID], this.starts.push(f[E.COMPETITION_START]!), 'registry: ids of competitions have no gap');
        return;
      case E.FILL:
        assert.ok(!this.ended.has(f[E.FILL_MAKER_ORDER]!), 'cancel-all: an ended order traded');
        assert.equal(this.reasonDue(f[E.FILL_MAKER]!), 0, 'guard: an order traded after a deadline');
        return;
      case E.ORDER_DONE: {
        const isTimed = f[E.ORDER_REASON] === DONE_CANCEL_AFTER || f[E.ORDER_REASON] === DONE_DISCONNECTED;
        const isDue = this.reasonDue(f[E.ACCOUNT]!) === f[E.ORDER_REASON];
        assert.ok(this.ended.delete(f[E.ORDER_ID]!) || !isTimed || isDue, 'guard: an order goes that no deadline has ended');
        return;
      }
      case E.QUOTE_CHANGED:
        assert.ok(f[E.ORDER_REASON] === E.QUOTE_REMOVED || !this.ended.has(f[E.ORDER_ID]!), 'cancel-all: an ended quote changes');
        if (f[E.ORDER_REASON] === E.QUOTE_REMOVED) this.ended.delete(f[E.ORDER_ID]!);
        return;
      case E.SAFETY_FIRED: this.end(f[E.ACCOUNT]!, Infinity, () => true, f[E.SAFETY_REASON]!); return;
      case E.ORDER_ACCEPTED:
        assert.equal(this.state.instruments.status[f[E.ORDER_INSTRUMENT]!], ACTIVE, 'markets: an order in one that is not active');
        return;
      case E.INSTRUMENT_DELETED:
        assert.equal(this.state.instruments.openInterest[f[E.INSTRUMENT]!], 0, 'markets: deleted with open interest');
        return;
      default:
    }
  }

  private rename(f: Float64Array): void {
    const bytes = Buffer.from(Uint32Array.from(f.subarray(E.NAMED_WORDS, E.NAMED_SLOTS)).buffer);
    const name = bytes.toString('latin1', 0, f[E.NAMED_LENGTH]);
    assert.match(name, /^\w{3,20}$/, 'registry: a name');
    this.names.set(f[E.ACCOUNT]!, name);
    if (f[E.NAMED_REQUEST] !== 0) assert.equal(f[E.NAMED_REQUEST], ++this.requests, 'registry: ids of requests have no gap');
  }

  private nameOf(account: number): string {
    const { bytes, length } = this.state.usernames;
    return Buffer.from(bytes.subarray(account * 20, account * 20 + length[account]!)).toString('latin1');
  }

  /** Compares the registry with its events, and checks its invariants between commands. */
  check(): void {
    const { state } = this;
    const lower = new Set<string>();
    for (let account = 0; account < accountTotal(state); account++) {
      const name = this.nameOf(account);
      assert.equal(name, this.names.get(account) ?? '', 'registry: the name of an account');
      assert.ok(name === '' || !lower.has(name.toLowerCase()), 'registry: a name twice');
      lower.add(name.toLowerCase());
    }
    for (const [id, payout] of this.payouts) {
      const row = (id - 1) % state.payouts.capacity;
      assert.equal(state.payouts.account[row], payout.account, 'registry: whose a payout is');
      assert.equal(state.payouts.seen[row], payout.seen ? 1 : 0, 'registry: whether a payout is seen');
    }
    assert.deepEqual([...state.competitions.start.subarray(0, state.competitions.counters[0])], this.starts, 'registry: competitions');
    if (state.cancelJobs.counters[1] === 0) assert.equal(this.ended.size, 0, 'cancel-all: an ended order is still open');
    this.checkMarkets();
  }

  private checkMarkets(): void {
    const { instruments, work } = this.state;
    const isIdle = work.counters[1] === 0;
    const contracts = new Set<string>();
    for (let slot = 0; slot < instrumentTotal(this.state); slot++) {
      const { expiry, kind, status, strike, underlying } = instruments;
      if (status[slot] !== ACTIVE && status[slot] !== DELETED) continue;
      const contract = [underlying[slot], expiry[slot], strike[slot], kind[slot]].join();
      assert.ok(!contracts.has(contract), 'markets: a contract in two rows');
      contracts.add(contract);
    }
    if (!isIdle) return;
    for (const order of openOrders(this.state)) {
      assert.equal(instruments.status[order.instrument], ACTIVE, 'markets: an order rests where nobody trades');
    }
  }
}
