// The expected reply to a command, computed beside the venue: who may sign, which nonces are used, budgets, caps, the engine's
// reasons in the order of decision 3.12, margin by brute force. It keeps its own memory of nonces, agents, pending approvals and
// budgets, and reads positions and orders from the raw state. Shares only codes and units with the core.

import assert from 'node:assert/strict';
import * as C from '../../core/errors.ts';
import { BUY, GTC, HOUR, MINUTE } from '../../core/units.ts';
import { AGENTS_PER_WALLET, REVOCATIONS_PER_WALLET, SMALL_TIER_POOL_PERCENT } from '../../core/limits.ts';
import { PRICE_BAND } from '../../core/settings.ts';
import { DEFAULT_LIMITS, MARKET_MAKER, TIER1, UNLIMITED, type TierLimits } from '../../core/tiers.ts';
import { FLAG_RFQ_ONLY } from '../../core/codec/commands.ts';
import type { State } from '../../core/engine/state.ts';
import {
  book, collateral, isBeyondLimit, isExempt, measure, requirement, withOrder, type Order, type Position,
} from '../core/margin/oracle.ts';
import { accountRoom, clientIdIn, instrumentTotal, liveRows, nextAccountRow, nextAccountRows, openOrders } from '../support/raw.ts';
import { bandOf } from '../support/band.ts';
import type { Request } from './requests.ts';

/** The code, and numbers of the reply where they are known; `seqs`: how many records it adds to the journal. */
type Answer = { code: number; numbers?: number[] };
/** A request of a wallet, not of an administrator. */
type Wallets = Exclude<Request, { kind: 'tier' | 'signedTier' }>;
type Placed = Extract<Request, { kind: 'place' }>['order'];
type Waiting = { agent: number; expires: number; nonce: number; since: number };
const INDEX_STALE_AFTER = 2;
/** New wallets an hour in these runs: of a source, of a /56, of a /48, of all sources. */
export const NEW_WALLETS = [6, 10, 13, 24];
const ORDERS = 0;
const CANCELS = 1;
const REQUESTS = 2;

/** The limits that a new wallet counts against, each with its maximum; none for loopback. */
function newWalletCounts({ source, block, subnet }: Wallets, time: number): { key: string; most: number }[] {
  if (source === 0) return [];
  const networks = [`source ${source}`, block === 0 ? '' : `subnet ${block}/${subnet}`, block === 0 ? '' : `block ${block}`, 'all'];
  const counts = networks.map((name, at) => ({ name, key: `new/${name}/${Math.floor(time / HOUR)}`, most: NEW_WALLETS[at]! }));
  return counts.filter(({ name }) => name !== '');
}

/** Memory of each wallet: its account; with an account its nonces, agents and revocations, else its pending approvals. */
export type Memory = {
  readonly accounts: Map<number, number>;
  readonly nonces: Map<number, Set<number>>;
  readonly agents: Map<number, Map<number, number>>;
  readonly revocations: Map<number, { agent: number; nonce: number }[]>;
  /** The highest nonce up to which a wallet has voided all. */
  readonly floors: Map<number, number>;
  readonly waiting: Map<number, Waiting[]>;
};

export class Expectation {
  private known: Memory = {
    accounts: new Map(), nonces: new Map(), agents: new Map(), revocations: new Map(), floors: new Map(), waiting: new Map(),
  };
  private readonly budgets = new Map<string, number>();
  private readonly rules: { rated: boolean; table: readonly TierLimits[]; admins: readonly number[] };

  constructor(rules: { rated: boolean; table?: readonly TierLimits[]; admins: readonly number[] }) {
    this.rules = { table: DEFAULT_LIMITS, ...rules };
  }

  /** A copy of this memory. */
  memory(): Memory {
    return structuredClone(this.known);
  }

  /** Goes back to the memory of a restart: budgets and new wallets of the hour are counted anew. */
  restart(known: Memory): void {
    this.known = structuredClone(known);
    this.budgets.clear();
  }

