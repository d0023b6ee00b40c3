// apply(state, command): the one function that changes the state. Admission has checked the command on this same state, so a violation here
// is a fault of the venue and throws.

import { OK, TOO_MANY_UNDERLYINGS } from '../errors.ts';
import { ADD_UNDERLYING, AMEND_ORDER, APPROVE_AGENT, APPROVE_NAMED_AGENT, BATCH, CANCEL_AFTER, CANCEL_ALL, CANCEL_BY_CLIENT_ID,
  CANCEL_ORDER, CANCEL_QUOTES, CANCEL_WALLET, CONFIGURE, CONTINUE, CREATE_COMPETITION, CREDIT, DELETE_MARKET, DELETE_MMP, DISCONNECTED,
  DOUBLE_NAME_VOL, DOUBLE_SETTINGS, FLAG_BY_TOKEN, INDEX_PRICE, isSignedKind, LIST_MARKET, MASS_QUOTE, PLACE_ORDER, QUARANTINE, readSafe,
  RECONNECTED, REPLACE_ORDER, REQUEST_USERNAME, RESET_MMP, REVOKE_AGENT, REVOKE_ALL_AGENTS, SEE_PAYOUTS, SET_CANCEL_ON_DISCONNECT,
  SET_LEVERAGE, SET_MARGIN_MODE, SET_MMP, SET_SURFACE, SET_TIER, SET_TRADING_MODE, SET_USERNAME, SET_WALLET_MODE, SETTLEMENT_PRICE, TICK,
  VOID_NONCES, WORD_DIGEST, WORD_NAME, WORD_NONCE, WORD_QUARANTINED_SEQ, WORD_SIGNER, WORD_TIER, WORD_TIER_FLAGS,
  WORD_WALLET } from '../codec/commands.ts';
import {
  ACCOUNT, BOOK_CHANGED, BOOK_SEQ, BOOK_SLOTS, CONFIGURED, emit, INSTRUMENT, NONCE_TAKEN, SKIPPED, TAKEN_CODE, TAKEN_DIGEST, TAKEN_KIND,
  TAKEN_NONCE, TAKEN_NUMBERS, TAKEN_SLOTS, TIER_CHANGED, TIER_SLOTS, TIER_VALUE, UNDERLYING_ADDED,
} from '../codec/events.ts';
import { recordKind, recordSeq, recordTime, type Views } from '../codec/record.ts';
import { isSmallTier } from '../tiers.ts';
import { accountCount, findAccount } from '../accounts/accounts.ts';
import { moveAgentRows } from '../accounts/agents.ts';
import { addUnderlying, findUnderlying, underlyingCount } from '../instruments/underlyings.ts';
import { moveMmpRows } from '../mmp/mmp.ts';
import { markUsed } from '../nonces.ts';
import { SMALL_TIER_OPEN } from '../orders/orders.ts';
import { SMALL_TIER_UNTRIGGERED } from '../orders/untriggered.ts';
import { moveHoldingRows } from '../positions/holdings.ts';
import { openCurve } from '../valuation/marks.ts';
import { forgetMargin } from '../margin/account-margin.ts';
import { amendOrder } from '../trading/amend.ts';
import { applyBatch } from '../trading/batch.ts';
import { cancelAll, cancelQuotes } from '../trading/cancel-all.ts';
import { clearResult } from '../trading/context.ts';
import { cancelByClientId, cancelById } from '../trading/cancel.ts';
import { payFunding } from '../trading/funding.ts';
import { writeRefusal } from '../trading/refusal.ts';
import { setLeverage } from '../trading/leverage.ts';
import { placeOrder } from '../trading/place.ts';
import {
  accountOf, approve, approveNamed, checkTier, isAuthorized, openAccount, opensAccount, revoke, revokeAll, voidNonces,
} from '../trading/wallets.ts';
import { cancelWallet, setTradingMode, setWalletMode } from '../trading/operator.ts';
import { massQuote } from '../trading/mass-quote.ts';
import { setMarginMode } from '../trading/margin-mode.ts';
import { endProtection, setProtection } from '../trading/protection.ts';
import { replaceOrder } from '../trading/replace.ts';
import { fireOwnDeadlines, setCancelAfter, setCancelOnDisconnect, setPresence } from '../trading/timers.ts';
import { listPerp } from '../lifecycle/listing.ts';
import { creditWallet } from '../lifecycle/operator-credit.ts';
import { deleteMarket, listMarket } from '../lifecycle/operator-markets.ts';
import { acceptIndex, setSurface, tick } from '../lifecycle/ticks.ts';
import { setSettlementPrice } from '../lifecycle/settlement.ts';
import { continueWork } from '../lifecycle/work-steps.ts';
import { createCompetition } from '../registry/competitions.ts';
import { seePayouts } from '../registry/payouts.ts';
import { setUsername } from '../registry/usernames.ts';
import { SEQ, TIME, type State } from './state.ts';

