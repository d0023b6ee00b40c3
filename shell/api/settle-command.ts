// Main's reply as the result of a command. The reader is asked for what main does not know: first outcomes of used
// nonces, how orders ended, agents.

import { SET_TIER } from '../../core/codec/commands.ts';
import {
  DONE_MARKET_DELETED, NEW_WALLET_LIMIT, NO_ORDERBOOK, NONCE_USED, NOT_OPEN, OK, RATE_LIMITED, UNAUTHORIZED,
} from '../../core/errors.ts';
import { allowedOf, rateClassOf } from '../../core/sequencer/rate-budgets.ts';
import type { TierLimits } from '../../core/tiers.ts';
import { HOUR } from '../../core/units.ts';
import { toHex } from '../http/hex.ts';
import { endedStatus, notOpenReason } from '../http/bodies/order-status.ts';
import { BUSY, ANSWER_TIMEOUT, refuse, type Refused } from '../http/errors.ts';
import type { ResponseHeaders, BudgetLeft } from '../http/message.ts';
import { hintOfCode } from '../http/hints.ts';
import { rateHeaders, rateLimited } from '../http/rate-headers.ts';
import { numberFacts, outcomeText, type Facts } from '../http/outcome-texts.ts';
import type { OrderFacts, OrderStanding, Outcome, QueryParameters } from '../ipc/queries.ts';
import { attempt, type Action, type Effect, type RefusedOrder, type Result } from './action.ts';
import type { Command } from './command.ts';
import type { ApiContext } from './context.ts';
import { diagnoseSignature } from './signature-diagnosis.ts';
import { bodyJson } from './reader-client.ts';
import type { Reply } from './reply.ts';
import { signatureDetails } from './signature.ts';

type Finish = (result: Result) => void;

export function settleCommand(api: ApiContext, action: Action, command: Command, reply: Reply, finish: Finish): void {
  switch (reply.code) {
    case OK: return finish(attempt(api, 'reply', () => success(action, reply, false, budgetHeaders(api, reply))));
    case NONCE_USED: return settleReplay(api, action, command, reply, finish);
    case UNAUTHORIZED: return settleUnauthorized(api, action, command, finish);
    case NOT_OPEN: return settleNotOpen(api, action, command, reply, finish);
    default: return finish(attempt(api, 'reply', () => refusal(api, action, reply)));
  }
}

function success(action: Action, effect: Effect, isReplay: boolean, headers: ResponseHeaders): Result {
  return { ok: true, body: action.done(effect), reason: null, isReplay, headers };
}

function refusal(api: ApiContext, action: Action, reply: Reply, facts: Facts = {}): Result {
  const own = action.says?.(reply.code);
  if (own !== undefined) return rejection(api, action, reply, NO_ORDER, own);
  const row = rowOf(api, reply);
  const { way, text } = outcomeText(reply.code, {
    ...numberFacts(reply.numbers), limit: String(limitOf(api, reply)), ...newWalletFacts(reply), max_open_orders: String(reply.numbers[0]),
    max_positions: String(row.positions), max_position: String(api.config.maxPositionUsdc),
    ...action.facts?.(), ...(reply.order !== null && marketOf(reply.order)), ...facts,
  });
  if (way === 'rejected' || way === 'failed') return rejection(api, action, reply, refusedOrderOf(reply), text);
  if (reply.code === RATE_LIMITED) return rateLimited(budgetOf(api, reply)!, api.now(), text);
  if (reply.code === NEW_WALLET_LIMIT) {
    const windowEnd = (Math.floor(reply.time / HOUR) + 1) * HOUR / 1_000;
    return rateLimited({ limit: reply.numbers[0]!, left: 0, windowEnd }, api.now(), text);
  }
  return { ...refuse(way, text), headers: budgetHeaders(api, reply), extra: hintOfCode(reply.code) };
}

function marketOf({ symbol }: OrderFacts): Facts {
  return { symbol, underlying: symbol.slice(0, symbol.indexOf('-')) };
}

const NO_ORDER: RefusedOrder = { order: null, standing: null };

/** An open order of a deleted market has ended. */
function refusedOrderOf({ code, order }: Reply): RefusedOrder {
  return { order, standing: code === NO_ORDERBOOK ? endedStatus(DONE_MARKET_DELETED) : null };
}

