// Opens accounts and decides who may act for them. An account opens with the first action that names its wallet and is signed by it or its
// agent, or that revokes such an agent (decision 1.6). Authority is judged at the command's own time (decision 1.8).

import { assert } from '../assert.ts';
import { AGENT_NOT_FOUND, APPROVAL_VOID, INVALID_TIER, OK, TOO_MANY_AGENTS } from '../errors.ts';
import { APPROVE_AGENT, APPROVE_NAMED_AGENT, BYTE_AGENT_NAME, readSafe, REVOKE_AGENT, REVOKE_ALL_AGENTS, VOID_NONCES, WORD_AGENT,
  WORD_AGENT_EXPIRES, WORD_AGENT_FLAGS, WORD_NONCE, WORD_SIGNER, WORD_TIER, WORD_UP_TO, WORD_WALLET } from '../codec/commands.ts';
import { FLAG_WALLET_NAMED } from '../codec/signed-commands.ts';
import { ACCOUNT, ACCOUNT_OPENED, AGENT_ADDRESS, AGENT_APPROVED, AGENT_EXPIRES, AGENT_REVOKED, AGENT_SLOTS, emit, OPENED_ADDRESS,
  OPENED_BALANCE, OPENED_SLOTS } from '../codec/events.ts';
import { recordKind, type Views } from '../codec/record.ts';
import { DEFAULT_BALANCE } from '../settings.ts';
import { resumeStreams } from '../account-streams.ts';
import { addAccount, findAccount, sameAddress } from '../accounts/accounts.ts';
import { closedLedger, closedNonceAt, closedOrderUpdates, closedPortfolio, closedQuotes, dropClosed, findClosed,
  hasClosedNonce } from '../accounts/closed-accounts.ts';
import { AGENT_NAME_WORDS, approveAgent, isAgent, revokeAgent, revokeFirst, rowOfAgent, rowOfName } from '../accounts/agents.ts';
import { addPending, dropPending, firstPending, isPendingAgent, PENDING_AGENT, PENDING_NONCE,
  PENDING_WORDS } from '../accounts/pending-approvals.ts';
import { isApprovalVoid, voidAllApprovals, voidApprovals } from '../accounts/revocations.ts';
import { fundFromFaucet } from '../ledger/ledger.ts';
import { markUsed, voidUpTo } from '../nonces.ts';
import { TIER_COUNT } from '../tiers.ts';
import type { Trading } from './context.ts';

function signedByWallet(views: Views, at: number): boolean {
  const word = at >>> 2;
  return sameAddress(views.u32, word + WORD_WALLET, views.u32, word + WORD_SIGNER);
}

/** `account` -1: not opened, agents are pending. Agents cannot appoint agents or void nonces. */
export function isAuthorized(trading: Trading, views: Views, at: number, account: number, time: number): boolean {
  if (signedByWallet(views, at)) return true;
  const kind = recordKind(views, at);
  if (isAboutAgents(kind) || kind === VOID_NONCES) return false;
  const word = at >>> 2;
  if (account < 0) return isPendingAgent(trading.pending, views.u32, word + WORD_WALLET, word + WORD_SIGNER, time);
  return isAgent(trading.agents, trading.accounts, account, views.u32, word + WORD_SIGNER, time);
}

function isAboutAgents(kind: number): boolean {
  return kind === APPROVE_AGENT || kind === APPROVE_NAMED_AGENT || kind === REVOKE_AGENT || kind === REVOKE_ALL_AGENTS;
}

/**
 * An approval that does not name its wallet waits. Such a revocation opens the account only if it ends a waiting approval: the account
 * keeps both nonces, so neither acts again.
 */
export function opensAccount(trading: Trading, views: Views, at: number, time: number): boolean {
  const word = at >>> 2;
  const kind = recordKind(views, at);
  if (!isAboutAgents(kind) || namesWallet(views, at)) return true;
  const { pending } = trading;
  if (kind === REVOKE_AGENT) return isPendingAgent(pending, views.u32, word + WORD_WALLET, word + WORD_AGENT, time);
  return kind === REVOKE_ALL_AGENTS && firstPending(pending, views.u32, word + WORD_WALLET, time) !== 0;
}

export function accountOf(trading: Trading, views: Views, at: number): number {
  return findAccount(trading.accounts, views.u32, (at >>> 2) + WORD_WALLET);
}

/** Binds its waiting approvals, oldest first. */
export function openAccount(trading: Trading, words: Uint32Array, word: number, time: number): number {
  const { accounts, events, ledger, pending, settings } = trading;
  const account = addAccount(accounts, words, word, time);
  restoreClosed(trading, account, words, word);
  assert(findClosed(trading.closed, words, word) < 0, 'wallets: a wallet with an account is not in the closed table');
  fundFromFaucet(ledger, accounts, account, settings.values[DEFAULT_BALANCE]);
  const f = events.slots;
  f[ACCOUNT] = account;
  for (let i = 0; i < 5; i++) f[OPENED_ADDRESS + i] = words[word + i];
  f[OPENED_BALANCE] = accounts.cash[account];
  emit(events, ACCOUNT_OPENED, OPENED_SLOTS);
  for (let link = firstPending(pending, words, word, time); link !== 0; link = firstPending(pending, words, word, time)) {
    const base = (link - 1) * PENDING_WORDS;
    markUsed(trading.nonces, account, pending.words[base + PENDING_NONCE], pending.words[base + PENDING_NONCE + 1]);
    bindAgent(trading, account, pending.words, base + PENDING_AGENT, pending.expires[link - 1], time);
    dropPending(pending, link);
  }
  return account;
}

