// What a reply of main says to whoever sent the command: its effect, a refusal with the text of its code, the first outcome of
// a used nonce, how an order ended that is no longer open. The last two are the reader's to know.

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
import { attempt, type About, type Effect, type End, type Ending, type Named, type Sent, type Telling } from './action.ts';
import type { Signed } from './command.ts';
import type { Api } from './context.ts';
import { diagnose } from './diagnosis.ts';
import { bodyJson } from './reader-link.ts';
import type { Reply } from './reply.ts';
import { signatureDetails } from './signature.ts';

/** Calls `end` once, now or when the reader has answered. */
export function settle(api: Api, sent: Sent, reply: Reply, end: End): void {
  const { signed, telling } = sent;
  if (reply.code === OK) return end(attempt(api, 'reply', () => effective(telling, reply, false, budgetHeaders(api, reply))));
  if (reply.code === NONCE_USED && signed !== null) return tellUsedNonce(api, sent, signed, reply, end);
  if (reply.code === UNAUTHORIZED && signed !== null) return tellStranger(api, sent, signed, end);
  if (reply.code === NOT_OPEN && telling.names !== undefined) return tellStanding(api, sent, telling.names, reply, end);
  end(attempt(api, 'reply', () => refusal(api, sent, reply)));
}

function effective(telling: Telling, effect: Effect, isReplay: boolean, headers: ResponseHeaders): Ending {
  return { ok: true, body: telling.done(effect), reason: null, isReplay, headers };
}

/** A refusal by its code: an HTTP error, or a 200 whose body carries the text. `facts`: substitutions beside the command's own. */
function refusal(api: Api, { telling }: Sent, reply: Reply, facts: Facts = {}): Ending {
  const own = telling.says?.(reply.code);
  if (own !== undefined) return rejection(api, telling, reply, NOTHING, own);
  const row = rowOf(api, reply);
  const { way, text } = sayCode(reply.code, {
    ...numberFacts(reply.numbers), limit: String(limitOf(api, reply)), ...newWalletFacts(reply), max_open_orders: String(reply.numbers[0]),
    max_positions: String(row.positions), max_position: String(api.config.maxPositionUsdc),
    ...telling.facts?.(), ...(reply.order !== null && { symbol: reply.order.symbol }), ...facts,
  });
  if (way === 'rejected' || way === 'failed') return rejection(api, telling, reply, aboutOf(reply), text);
  // By the clock as it is: after it was set back, the venue's time stands still in a window that ends when it has caught up.
  if (reply.code === RATE_LIMITED) return rateLimited(budgetOf(api, reply)!, api.now(), text);
  if (reply.code === NEW_WALLET_LIMIT) {
    const windowEnd = (Math.floor(reply.time / HOUR) + 1) * HOUR / 1_000;
    return rateLimited({ limit: reply.numbers[0]!, left: 0, windowEnd }, api.now(), text);
  }
  return { ...refuse(way, text), headers: budgetHeaders(api, reply), extra: hintOfCode(reply.code) };
}

const NOTHING: About = { order: null, standing: null };

/** An order that is open and whose market was deleted has ended already. */
function aboutOf({ code, order }: Reply): About {
  return { order, standing: code === NO_ORDERBOOK ? doneStanding(DONE_MARKET_DELETED) : null };
}

function rejection(api: Api, telling: Telling, reply: Reply, about: About, reason: string): Ending {
  if (telling.rejected === undefined) throw new RangeError(`outcome ${reply.code} is no refusal of this command`);
  return { ok: true, body: telling.rejected(reply.time, about, reason), reason, isReplay: false, headers: budgetHeaders(api, reply) };
}

