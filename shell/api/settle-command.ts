// The result of a command from main's reply: what took effect, the first outcome of a used nonce, how an order ended that is no longer
// open, why a signature does not fit, or a refusal with the text of its code. Where the reader knows the rest, it is asked.

import { SET_TIER } from '../../core/codec/commands.ts';
import {
  DONE_MARKET_DELETED, NEW_WALLET_LIMIT, NO_ORDERBOOK, NONCE_USED, NOT_OPEN, OK, RATE_LIMITED, UNAUTHORIZED,
} from '../../core/errors.ts';
import { allowedOf, rateClassOf } from '../../core/sequencer/budgets.ts';
import type { TierLimits } from '../../core/tiers.ts';
import { HOUR } from '../../core/units.ts';
import { toHex } from '../http/hex.ts';
import { doneStanding, notOpenReason } from '../http/bodies/order-end.ts';
import { BUSY, LATE, refuse, type Refused } from '../http/errors.ts';
import type { ResponseHeaders, BudgetLeft } from '../http/message.ts';
import { hintOfCode } from '../http/hints.ts';
import { rateHeaders, rateLimited } from '../http/rate-headers.ts';
import { numberFacts, sayCode, type Facts } from '../http/texts.ts';
import type { OrderStanding, Outcome, QueryParameters } from '../ipc/queries.ts';
import { attempt, type Action, type Effect, type RefusedOrder, type Result } from './action.ts';
import type { Command } from './command.ts';
import type { ApiContext } from './context.ts';
import { diagnoseSignature } from './signature-diagnosis.ts';
import { bodyJson } from './reader-client.ts';
import type { Reply } from './reply.ts';
import { signatureDetails } from './signature.ts';

/** Called once. */
type Finish = (result: Result) => void;

/** Calls `end` with the result, now or when the reader has answered. */
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

/** A refusal by its code: an HTTP error, or a 200 whose body carries the text. `facts`: substitutions beside the action's own. */
function refusal(api: ApiContext, action: Action, reply: Reply, facts: Facts = {}): Result {
  const own = action.says?.(reply.code);
  if (own !== undefined) return rejection(api, action, reply, NO_ORDER, own);
  const row = rowOf(api, reply);
  const { way, text } = sayCode(reply.code, {
    ...numberFacts(reply.numbers), limit: String(limitOf(api, reply)), ...newWalletFacts(reply), max_open_orders: String(reply.numbers[0]),
    max_positions: String(row.positions), max_position: String(api.config.maxPositionUsdc),
    ...action.facts?.(), ...(reply.order !== null && { symbol: reply.order.symbol }), ...facts,
  });
  if (way === 'rejected' || way === 'failed') return rejection(api, action, reply, refusedOrderOf(reply), text);
  // By the clock as it is: after it was set back, the venue's time stands still in a window that ends when it has caught up.
  if (reply.code === RATE_LIMITED) return rateLimited(budgetOf(api, reply)!, api.now(), text);
  if (reply.code === NEW_WALLET_LIMIT) {
    const windowEnd = (Math.floor(reply.time / HOUR) + 1) * HOUR / 1_000;
    return rateLimited({ limit: reply.numbers[0]!, left: 0, windowEnd }, api.now(), text);
  }
  return { ...refuse(way, text), headers: budgetHeaders(api, reply), extra: hintOfCode(reply.code) };
}

const NO_ORDER: RefusedOrder = { order: null, standing: null };

/** An order that is open and whose market was deleted has ended already. */
function refusedOrderOf({ code, order }: Reply): RefusedOrder {
  return { order, standing: code === NO_ORDERBOOK ? doneStanding(DONE_MARKET_DELETED) : null };
}

function rejection(api: ApiContext, action: Action, reply: Reply, about: RefusedOrder, reason: string): Result {
  if (action.rejected === undefined) throw new RangeError(`outcome ${reply.code} is no refusal of this command`);
  return { ok: true, body: action.rejected(reply.time, about, reason), reason, isReplay: false, headers: budgetHeaders(api, reply) };
}