  /** The expected reply to a signed command; updates this memory. */
  answer(state: State, request: Request, time: number): Answer & { seqs: number } {
    this.forgetEnded(time);
    if (request.kind === 'tier' || request.kind === 'signedTier') {
      return this.tier(state, request, time);
    }
    const account = this.known.accounts.get(request.wallet) ?? -1;
    const refused = this.admit(state, request, account, time);
    if (refused !== C.OK) return { code: refused, seqs: 0 };
    const aboutAgents = request.kind === 'approve' || request.kind === 'revoke';
    const opens = account < 0 && (!aboutAgents || request.named || request.kind === 'revoke');
    if (account < 0 && !(opens && this.known.waiting.has(request.wallet))) {
      for (const { key } of newWalletCounts(request, time)) this.count(key);
    }
    if (opens) this.open(nextAccountRow(state), request.wallet, time);
    const answer = this.act(state, request, time);
    if (answer.code === C.OK && (account >= 0 || opens)) this.use(request.wallet, request.nonce);
    return { ...answer, seqs: 1 };
  }

  private admit(state: State, request: Wallets, account: number, time: number): number {
    const aboutAgents = request.kind === 'approve' || request.kind === 'revoke';
    const isOwners = aboutAgents || request.kind === 'voidNonces';
    const isOwn = request.signer === request.wallet;
    const isAgent = account < 0 ? this.waitsFor(request.wallet, request.signer, time) : this.isAgent(request.wallet, request.signer, time);
    if (!isOwn && (isOwners || !isAgent)) return C.UNAUTHORIZED;
    if (this.isUsed(request.wallet, request.nonce)) return C.NONCE_USED;
    const tier = account < 0 ? 0 : state.accounts.tier[account]!;
    const row = this.rules.table[tier]!;
    if (this.rules.rated) {
      const allowed = [row.orders, row.cancels, row.requests][classOf(request)]!;
      const key = `${request.wallet}/${classOf(request)}/${Math.floor(time / MINUTE)}`;
      if ((this.budgets.get(key) ?? 0) >= allowed) return C.RATE_LIMITED;
      this.count(key);
    }
    if (request.code !== C.OK) return request.code;
    if (account < 0) {
      const ends = aboutAgents && request.kind === 'revoke' && this.waitsFor(request.wallet, request.agent, time);
      const waits = aboutAgents && !request.named && !ends;
      if (waits && request.kind === 'revoke') return C.AGENT_NOT_FOUND;
      if (waits && waitingRows(state) >= state.limits.pendingApprovals) return C.TOO_MANY_PENDING;
      if (!waits && accountRoom(state) < 1) return C.ENGINE_BUSY;
    }
    if (request.kind === 'approve' && !this.hasRoomForAgent(state, request.wallet, request.agent, account, time)) return C.ENGINE_BUSY;
    const capped = request.kind === 'place' ? this.caps(state, request.order, account, row) : C.OK;
    if (capped !== C.OK) return capped;
    const isFull = newWalletCounts(request, time).some(({ key, most }) => (this.budgets.get(key) ?? 0) >= most);
    const hasCome = this.known.waiting.has(request.wallet) && !(request.kind === 'approve' && !request.named);
    return account < 0 && !hasCome && isFull ? C.NEW_WALLET_LIMIT : C.OK;
  }