/** The first outcome of a used nonce: the same request sees it again, any other is refused (decision 3.3). */
function tellUsedNonce(api: Api, sent: Sent, signed: Signed, reply: Reply, end: End): void {
  const { command, telling } = sent;
  // A bulk is one request to its source's budget; each item that comes again is another.
  const spent = command.items === undefined ? null : api.sources.takeRequest(command.source);
  if (spent !== null) return end(rateLimited(spent, api.now()));
  const owner = command.kind === SET_TIER ? signed.signer : command.wallet;
  const nonce = ((BigInt(signed.nonce.hi) << 32n) | BigInt(signed.nonce.lo)).toString();
  // What cannot be looked up now may have acted before: it is neither refused nor called another's.
  askPast(api, 'outcome', { wallet: toHex(owner), nonce }, LATE, end, (body) => {
    const outcome = bodyJson(body) as Outcome;
    const isSame = outcome !== null && `0x${outcome.digest}` === toHex(signed.digest);
    return isSame ? effective(telling, outcome, true, budgetHeaders(api, reply)) : refusal(api, sent, reply, { nonce });
  });
}

/** What the answer to a command still owes and the reader knows; `busy` is the answer where that has no room for the question. */
function askPast<Q extends 'order' | 'outcome'>(
  api: Api, query: Q, parameters: QueryParameters[Q], busy: Refused, end: End, tell: (body: Uint8Array) => Ending,
): void {
  const asked = api.reads.ask(query, parameters, ({ status, body }) => {
    if (status === 503) return end(busy);
    end(attempt(api, query, () => {
      if (status !== 200) throw new Error(`the reader answered ${status}`);
      return tell(body);
    }));
  }, () => end(LATE));
  if (!asked) end(busy);
}

/** Nobody who may act for the wallet: 401, or 400 with the form of the request that was signed instead (decision 6.3). */
function tellStranger(api: Api, sent: Sent, signed: Signed, end: End): void {
  const extra = signatureDetails(api, signed);
  const stranger: Refused = { ...refuse('unauthorized', sayCode(UNAUTHORIZED, {}).text), extra };
  api.sources.countFailure(sent.command.source);
  diagnose(api, sent, signed, (found) => {
    if (found === null) end(stranger);
    else end({ ...refuse('signature_verification_failed', `Signature verification failed: it was made for ${found}`), extra });
  });
}

/**
 * The core holds open orders only: the reader says what it knows of the one named, as of this command's own moment, and why it
 * cannot be cancelled. It may be further by now, and the client id used again.
 */
function tellStanding(api: Api, { command, telling }: Sent, named: Named, reply: Reply, end: End): void {
  const wallet = toHex(command.wallet);
  const name = 'orderId' in named ? { order_id: named.orderId } : { client_id: named.clientId };
  askPast(api, 'order', { wallet, as_of: reply.seq, ...name }, BUSY, end, (body) => {
    const found = bodyJson(body) as OrderStanding;
    const { order, reason } = found;
    const standing = reason === null ? null : doneStanding(reason);
    return rejection(api, telling, reply, { order, standing }, notOpenReason('orderId' in named ? named.orderId : named.clientId, found));
  });
}

/** X-RateLimit headers of the budget that main charged, or gave back to; none where it keeps none. */
function budgetHeaders(api: Api, reply: Reply): ResponseHeaders {
  const budget = budgetOf(api, reply);
  return budget === null ? {} : rateHeaders(budget);
}

/** Where the wallet's budget stands; null where main keeps none. */
function budgetOf(api: Api, reply: Reply): BudgetLeft | null {
  return reply.left === null ? null : { limit: limitOf(api, reply), left: reply.left, windowEnd: reply.windowEnd };
}

/** As the limits of `--new-wallets` stand one behind the other. */
const NETWORKS = ['network source', 'IPv6 /56', 'IPv6 /48', 'venue'];

function newWalletFacts({ code, numbers: [limit, size] }: Reply): Facts {
  return code === NEW_WALLET_LIMIT ? { limit: String(limit), network: NETWORKS[size!]! } : {};
}

function limitOf(api: Api, reply: Reply): number {
  return allowedOf(rowOf(api, reply), rateClassOf(reply.kind));
}

function rowOf(api: Api, reply: Reply): TierLimits {
  return api.config.table[reply.tier]!;
}