export function apply(state: State, views: Views, at: number): void {
  const seq = recordSeq(views, at);
  const time = recordTime(views, at);
  if (seq !== state.clock[SEQ] + 1) throw new RangeError(`seq ${seq} does not follow ${state.clock[SEQ]}`);
  if (time < state.clock[TIME]) throw new RangeError(`time ${time} lies before ${state.clock[TIME]}`);
  state.clock[SEQ] = seq;
  state.clock[TIME] = time;
  clearResult(state.result);
  state.streams.accounts.commandNumber++;
  const kind = recordKind(views, at);
  if (isSignedKind(kind)) applySigned(state, views, at, kind, time);
  else applyVenue(state, views, at, kind, time);
  closeBooks(state);
}

/** One event per changed book, because a book's stream moves once per command. */
function closeBooks(state: State): void {
  const { streams, events, instruments } = state;
  for (let i = 0; i < streams.touchedCount; i++) {
    const instrument = streams.touched[i];
    streams.isTouched[instrument] = 0;
    streams.chains[instruments.underlying[instrument]]++;
    events.slots[INSTRUMENT] = instrument;
    events.slots[BOOK_SEQ] = ++streams.books[instrument];
    emit(events, BOOK_CHANGED, BOOK_SLOTS);
  }
  streams.touchedCount = 0;
}

export function skipCommand(state: State, views: Views, at: number): void {
  state.clock[SEQ] = recordSeq(views, at);
  state.clock[TIME] = recordTime(views, at);
}

function applyVenue(state: State, views: Views, at: number, kind: number, time: number): void {
  switch (kind) {
    case INDEX_PRICE: acceptIndex(state, views, at, time); return;
    case TICK: tick(state, time); return;
    case CONTINUE: continueWork(state, time); return;
    case CONFIGURE: configure(state, views, at); return;
    case ADD_UNDERLYING: add(state, views, at, time); return;
    case QUARANTINE: skip(state, views, at); return;
    case SET_SURFACE: setSurface(state, views, at, time); return;
    case SETTLEMENT_PRICE: setSettlementPrice(state, views, at); return;
    case CREATE_COMPETITION: createCompetition(state, views, at, time); return;
    case LIST_MARKET: listMarket(state, views, at, time); return;
    case DELETE_MARKET: deleteMarket(state, views, at); return;
    case CREDIT: creditWallet(state, views, at, time); return;
    case SET_TRADING_MODE: setTradingMode(state, views, at); return;
    case SET_WALLET_MODE: setWalletMode(state, views, at); return;
    case CANCEL_WALLET: cancelWallet(state, views, at); return;
    case DISCONNECTED: case RECONNECTED: setPresence(state, views, at, kind, time); return;
    default: throw new RangeError(`unknown command ${kind}`);
  }
}

function configure(state: State, views: Views, at: number): void {
  const { values } = state.settings;
  for (let i = 0; i < values.length; i++) values[i] = views.f64[(at >>> 3) + DOUBLE_SETTINGS + i];
  forgetMargin(state.cache, accountCount(state.accounts));
  emit(state.events, CONFIGURED, 1);
}

function add(state: State, views: Views, at: number, time: number): void {
  const word = (at >>> 2) + WORD_NAME;
  if (findUnderlying(state.underlyings, views.u32[word], views.u32[word + 1]) >= 0) return;
  if (underlyingCount(state.underlyings) >= state.underlyings.capacity) {
    state.result.code = TOO_MANY_UNDERLYINGS;
    return;
  }
  const underlying = addUnderlying(state.underlyings, views.u32[word], views.u32[word + 1]);
  openCurve(state.valuation, underlying, views.f64[(at >>> 3) + DOUBLE_NAME_VOL]);
  state.events.slots[ACCOUNT] = underlying;
  emit(state.events, UNDERLYING_ADDED, 2);
  listPerp(state, underlying, time);
}

function skip(state: State, views: Views, at: number): void {
  state.events.slots[ACCOUNT] = readSafe(views, (at >>> 2) + WORD_QUARANTINED_SEQ);
  emit(state.events, SKIPPED, 2);
}