  private caps(state: State, order: Placed, account: number, row: TierLimits): number {
    const orders = openOrders(state);
    const rows = liveRows(state);
    const own = orders.filter((other) => other.account === account);
    const most = this.mostOpen(state, orders, account, row);
    if (order.tif === GTC && most !== UNLIMITED && own.length + 1 > most) return C.MAX_OPEN_ORDERS;
    const instrument = instrumentOf(state, order);
    const held = rows.find((other) => other.account === account && other.instrument === instrument);
    if (instrument >= 0) {
      const positions = rows.filter((other) => other.account === account && other.position !== 0).length;
      if (row.positions !== UNLIMITED && (held?.position ?? 0) === 0 && positions + 1 > row.positions) return C.MAX_POSITIONS;
      if (isBeyondLimit(state, book(state, account, rows, orders), { ...order, account, instrument })) return C.POSITION_LIMIT;
    }
    const hasRoom = (taken: readonly { readonly account: number }[], most: number, usable: number): boolean => {
      const small = taken.filter((other) => isSmall(state.accounts.tier[other.account]!)).length;
      const isOfShare = isSmall(account < 0 ? 0 : state.accounts.tier[account]!);
      return taken.length < usable && (!isOfShare || small < Math.floor(most * SMALL_TIER_POOL_PERCENT / 100));
    };
    const { holdings, orders: places } = state.limits;
    if (held === undefined && !hasRoom(rows, holdings, holdings)) return C.ENGINE_BUSY;
    return order.tif !== GTC || hasRoom(orders, places, places - 1) ? C.OK : C.ENGINE_BUSY;
  }

  /** Decision 1.6: 10 while small tiers fill 90 % of their 70 % of the pool. */
  private mostOpen(state: State, orders: readonly { readonly account: number }[], account: number, row: TierLimits): number {
    const { tier } = state.accounts;
    const small = orders.filter((other) => isSmall(tier[other.account]!)).length;
    if (!isSmall(account < 0 ? 0 : tier[account]!) || small < Math.floor(state.limits.orders * 0.7) * 0.9) return row.openOrders;
    return row.openOrders === UNLIMITED ? 10 : Math.min(row.openOrders, 10);
  }

  private act(state: State, request: Wallets, time: number): Answer {
    const account = this.known.accounts.get(request.wallet) ?? -1;
    switch (request.kind) {
      case 'place': return judge(state, request.order, account, time);
      case 'cancel': return cancelById(state, account, request.orderId);
      case 'cancelByClientId': {
        const found = openOrders(state).find((order) => order.account === account && clientIdIn(state, order.slot) === request.clientId);
        return found !== undefined && request.clientId !== '' ? { code: C.OK, numbers: [found.id] } : { code: C.NOT_OPEN };
      }
      case 'approve': {
        if (account >= 0 && this.isVoid(state, request)) return { code: C.APPROVAL_VOID };
        if (account >= 0) return { code: this.grant(request.wallet, request.agent, request.expires, time) ? C.OK : C.TOO_MANY_AGENTS };
        const rows = this.known.waiting.get(request.wallet) ?? [];
        const { agent, expires, nonce, wallet } = request;
        this.known.waiting.set(wallet, [...rows, { agent, expires, nonce, since: time }]);
        return { code: C.OK };
      }
      case 'revoke': {
        this.forgetExpired(request.wallet, time);
        const { agent, nonce, wallet } = request;
        const isKnown = this.isAgent(wallet, agent, time);
        this.known.agents.get(wallet)?.delete(agent);
        this.known.revocations.set(wallet, [...this.known.revocations.get(wallet) ?? [], { agent, nonce }]);
        return { code: isKnown ? C.OK : C.AGENT_NOT_FOUND };
      }
      case 'voidNonces':
        this.known.floors.set(request.wallet, Math.max(request.upTo, this.known.floors.get(request.wallet) ?? -1));
        return { code: C.OK };
    }
  }

  private tier(state: State, request: Extract<Request, { kind: 'tier' | 'signedTier' }>, time: number): Answer & { seqs: number } {
    const code = request.tier >= DEFAULT_LIMITS.length ? C.INVALID_TIER : C.OK;
    const opened = new Set(code === C.OK ? [request.wallet] : []);
    if (request.kind === 'tier') {
      if (code !== C.OK) return { code, seqs: 0 };
      return this.openAll(state, opened, time) ? { code, seqs: 1 } : { code: C.ENGINE_BUSY, seqs: 0 };
    }
    if (!this.rules.admins.includes(request.signer)) return { code: C.UNAUTHORIZED, seqs: 0 };
    if (this.isUsed(request.signer, request.nonce)) return { code: C.NONCE_USED, seqs: 0 };
    if (!this.openAll(state, opened.add(request.signer), time)) return { code: C.ENGINE_BUSY, seqs: 0 };
    // Refused or not, it uses its nonce.
    this.use(request.signer, request.nonce);
    return { code, seqs: 1 };
  }