/** The first outcome of a used nonce: the same request sees it again, any other is refused (decision 3.3). */
function settleReplay(api: ApiContext, action: Action, command: Command, reply: Reply, finish: Finish): void {
  const { kind, wallet, signed, source, items } = command;
  const { signer, nonce: { lo, hi }, digest } = signed!;
  // A bulk is one request to its source's budget; each item that comes again is another.
  const spent = items === undefined ? null : api.sources.takeRequest(source);
  if (spent !== null) return finish(rateLimited(spent, api.now()));
  const owner = kind === SET_TIER ? signer : wallet;
  const nonce = ((BigInt(hi) << 32n) | BigInt(lo)).toString();
  // What cannot be looked up now may have acted before: it is neither refused nor called another's.
  askReader(api, 'outcome', { wallet: toHex(owner), nonce }, LATE, finish, (body) => {
    const outcome = bodyJson(body) as Outcome;
    const isSame = outcome !== null && `0x${outcome.digest}` === toHex(digest);
    return isSame ? success(action, outcome, true, budgetHeaders(api, reply)) : refusal(api, action, reply, { nonce });
  });
}

/** Asks the reader for the rest of a result; `busy` is the result when it has no room for the question. */
function askReader<Q extends 'order' | 'outcome'>(
  api: ApiContext, query: Q, parameters: QueryParameters[Q], busy: Refused, finish: Finish, tell: (body: Uint8Array) => Result,
): void {
  const asked = api.reads.ask(query, parameters, ({ status, body }) => {
    if (status === 503) return finish(busy);
    finish(attempt(api, query, () => {
      if (status !== 200) throw new Error(`the reader answered ${status}`);
      return tell(body);
    }));
  }, () => finish(LATE));
  if (!asked) finish(busy);
}

/** Nobody who may act for the wallet: 401, or 400 with the form of the request that was signed instead (decision 6.3). */
function settleUnauthorized(api: ApiContext, action: Action, command: Command, finish: Finish): void {
  const extra = signatureDetails(api, command.signed!);
  const unauthorized: Refused = { ...refuse('unauthorized', sayCode(UNAUTHORIZED, {}).text), extra };
  api.sources.countFailure(command.source);
  diagnoseSignature(api, action.signature!.form, command, (found) => {
    if (found === null) finish(unauthorized);
    else finish({ ...refuse('signature_verification_failed', `Signature verification failed: it was made for ${found}`), extra });
  });
}

/**
 * The core holds open orders only: the reader says what it knows of the one named, as of this command's own moment, and why it
 * cannot be cancelled. It may be further by now, and the client id used again.
 */
function settleNotOpen(api: ApiContext, action: Action, command: Command, reply: Reply, finish: Finish): void {
  const named = action.names!;
  const [name, text] = 'orderId' in named ? ['order_id', named.orderId] : ['client_id', named.clientId];
  askReader(api, 'order', { wallet: toHex(command.wallet), as_of: reply.seq, [name]: text }, BUSY, finish, (body) => {
    const found = bodyJson(body) as OrderStanding;
    const { order, reason } = found;
    const standing = reason === null ? null : doneStanding(reason);
    return rejection(api, action, reply, { order, standing }, notOpenReason(text, found));
  });
}

/** X-RateLimit headers of the budget that main charged, or gave back to; none where it keeps none. */
function budgetHeaders(api: ApiContext, reply: Reply): ResponseHeaders {
  const budget = budgetOf(api, reply);
  return budget === null ? {} : rateHeaders(budget);
}

/** Where the wallet's budget stands; null where main keeps none. */
function budgetOf(api: ApiContext, reply: Reply): BudgetLeft | null {
  return reply.left === null ? null : { limit: limitOf(api, reply), left: reply.left, windowEnd: reply.windowEnd };
}

/** As the limits of `--new-wallets` stand one behind the other. */
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
