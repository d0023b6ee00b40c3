// Checks before a command gets a seq; never changes the state. A refused command has no journal row, so strangers cannot fill the disk.
// Order (decision 3.12): signer, nonce, rate, the api thread's value check, caps, room.

import { AGENT_NOT_FOUND, DISK_LOW, ENGINE_BUSY, INVALID_VALID_UNTIL, MAX_OPEN_ORDERS, NEW_WALLET_LIMIT, NONCE_USED, OK,
  PERP_WITHOUT_UNDERLYING, RATE_LIMITED, TOO_MANY_AGENTS, TOO_MANY_PENDING, UNAUTHORIZED } from '../errors.ts';
import { AMEND_ORDER, APPROVE_AGENT, APPROVE_NAMED_AGENT, BATCH, CONNECTION_GONE, DOUBLE_QUOTES_UNTIL, FLAG_BY_TOKEN, isSignedKind,
  MASS_QUOTE, PLACE_ORDER, REPLACE_ORDER, SET_TIER, WORD_AGENT, WORD_AMENDED_ID, WORD_BATCH_ITEMS, WORD_BATCH_RATE, WORD_NONCE,
  WORD_QUOTE_LINES, WORD_QUOTE_PLACEMENTS, WORD_QUOTE_SIDES, WORD_REPLACED_ID, WORD_SIGNER, WORD_TIER_FLAGS,
  WORD_WALLET } from '../codec/commands.ts';
import { NO_BUDGET } from '../codec/reply.ts';
import { ORDERS } from '../codec/signed-commands.ts';
import { BYTE_ITEMS, BYTE_SUBNET, recordCode, recordKind, recordOrigin, WORD_BLOCK, WORD_SOURCE, type Views } from '../codec/record.ts';
import { AGENTS_PER_WALLET, CROWDED_OPEN_ORDERS, PENDING_PER_WALLET, QUOTE_VALID_TIME, TRIGGERS_A_WALLET } from '../limits.ts';
import { DEFAULT_TIER, isSmallTier, UNLIMITED, type TierLimits } from '../tiers.ts';
import { findAccount, sameAddress } from '../accounts/accounts.ts';
import { isClosedNonce } from '../accounts/closed-accounts.ts';
import { hasAgentRoom } from '../accounts/agents.ts';
import { countPending, firstPending, hasPendingRoom, isPendingNonce, otherPendingAgents,
  pendingCount } from '../accounts/pending-approvals.ts';
import { mayOpenHoldings } from '../positions/holdings.ts';
import { isUsed } from '../nonces.ts';
import { hasBookRoom, hasBookRoomFor } from '../book/books.ts';
import { isQuote } from '../orders/names.ts';
import { isPoolCrowded, orderFlags, SMALL_TIER_OPEN, smallTierPlaces } from '../orders/orders.ts';
import { isUntriggered, UNTRIGGERED } from '../orders/untriggered.ts';
import { readWaiting } from '../trading/amend-waiting.ts';
import { readAmended } from '../trading/amend.ts';
import { pendingCancelReason } from '../trading/cancel-all.ts';
import { checkPositionCaps, checkRoom, ownOrder } from '../trading/room.ts';
import { accountOf, checkTier, isAuthorized, opensAccount } from '../trading/wallets.ts';
import { hasAccountRoom } from '../lifecycle/insurance-fund.ts';
import type { State } from '../engine/state.ts';
import { allowedOf, budgetRow, chargeBudget, createBudgets, minuteOf, openBudget, rateClassOf, refundBudget, takeNewWallet, usedBudget,
  windowEnd, type BudgetCells, type Budgets } from './rate-budgets.ts';
import { CHARGEABLE, createBulks, EXCEEDS, findItems, FITS, UNCHARGED, verdictPlace, type Bulks,
  type FollowingRecords } from './bulk-verdicts.ts';

/** `rated` false: only caps hold. */
export type AdmissionRules = {
  readonly table: readonly TierLimits[];
  readonly rated: boolean;
  readonly adminWallets: Uint32Array;
  /** An hour, as NEW_WALLETS_AN_HOUR. */
  readonly newWallets: readonly number[];
};