  /** Those without an account, in this order; false without room for all of them. */
  private openAll(state: State, wallets: ReadonlySet<number>, time: number): boolean {
    const isNew = [...wallets].filter((wallet) => !this.known.accounts.has(wallet));
    if (isNew.length > accountRoom(state)) return false;
    const rows = nextAccountRows(state, isNew.length);
    isNew.forEach((wallet, at) => this.open(rows[at]!, wallet, time));
    return true;
  }

  /** Whether the agent was revoked with this nonce or a later one. A revocation without room voids approvals of all agents. */
  private isVoid({ revocations }: State, { wallet, agent, nonce }: Extract<Request, { kind: 'approve' | 'revoke' }>): boolean {
    const own = this.known.revocations.get(wallet) ?? [];
    const bound = revocations.all[this.known.accounts.get(wallet)! * 2]!;
    const counts = [...this.known.revocations.values()].map((rows) => new Set(rows.map((one) => one.agent)).size);
    const isFull = Math.max(...counts) > REVOCATIONS_PER_WALLET || counts.reduce((sum, count) => sum + count, 0) > revocations.capacity;
    assert.ok(bound === 0 || (isFull && own.some((one) => bound <= one.nonce + 1)), 'revocations: more is void than was revoked');
    return nonce < bound || own.some((one) => one.agent === agent && nonce <= one.nonce);
  }

  private open(row: number, wallet: number, time: number): void {
    this.known.accounts.set(wallet, row);
    for (const one of this.known.waiting.get(wallet) ?? []) {
      this.use(wallet, one.nonce);
      this.grant(wallet, one.agent, one.expires, time);
    }
    this.known.waiting.delete(wallet);
  }

  private grant(wallet: number, agent: number, expires: number, time: number): boolean {
    const agents = this.known.agents.get(wallet) ?? new Map<number, number>();
    this.known.agents.set(wallet, agents);
    this.forgetExpired(wallet, time);
    if (!agents.has(agent) && agents.size >= AGENTS_PER_WALLET) return false;
    agents.set(agent, expires);
    return true;
  }

  /** Decision 1.6: removes approvals that were pending for seven days. */
  private forgetEnded(time: number): void {
    for (const [wallet, rows] of this.known.waiting) {
      const left = rows.filter(({ since }) => since + 7 * 86_400_000 > time);
      if (left.length > 0) this.known.waiting.set(wallet, left);
      else this.known.waiting.delete(wallet);
    }
  }

  /** Expired agents keep their rows until the wallet approves or revokes. */
  private forgetExpired(wallet: number, time: number): void {
    const agents = this.known.agents.get(wallet) ?? new Map<number, number>();
    for (const agent of agents.keys()) if (!this.isAgent(wallet, agent, time)) agents.delete(agent);
  }

  private hasRoomForAgent(state: State, wallet: number, agent: number, account: number, time: number): boolean {
    const own = this.known.agents.get(wallet) ?? new Map<number, number>();
    if (own.has(agent) || [...own.keys()].some((other) => !this.isAgent(wallet, other, time))) return true;
    const tierOf = (of: number): number => state.accounts.tier[this.known.accounts.get(of)!]!;
    const rows = [...this.known.agents].flatMap(([of, agents]) => Array.from(agents, () => tierOf(of)));
    const all = rows.length + waitingRows(state);
    const small = rows.filter(isSmall).length + waitingRows(state);
    const share = Math.floor(state.limits.agents * SMALL_TIER_POOL_PERCENT / 100);
    return all < state.limits.agents && (!isSmall(account < 0 ? 0 : state.accounts.tier[account]!) || small < share);
  }