function applySigned(state: State, views: Views, at: number, kind: number, time: number): void {
  if (kind === SET_TIER) {
    setTier(state, views, at, time);
    return;
  }
  let account = accountOf(state, views, at);
  if (!isAuthorized(state, views, at, account, time)) throw new RangeError('an unauthorized command was admitted');
  if (account < 0 && opensAccount(state, views, at, time)) account = openAccount(state, views.u32, (at >>> 2) + WORD_WALLET, time);
  if (account >= 0) {
    state.accounts.usedAt[account] = time;
    payFunding(state, account);
    fireOwnDeadlines(state, account, time);
  }
  switch (kind) {
    case PLACE_ORDER: placeOrder(state, views, at, account, time); break;
    case CANCEL_ORDER: cancelById(state, views, at, account, time); break;
    case CANCEL_BY_CLIENT_ID: cancelByClientId(state, views, at, account, time); break;
    case APPROVE_AGENT: approve(state, views, at, account, time); break;
    case APPROVE_NAMED_AGENT: approveNamed(state, views, at, account, time); break;
    case REVOKE_AGENT: revoke(state, views, at, account, time); break;
    case REPLACE_ORDER: replaceOrder(state, views, at, account, time); break;
    case AMEND_ORDER: amendOrder(state, views, at, account, time); break;
    case SET_MARGIN_MODE: setMarginMode(state, views, at, account); break;
    case SET_MMP: setProtection(state, views, at, account, time); break;
    case DELETE_MMP: case RESET_MMP: endProtection(state, views, at, account, kind); break;
    case CANCEL_ALL: cancelAll(state, views, at, account, time); break;
    case MASS_QUOTE: massQuote(state, views, at, account, time); break;
    case CANCEL_QUOTES: cancelQuotes(state, views, at, account, time); break;
    case SET_LEVERAGE: setLeverage(state, views, at, account); break;
    case BATCH: applyBatch(state, views, at, account, time); break;
    case CANCEL_AFTER: setCancelAfter(state, views, at, account, time); break;
    case SET_CANCEL_ON_DISCONNECT: setCancelOnDisconnect(state, views, at, account, time); break;
    case SET_USERNAME: case REQUEST_USERNAME: setUsername(state, views, at, account, time); break;
    case SEE_PAYOUTS: seePayouts(state, views, at, account); break;
    case REVOKE_ALL_AGENTS: revokeAll(state, views, at, account, time); break;
    case VOID_NONCES: voidNonces(state, views, at, account); break;
    default: throw new RangeError(`unknown command ${kind}`);
  }
  conclude(state, views, at, kind, account);
}

/** A command that took effect uses its nonce; a refusal does not (decision 3.3). */
function conclude(state: State, views: Views, at: number, kind: number, account: number): void {
  const { result, events } = state;
  if (result.code !== OK) {
    writeRefusal(state, account, kind);
    return;
  }
  const word = at >>> 2;
  if (account >= 0) markUsed(state.nonces, account, views.u32[word + WORD_NONCE], views.u32[word + WORD_NONCE + 1]);
  const f = events.slots;
  f[ACCOUNT] = account;
  f[TAKEN_KIND] = kind;
  f[TAKEN_NONCE] = views.u32[word + WORD_NONCE];
  f[TAKEN_NONCE + 1] = views.u32[word + WORD_NONCE + 1];
  for (let i = 0; i < 8; i++) f[TAKEN_DIGEST + i] = views.u32[word + WORD_DIGEST + i];
  f[TAKEN_CODE] = result.code;
  for (let i = 0; i < 4; i++) f[TAKEN_NUMBERS + i] = result.numbers[i];
  emit(events, NONCE_TAKEN, TAKEN_SLOTS);
}

/** An admin wallet that signs takes the nonce even if the tier is refused. */
function setTier(state: State, views: Views, at: number, time: number): void {
  const word = at >>> 2;
  let account = accountOf(state, views, at);
  const isByToken = (views.u32[word + WORD_TIER_FLAGS] & FLAG_BY_TOKEN) !== 0;
  state.result.code = checkTier(views, at);
  if (state.result.code === OK) {
    if (account < 0) account = openAccount(state, views.u32, word + WORD_WALLET, time);
    moveTier(state, account, views.u32[word + WORD_TIER]);
  } else if (isByToken) throw new RangeError('a tier that cannot be set was admitted');
  if (isByToken) return;
  let signer = findAccount(state.accounts, views.u32, word + WORD_SIGNER);
  if (signer < 0) signer = openAccount(state, views.u32, word + WORD_SIGNER, time);
  state.accounts.usedAt[signer] = time;
  if (state.result.code !== OK) markUsed(state.nonces, signer, views.u32[word + WORD_NONCE], views.u32[word + WORD_NONCE + 1]);
  conclude(state, views, at, SET_TIER, signer);
}

function moveTier(state: State, account: number, tier: number): void {
  const { accounts, events, orders } = state;
  const before = accounts.tier[account];
  accounts.tier[account] = tier;
  const change = Number(isSmallTier(tier)) - Number(isSmallTier(before));
  orders.counters[SMALL_TIER_OPEN] += change * accounts.openOrders[account];
  orders.counters[SMALL_TIER_UNTRIGGERED] += change * accounts.triggers[account];
  moveAgentRows(state.agents, accounts, account, before);
  moveHoldingRows(state.holdings, accounts, account, before);
  moveMmpRows(state.mmp, account, before, tier);
  events.slots[ACCOUNT] = account;
  events.slots[TIER_VALUE] = tier;
  emit(events, TIER_CHANGED, TIER_SLOTS);
}