export type Admission = {
  readonly rules: AdmissionRules;
  readonly budgets: Budgets;
  readonly bulks: Bulks;
  /** Set by the shell. Orders are refused, cancels still work. */
  diskLow: boolean;
  // Of the last command checked. `account` -1: none yet. `left`: remaining budget. `mostOpen`, `mostTriggers`, `mostPositions`: its caps.
  account: number;
  mostOpen: number;
  mostTriggers: number;
  mostPositions: number;
  tier: number;
  left: number;
  windowEnd: number;
  /** After a NEW_WALLET_LIMIT: which of `rules.newWallets` was reached. */
  full: number;
};

export function createAdmission(state: State, rules: AdmissionRules, cells: BudgetCells | null = null): Admission {
  return {
    rules, budgets: createBudgets(state.accounts.capacity, cells), bulks: createBulks(), diskLow: false,
    account: -1, mostOpen: UNLIMITED, mostTriggers: UNLIMITED, mostPositions: UNLIMITED,
    tier: DEFAULT_TIER, left: NO_BUDGET, windowEnd: 0, full: -1,
  };
}

/** Charges the budget if the checks before it pass. `following` finds the other records of a bulk. */
export function admit(state: State, admission: Admission, views: Views, at: number, time: number, following: FollowingRecords): number {
  const kind = recordKind(views, at);
  admission.left = NO_BUDGET;
  admission.tier = DEFAULT_TIER;
  admission.windowEnd = windowEnd(time);
  if (!isSignedKind(kind)) return OK;
  if (kind === SET_TIER) return admitTier(state, admission, views, at, time);
  const account = accountOf(state, views, at);
  admission.account = account;
  if (account >= 0) admission.tier = state.accounts.tier[account];
  const word = at >>> 2;
  const isOfBulk = admission.rules.rated && views.u8[at + BYTE_ITEMS] !== 0;
  const verdict = isOfBulk ? itemVerdict(state, admission, views, at, time, following) : UNCHARGED;
  const own = !isAuthorized(state, views, at, account, time) ? UNAUTHORIZED
    : isNonceUsed(state, views, word, account, word + WORD_WALLET, time) ? NONCE_USED : OK;
  if (own !== OK) {
    if (verdict === FITS) refundItem(admission, views, at, account, time);
    return own;
  }
  const limited = charge(admission, views, at, account, time, verdict);
  if (limited !== OK) return limited;
  const code = recordCode(views, at);
  if (code !== OK && code !== PERP_WITHOUT_UNDERLYING && code !== CONNECTION_GONE) return code;
  let refused = account < 0 ? checkNewWallet(state, views, at, kind, time) : OK;
  const approves = kind === APPROVE_AGENT || kind === APPROVE_NAMED_AGENT;
  if (refused === OK && approves && !hasRoomForAgent(state, views, at, account, time)) refused = ENGINE_BUSY;
  if (refused === OK && kind === PLACE_ORDER) refused = admitOrder(state, admission, views, at, account, 0);
  const replaced = refused === OK && kind === REPLACE_ORDER ? ownOrder(state, views, (at >>> 2) + WORD_REPLACED_ID, account) : 0;
  if (replaced !== 0) refused = admitOrder(state, admission, views, at, account, replaced);
  if (refused === OK && kind === AMEND_ORDER) refused = admitAmend(state, admission, views, at, account, time);
  if (refused === OK && kind === MASS_QUOTE) refused = admitQuotes(state, admission, views, at, time);
  if (refused === OK && kind === BATCH) refused = admitBatch(state, admission, views, at);
  // Last, because only wallets that are admitted count against their source.
  const isNew = refused === OK && account < 0 && !isAlreadyCounted(state, views, at, time);
  return isNew && !countNewWallet(admission, views, at, time) ? NEW_WALLET_LIMIT : refused;
}