  isAgent(wallet: number, agent: number, time: number): boolean {
    const expires = this.known.agents.get(wallet)?.get(agent);
    return expires !== undefined && (expires === 0 || expires > time);
  }

  /** For a wallet without an account: the newest pending approval is in force. */
  private waitsFor(wallet: number, agent: number, time: number): boolean {
    const newest = (this.known.waiting.get(wallet) ?? []).findLast((one) => one.agent === agent);
    return newest !== undefined && (newest.expires === 0 || newest.expires > time);
  }

  private isUsed(wallet: number, nonce: number): boolean {
    const isWaiting = !this.known.accounts.has(wallet) && (this.known.waiting.get(wallet) ?? []).some((one) => one.nonce === nonce);
    return isWaiting || nonce <= (this.known.floors.get(wallet) ?? -1) || (this.known.nonces.get(wallet)?.has(nonce) ?? false);
  }

  /** Decision 1.6: for a wallet whose account was closed, every nonce up to its highest is used. */
  close(wallet: number): void {
    const revoked = (this.known.revocations.get(wallet) ?? []).map(({ nonce }) => nonce);
    this.known.floors.set(wallet, Math.max(this.known.floors.get(wallet) ?? -1, ...this.known.nonces.get(wallet) ?? [], ...revoked));
    const { accounts, agents, revocations, nonces } = this.known;
    for (const forgotten of [accounts, agents, revocations, nonces]) forgotten.delete(wallet);
  }

  private use(wallet: number, nonce: number): void {
    const used = this.known.nonces.get(wallet) ?? new Set<number>();
    used.add(nonce);
    this.known.nonces.set(wallet, used);
  }

  private count(key: string): void {
    this.budgets.set(key, (this.budgets.get(key) ?? 0) + 1);
  }
}

/** Rows of pending approvals in the state; an ended approval keeps its row until a tick. */
function waitingRows({ pending }: State): number {
  return pending.serial.filter((serial) => serial !== 0).length;
}

function isSmall(tier: number): boolean {
  return tier !== MARKET_MAKER && tier <= TIER1;
}

function classOf(request: Request): number {
  if (request.kind === 'place') return ORDERS;
  return ['cancel', 'cancelByClientId', 'voidNonces'].includes(request.kind) ? CANCELS : REQUESTS;
}

function instrumentOf(state: State, order: { underlying: string; expiry: number; strike: number; kind: number }): number {
  const { instruments } = state;
  const underlying = ['BTC', 'ETH'].indexOf(order.underlying);
  for (let slot = 0; slot < instrumentTotal(state); slot++) {
    if (instruments.underlying[slot] === underlying && instruments.expiry[slot] === order.expiry
      && instruments.strike[slot] === order.strike && instruments.kind[slot] === order.kind) return slot;
  }
  return -1;
}

function cancelById(state: State, account: number, id: number): Answer {
  const order = openOrders(state).find((other) => other.id === id);
  if (order !== undefined) {
    if (order.account !== account) return { code: C.ORDER_NOT_FOUND, numbers: [id] };
    return { code: C.OK, numbers: [id, order.size - order.remaining] };
  }
  return { code: id >= 1 && id <= state.orders.counters[0]! ? C.NOT_OPEN : C.ORDER_NOT_FOUND, numbers: [id] };
}