function rejection(api: ApiContext, action: Action, reply: Reply, about: RefusedOrder, reason: string): Result {
  if (action.rejected === undefined) throw new RangeError(`code ${reply.code} is not a refusal of this command`);
  return { ok: true, body: action.rejected(reply.time, about, reason), reason, isReplay: false, headers: budgetHeaders(api, reply) };
}

/** The same request gets its first outcome again; another one with that nonce is refused (decision 3.3). */
function settleReplay(api: ApiContext, action: Action, command: Command, reply: Reply, finish: Finish): void {
  const { kind, wallet, signed, source, items } = command;
  const { signer, nonce: { lo, hi }, digest } = signed!;
  const spent = items === undefined ? null : api.sources.takeRequest(source);
  if (spent !== null) return finish(rateLimited(spent, api.now()));
  const owner = kind === SET_TIER ? signer : wallet;
  const nonce = ((BigInt(hi) << 32n) | BigInt(lo)).toString();
  // If the reader is busy the outcome stays unknown: the request may have acted, so it is not refused.
  askReader(api, 'outcome', { wallet: toHex(owner), nonce }, ANSWER_TIMEOUT, finish, (body) => {
    const outcome = bodyJson(body) as Outcome;
    const isSame = outcome !== null && `0x${outcome.digest}` === toHex(digest);
    return isSame ? success(action, outcome, true, budgetHeaders(api, reply)) : refusal(api, action, reply, { nonce });
  });
}

function askReader<Q extends 'order' | 'outcome'>(
  api: ApiContext, query: Q, parameters: QueryParameters[Q], busy: Refused, finish: Finish, tell: (body: Uint8Array) => Result,
): void {
  const asked = api.reads.ask(query, parameters, ({ status, body }) => {
    if (status === 503) return finish(busy);
    finish(attempt(api, query, () => {
      if (status !== 200) throw new Error(`the reader answered ${status}`);
      return tell(body);
    }));
  }, () => finish(ANSWER_TIMEOUT));
  if (!asked) finish(busy);
}

/** 401, or 400 that names what was signed instead (decision 6.3). */
function settleUnauthorized(api: ApiContext, action: Action, command: Command, finish: Finish): void {
  const extra = signatureDetails(api, command.signed!);
  const unauthorized: Refused = { ...refuse('unauthorized', outcomeText(UNAUTHORIZED, {}).text), extra };
  api.sources.countFailure(command.source);
  diagnoseSignature(api, action.signature!.form, command, (found) => {
    if (found === null) finish(unauthorized);
    else finish({ ...refuse('signature_verification_failed', `Signature verification failed: it was made for ${found}`), extra });
  });
}

/** The core knows open orders only. The reader answers as of the command's own seq, because the client id may be reused since. */
function settleNotOpen(api: ApiContext, action: Action, command: Command, reply: Reply, finish: Finish): void {
  const named = action.names!;
  const [name, text] = 'orderId' in named ? ['order_id', named.orderId] : ['client_id', named.clientId];
  askReader(api, 'order', { wallet: toHex(command.wallet), as_of: reply.seq, [name]: text }, BUSY, finish, (body) => {
    const found = bodyJson(body) as OrderStanding;
    const { order, reason } = found;
    const standing = reason === null ? null : endedStatus(reason);
    return rejection(api, action, reply, { order, standing }, notOpenReason(text, found));
  });
}

function budgetHeaders(api: ApiContext, reply: Reply): ResponseHeaders {
  const budget = budgetOf(api, reply);
  return budget === null ? {} : rateHeaders(budget);
}

function budgetOf(api: ApiContext, reply: Reply): BudgetLeft | null {
  return reply.left === null ? null : { limit: limitOf(api, reply), left: reply.left, windowEnd: reply.windowEnd };
}

const NETWORKS = ['network source', 'IPv6 /56', 'IPv6 /48', 'venue'];

function newWalletFacts({ code, numbers: [limit, size] }: Reply): Facts {
  return code === NEW_WALLET_LIMIT ? { limit: String(limit), network: NETWORKS[size!]! } : {};
}

function limitOf(api: ApiContext, reply: Reply): number {
  return allowedOf(rowOf(api, reply), rateClassOf(reply.kind));
}

function rowOf(api: ApiContext, reply: Reply): TierLimits {
  return api.config.table[reply.tier]!;
}