function countNewWallet(admission: Admission, views: Views, at: number, time: number): boolean {
  const { budgets, rules } = admission;
  const { u32, u8 } = views;
  const word = at >>> 2;
  admission.full = takeNewWallet(budgets, rules.newWallets, u32[word + WORD_SOURCE], u32[word + WORD_BLOCK], u8[at + BYTE_SUBNET], time);
  return admission.full < 0;
}

/** A wallet with pending approvals was counted when they came, so that it can always revoke them. */
function isAlreadyCounted(state: State, views: Views, at: number, time: number): boolean {
  return firstPending(state.pending, views.u32, (at >>> 2) + WORD_WALLET, time) !== 0 && opensAccount(state, views, at, time);
}

/** `wallet`: word offset of its address. */
function isNonceUsed(state: State, views: Views, word: number, account: number, wallet: number, time: number): boolean {
  const low = views.u32[word + WORD_NONCE];
  const high = views.u32[word + WORD_NONCE + 1];
  if (account >= 0) return isUsed(state.nonces, account, low, high);
  return isClosedNonce(state.closed, views.u32, wallet, low, high) || isPendingNonce(state.pending, views.u32, wallet, low, high, time);
}

/** An item of a bulk was charged with the bulk, or is refused. */
function charge(admission: Admission, views: Views, at: number, account: number, time: number, verdict: number): number {
  const { rules, budgets } = admission;
  if (!rules.rated) return OK;
  const kind = recordKind(views, at);
  const rateClass = kind === BATCH ? views.u32[(at >>> 2) + WORD_BATCH_RATE] : rateClassOf(kind);
  const allowed = allowedOf(rules.table[admission.tier], rateClass);
  if (allowed === UNLIMITED) return OK;
  const row = budgetRow(budgets, views.u32, (at >>> 2) + WORD_WALLET, account, time);
  const used = usedBudget(budgets, row, rateClass, time);
  const count = verdict !== UNCHARGED ? 0 : kind === MASS_QUOTE || kind === BATCH ? partsOf(views, at, kind) : 1;
  const fits = verdict === FITS || (verdict === UNCHARGED && used + count <= allowed);
  admission.left = Math.max(0, allowed - used - (fits ? count : 0));
  if (!fits) return RATE_LIMITED;
  chargeBudget(budgets, row, rateClass, time, count);
  return OK;
}

/** Sides of a page or items of a batch; none counts as one. */
function partsOf({ u32 }: Views, at: number, kind: number): number {
  return Math.max(1, u32[(at >>> 2) + (kind === BATCH ? WORD_BATCH_ITEMS : WORD_QUOTE_SIDES)]);
}

function itemVerdict(state: State, admission: Admission, views: Views, at: number, time: number, following: FollowingRecords): number {
  const { bulks } = admission;
  const items = views.u8[at + BYTE_ITEMS];
  const origin = recordOrigin(views, at);
  const place = verdictPlace(origin, items);
  if (bulks.left[origin] !== items) {
    const first = place - items + 1;
    findItems(bulks, following, at, items);
    bulks.minute[origin] = minuteOf(time);
    for (let i = 0; i < items; i++) bulks.verdict[first + i] = isChargeable(state, views, bulks.at[i], time) ? CHARGEABLE : UNCHARGED;
    for (let i = 0; i < items; i++) {
      if (bulks.verdict[first + i] === CHARGEABLE) chargeWallet(state, admission, views, first, i, items, time);
    }
  }
  bulks.left[origin] = items - 1;
  return bulks.verdict[place];
}

/** The signer must act for the wallet. A replay is charged to its source instead (decision 3.3). */
function isChargeable(state: State, views: Views, at: number, time: number): boolean {
  const account = accountOf(state, views, at);
  const word = at >>> 2;
  return isAuthorized(state, views, at, account, time) && !isNonceUsed(state, views, word, account, word + WORD_WALLET, time);
}