/** The engine’s reply to an admitted order; its numbers end at 2^53 - 1. */
function judge(state: State, request: Placed, account: number, time: number): Answer {
  if ((request.flags! & FLAG_RFQ_ONLY) !== 0) return { code: C.RFQ_NOT_AVAILABLE };
  if (request.expiry !== 0 && request.expiry <= time) return { code: C.EXPIRED };
  const instrument = instrumentOf(state, request);
  if (instrument < 0) return { code: C.NOT_LISTED };
  const orders = openOrders(state);
  // A wallet that this command opens has no row yet; its cash is the default balance in force.
  const isNew = account === nextAccountRow(state);
  const order: Order = { account, instrument, side: request.side, price: request.price, size: request.size };
  const held = book(state, account, liveRows(state), orders);
  const closed = closedTo(state, held, order, isNew);
  if (closed !== C.OK) return { code: closed };
  const own = orders.filter((order) => order.account === account);
  const isTaken = own.some((order) => clientIdIn(state, order.slot) === request.clientId);
  if (request.clientId !== '' && isTaken) return { code: C.DUPLICATE_CLIENT_ID };
  const cash = BigInt(isNew ? state.settings.values[0]! : state.accounts.cash[account]!);
  const exempt = isExempt(state, held, order);
  if (!isNew && (state.accounts.status[account] === 1 || state.accounts.status[account] === 2) && !onlyCloses(held, order)) {
    return { code: C.IN_LIQUIDATION };
  }
  if (cash <= 0n && !exempt) return { code: C.NO_FUNDS };
  if (!isNew && state.accounts.tier[account] === TIER1 && request.side !== BUY) {
    const position = Number(held.find((one) => one.instrument === instrument)?.position ?? 0n);
    const total = own.filter((other) => other.instrument === instrument && other.side !== BUY)
      .reduce((sum, other) => sum + other.remaining, request.size);
    if (total > Math.max(0, position)) return { code: C.TIER1_SHORT, numbers: [Math.max(0, position), total] };
  }
  if (exempt) return banded(state, order);
  if (isStale(state, state.instruments.underlying[instrument]!, time)) return { code: C.NO_SPOT_PRICE };
  const sums = measure(state, account, withOrder(held, order), cash);
  const required = requirement(sums);
  const available = collateral(sums);
  if (available >= required) return banded(state, order);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  const shown = (value: bigint): bigint => (value > most ? most : value);
  return { code: C.INSUFFICIENT_MARGIN, numbers: [shown(required), available, shown(shown(required) - available)].map(Number) };
}

/** Modes of the market, then of the wallet. */
function closedTo({ accounts, instruments }: State, held: readonly Position[], order: Order, isNew: boolean): number {
  const { contract, underlying, venue } = instruments.modes;
  const mode = Math.max(venue[0]!, underlying[instruments.underlying[order.instrument]!]!, contract[order.instrument]!);
  if (mode !== 0) return mode === 1 ? C.MARKET_CANCEL_ONLY : C.MARKET_HALTED;
  const walletMode = isNew ? 0 : accounts.walletMode[order.account]!;
  if (walletMode === 2) return C.WALLET_BLOCKED;
  return walletMode === 1 && !onlyCloses(held, order) ? C.WALLET_CLOSE_ONLY : C.OK;
}

function banded(state: State, { instrument, price, side }: Order): Answer {
  if (state.settings.values[PRICE_BAND] === 0) return { code: C.OK };
  const [min, max] = bandOf(state, instrument, 0);
  return (side === BUY ? price <= max : price >= min) ? { code: C.OK } : { code: C.OUTSIDE_BAND, numbers: [min, max] };
}

/** True when the order and the others on its side are no larger than the position they close. */
function onlyCloses(held: readonly Position[], order: Order): boolean {
  const one = held.find((row) => row.instrument === order.instrument);
  if (one === undefined) return false;
  const open = one.orders.reduce((sum, other) => (other.side === order.side ? sum + other.size : sum), BigInt(order.size));
  return open <= (order.side === BUY ? -one.position : one.position);
}

function isStale(state: State, underlying: number, time: number): boolean {
  const { indexFlags, indexAt } = state.valuation;
  if ((indexFlags[underlying]! & 2) !== 0) return true;
  return (indexFlags[underlying]! & 1) === 0 && time - indexAt[underlying]! > state.settings.values[INDEX_STALE_AFTER]!;
}