function restoreClosed({ accounts, closed, nonces, streams }: Trading, account: number, words: Uint32Array, word: number): void {
  const row = findClosed(closed, words, word);
  if (row < 0) return;
  const nonce = closedNonceAt(row);
  if (hasClosedNonce(closed, row)) voidUpTo(nonces, account, closed.words[nonce], closed.words[nonce + 1]);
  resumeStreams(streams.accounts, account, closedOrderUpdates(closed, row), closedPortfolio(closed, row), closedQuotes(closed, row));
  accounts.movements[account] = closedLedger(closed, row);
  dropClosed(closed, row);
}

function bindAgent(trading: Trading, account: number, words: Uint32Array, word: number, expires: number, time: number): boolean {
  const granted = approveAgent(trading.agents, trading.accounts, account, words, word, expires, time);
  if (granted) writeAgent(trading, AGENT_APPROVED, account, words, word, expires);
  return granted;
}

function writeAgent(trading: Trading, kind: number, account: number, words: Uint32Array, word: number, expires: number): void {
  const f = trading.events.slots;
  f[ACCOUNT] = account;
  for (let i = 0; i < 5; i++) f[AGENT_ADDRESS + i] = words[word + i];
  f[AGENT_EXPIRES] = expires;
  emit(trading.events, kind, AGENT_SLOTS);
}

function namesWallet(views: Views, at: number): boolean {
  return (views.u32[(at >>> 2) + WORD_AGENT_FLAGS] & FLAG_WALLET_NAMED) !== 0;
}

export function approve(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const word = at >>> 2;
  const expires = readSafe(views, word + WORD_AGENT_EXPIRES);
  if (account < 0) {
    addPending(trading.pending, views.u32, word + WORD_WALLET, word + WORD_AGENT, word + WORD_NONCE, expires, time);
    writeAgent(trading, AGENT_APPROVED, -1, views.u32, word + WORD_AGENT, expires);
    trading.result.code = OK;
    return;
  }
  const { u32 } = views;
  const isVoid = isApprovalVoid(trading.revocations, account, u32, word + WORD_AGENT, u32[word + WORD_NONCE], u32[word + WORD_NONCE + 1]);
  trading.result.code = isVoid ? APPROVAL_VOID
    : bindAgent(trading, account, views.u32, word + WORD_AGENT, expires, time) ? OK : TOO_MANY_AGENTS;
}

export function approveNamed(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { accounts, agents, result, revocations } = trading;
  const { u32 } = views;
  const word = at >>> 2;
  const agent = word + WORD_AGENT;
  const name = (at + BYTE_AGENT_NAME + 4) >>> 2;
  if (isApprovalVoid(revocations, account, u32, agent, u32[word + WORD_NONCE], u32[word + WORD_NONCE + 1])) {
    result.code = APPROVAL_VOID;
    return;
  }
  const former = views.u8[at + BYTE_AGENT_NAME] === 0 ? -1 : rowOfName(agents, accounts, account, u32, name, time);
  if (former >= 0 && !sameAddress(agents.address, former * 5, u32, agent)) {
    voidApprovals(revocations, account, agents.address, former * 5, u32[word + WORD_NONCE], u32[word + WORD_NONCE + 1]);
    revokeAgent(agents, accounts, account, agents.address, former * 5, time);
    writeAgent(trading, AGENT_REVOKED, account, agents.address, former * 5, 0);
  }
  if (!bindAgent(trading, account, u32, agent, readSafe(views, word + WORD_AGENT_EXPIRES), time)) {
    result.code = TOO_MANY_AGENTS;
    return;
  }
  const row = rowOfAgent(agents, accounts, account, u32, agent);
  for (let i = 0; i < AGENT_NAME_WORDS; i++) agents.names[row * AGENT_NAME_WORDS + i] = u32[name + i];
}

/** Voids earlier approvals that may still arrive, even if the agent is not active. */
export function revoke(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const word = (at >>> 2) + WORD_AGENT;
  const nonce = (at >>> 2) + WORD_NONCE;
  const revoked = revokeAgent(trading.agents, trading.accounts, account, views.u32, word, time);
  voidApprovals(trading.revocations, account, views.u32, word, views.u32[nonce], views.u32[nonce + 1]);
  if (revoked) writeAgent(trading, AGENT_REVOKED, account, views.u32, word, 0);
  trading.result.code = revoked ? OK : AGENT_NOT_FOUND;
}

/** Result: OK with the number of revoked agents, at most AGENTS_PER_WALLET. */
export function revokeAll(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { accounts, agents, result } = trading;
  const nonce = (at >>> 2) + WORD_NONCE;
  voidAllApprovals(trading.revocations, account, views.u32[nonce], views.u32[nonce + 1]);
  for (let row = revokeFirst(agents, accounts, account, time); row >= 0; row = revokeFirst(agents, accounts, account, time)) {
    writeAgent(trading, AGENT_REVOKED, account, agents.address, row * 5, 0);
    result.numbers[0]++;
  }
  result.code = OK;
}

/** Nothing signed with a nonce up to this one can act any more. */
export function voidNonces(trading: Trading, views: Views, at: number, account: number): void {
  const word = (at >>> 2) + WORD_UP_TO;
  voidUpTo(trading.nonces, account, views.u32[word], views.u32[word + 1]);
  trading.result.code = OK;
}

export function checkTier(views: Views, at: number): number {
  return views.u32[(at >>> 2) + WORD_TIER] >= TIER_COUNT ? INVALID_TIER : OK;
}