/** All chargeable items of one wallet are charged or refused together (decision 3.7). */
function chargeWallet(
  state: State, admission: Admission, views: Views, first: number, one: number, items: number, time: number,
): void {
  const { bulks, budgets, rules } = admission;
  const at = bulks.at[one];
  const wallet = (at >>> 2) + WORD_WALLET;
  const account = accountOf(state, views, at);
  const rateClass = rateClassOf(recordKind(views, at));
  const allowed = allowedOf(rules.table[account < 0 ? DEFAULT_TIER : state.accounts.tier[account]], rateClass);
  const isOfWallet = (i: number): boolean =>
    bulks.verdict[first + i] === CHARGEABLE && sameAddress(views.u32, (bulks.at[i] >>> 2) + WORD_WALLET, views.u32, wallet);
  let count = 0;
  for (let i = one; i < items; i++) if (isOfWallet(i)) count++;
  const row = budgetRow(budgets, views.u32, wallet, account, time);
  const fits = allowed === UNLIMITED || usedBudget(budgets, row, rateClass, time) + count <= allowed;
  for (let i = one; i < items; i++) if (isOfWallet(i)) bulks.verdict[first + i] = fits ? FITS : EXCEEDS;
  if (fits) chargeBudget(budgets, row, rateClass, time, count);
}

/** A charged item may fail now: a replay of another item, or its signer is no longer authorized. */
function refundItem(admission: Admission, views: Views, at: number, account: number, time: number): void {
  const { budgets, bulks, rules, tier } = admission;
  const row = budgetRow(budgets, views.u32, (at >>> 2) + WORD_WALLET, account, time);
  const rateClass = rateClassOf(recordKind(views, at));
  refundBudget(budgets, row, rateClass, bulks.minute[recordOrigin(views, at)]);
  const allowed = allowedOf(rules.table[tier], rateClass);
  if (allowed !== UNLIMITED) admission.left = Math.max(0, allowed - usedBudget(budgets, row, rateClass, time));
}

export function carryBudget(state: State, { budgets, rules }: Admission, account: number, time: number): void {
  if (rules.rated) openBudget(budgets, state.accounts.address, account * 5, account, time);
}

function checkNewWallet(state: State, views: Views, at: number, kind: number, time: number): number {
  if (opensAccount(state, views, at, time)) return hasAccountRoom(state, 1) ? OK : ENGINE_BUSY;
  if (kind !== APPROVE_AGENT) return AGENT_NOT_FOUND;
  const { u32 } = views;
  const wallet = (at >>> 2) + WORD_WALLET;
  if (otherPendingAgents(state.pending, u32, wallet, (at >>> 2) + WORD_AGENT, time) >= AGENTS_PER_WALLET) return TOO_MANY_AGENTS;
  return hasPendingRoom(state.pending) && countPending(state.pending, u32, wallet, time) < PENDING_PER_WALLET ? OK : TOO_MANY_PENDING;
}

function hasRoomForAgent(state: State, views: Views, at: number, account: number, time: number): boolean {
  const { agents, accounts, pending } = state;
  return hasAgentRoom(agents, accounts, account, views.u32, (at >>> 2) + WORD_AGENT, time, pendingCount(pending));
}

function admitOrder(state: State, admission: Admission, views: Views, at: number, account: number, replaced: number): number {
  if (admission.diskLow) return DISK_LOW;
  setCaps(state, admission);
  return checkRoom(state, admission, views, at, account, replaced);
}

function setCaps(state: State, admission: Admission): void {
  const row = admission.rules.table[admission.tier];
  admission.mostOpen = mostOpenOrders(state, admission, row);
  admission.mostTriggers = TRIGGERS_A_WALLET[admission.tier];
  admission.mostPositions = row.positions;
}

function admitBatch(state: State, admission: Admission, views: Views, at: number): number {
  if (admission.diskLow && views.u32[(at >>> 2) + WORD_BATCH_RATE] === ORDERS) return DISK_LOW;
  setCaps(state, admission);
  return OK;
}

/** As for a replace of the order by itself. An amend that is not judged meets no cap. */
function admitAmend(state: State, admission: Admission, views: Views, at: number, account: number, time: number): number {
  const { accounts, books, orders } = state;
  const slot = ownOrder(state, views, (at >>> 2) + WORD_AMENDED_ID, account);
  admission.mostTriggers = UNLIMITED;
  if (slot === 0 || isQuote(orders, slot)) return OK;
  if (pendingCancelReason(state, slot, time) !== 0) return OK;
  const waits = isUntriggered(orders, slot);
  if (!(waits ? readWaiting(state, views, at, slot) : readAmended(state, views, at, slot))) return OK;
  if (admission.diskLow) return DISK_LOW;
  const row = admission.rules.table[admission.tier];
  admission.mostOpen = mostOpenOrders(state, admission, row);
  if (admission.mostOpen !== UNLIMITED && accounts.openOrders[account] > admission.mostOpen) return MAX_OPEN_ORDERS;
  if (waits) {
    admission.mostTriggers = TRIGGERS_A_WALLET[admission.tier];
    return OK;
  }
  const limited = checkPositionCaps(state, row.positions, orderFlags(orders, slot), slot);
  if (limited !== OK) return limited;
  return hasBookRoom(books, 1, orders.counters[UNTRIGGERED]) ? OK : ENGINE_BUSY;
}

/** The engine applies the caps by side. There must be room for every named quote, as if none was open. */
function admitQuotes(state: State, admission: Admission, views: Views, at: number, time: number): number {
  const { f64, u32 } = views;
  const word = at >>> 2;
  const row = admission.rules.table[admission.tier];
  const placements = u32[word + WORD_QUOTE_PLACEMENTS];
  if (f64[(at >>> 3) + DOUBLE_QUOTES_UNTIL] > time + QUOTE_VALID_TIME) return INVALID_VALID_UNTIL;
  admission.mostOpen = mostOpenOrders(state, admission, row);
  admission.mostPositions = row.positions;
  if (placements === 0) return OK;
  if (admission.diskLow) return DISK_LOW;
  const { holdings, orders } = state;
  const isFull = orders.counters[SMALL_TIER_OPEN] + placements > smallTierPlaces(orders);
  if (isSmallTier(admission.tier) && isFull) return ENGINE_BUSY;
  if (!hasBookRoomFor(state.books, placements, orders.counters[UNTRIGGERED])) return ENGINE_BUSY;
  return mayOpenHoldings(holdings, admission.tier, u32[word + WORD_QUOTE_LINES]) ? OK : ENGINE_BUSY;
}

/** Lower while small tiers crowd their part of the pool, for replacing too. */
function mostOpenOrders({ orders }: State, { tier }: Admission, { openOrders }: TierLimits): number {
  if (!isSmallTier(tier) || !isPoolCrowded(orders)) return openOrders;
  return openOrders === UNLIMITED ? CROWDED_OPEN_ORDERS : Math.min(openOrders, CROWDED_OPEN_ORDERS);
}

function admitTier(state: State, admission: Admission, views: Views, at: number, time: number): number {
  const word = at >>> 2;
  admission.account = accountOf(state, views, at);
  const isByToken = (views.u32[word + WORD_TIER_FLAGS] & FLAG_BY_TOKEN) !== 0;
  const fault = checkTier(views, at);
  if (isByToken && fault !== OK) return fault;
  let opened = Number(fault === OK && admission.account < 0);
  if (!isByToken) {
    if (!isAdminWallet(admission.rules, views, word + WORD_SIGNER)) return UNAUTHORIZED;
    const signer = findAccount(state.accounts, views.u32, word + WORD_SIGNER);
    if (isNonceUsed(state, views, word, signer, word + WORD_SIGNER, time)) return NONCE_USED;
    const isWallet = opened === 1 && sameAddress(views.u32, word + WORD_SIGNER, views.u32, word + WORD_WALLET);
    opened += Number(signer < 0 && !isWallet);
  }
  if (!hasAccountRoom(state, opened)) return ENGINE_BUSY;
  if (admission.account >= 0) admission.tier = state.accounts.tier[admission.account];
  // A signed command for an unknown tier is refused when it is applied, so that it uses its nonce and cannot act later.
  return OK;
}

function isAdminWallet(rules: AdmissionRules, views: Views, word: number): boolean {
  for (let i = 0; i + 5 <= rules.adminWallets.length; i += 5) if (sameAddress(rules.adminWallets, i, views.u32, word)) return true;
  return false;
}
