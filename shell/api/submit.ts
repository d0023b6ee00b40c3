// The way of a signed request: queue of checks, digest, signer, command, reply, answer. Order of refusals (decision
// 3.12): the fields were read by the router; then the signature (400, or 401 once main has judged the signer), nonce,
// rate, the first failed value check, caps. So everything about the wallet is main's to say, and the value checks made
// here travel as a code. A signature is checked before anything is sent; nothing is sent when there is no room.

import { CANCEL_BY_CLIENT_ID, CANCEL_ORDER, PLACE_ORDER, REPLACE_ORDER } from '../../core/codec/commands.ts';
import { NEW_WALLET_LIMIT, NONCE_USED, RATE_LIMITED, UNAUTHORIZED } from '../../core/errors.ts';
import { NEW_WALLETS_PER_HOUR } from '../../core/sequencer/budgets.ts';
import { HOUR } from '../../core/units.ts';
import { LAW_LIMITS, type TierLimits } from '../../core/tiers.ts';
import type { StructureName, Values } from '../auth/eip712.ts';
import { parseHex, toHex } from '../auth/hex.ts';
import { digestPerpOrder, exchangeHasher, perpSource, type PerpOrder } from '../auth/perp-action.ts';
import { sendError } from '../http/errors.ts';
import type { Uint64 } from '../http/fields.ts';
import type { HttpRequest, ResponseHeaders } from '../http/message.ts';
import { limitedBy, rateHeaders } from '../http/rate-headers.ts';
import { numberFacts, sayCode, type Facts } from '../http/texts.ts';
import type { Outcome } from '../reader/protocol.ts';
import type { Command, Signed } from './command.ts';
import { guarded, sendBusy, sendTimeout, type Api, type Client } from './context.ts';
import { textsOf, type AnyValues } from './proof.ts';
import type { Reply } from './reply.ts';

const SIGNATURE_BYTES = 65;

/** A client with its request. */
type Asking = Client & { readonly request: HttpRequest };

/** A request whose fields were read. */
type SignedRequest = Asking & {
  readonly nonce: Uint64;
  /** '0x' and 130 hex digits. */
  readonly signature: string;
  /** The command once the signer is known, or null when the client has been answered. */
  readonly command: (signed: Signed) => Command | null;
  readonly settle: (reply: Reply, signed: Signed) => void;
};

type TypedRequest<S extends StructureName> = SignedRequest & { readonly structure: S; readonly values: Values<S> };

type PerpRequest = SignedRequest & {
  readonly wallet: Uint8Array;
  readonly order: PerpOrder;
  /** The texts of the order by the names that proofs know them by. */
  readonly values: AnyValues;
};

/** A signature as it was checked; without a signer it gives none. */
type Checked = Omit<Signed, 'signer'> & { readonly signer: Uint8Array | null };

/** Checks the signature, now or in a later turn, and sends the command. */
export function submit<S extends StructureName>(api: Api, asked: TypedRequest<S>): void {
  const { structure, values, nonce } = asked;
  check(api, asked, (signature) => {
    const digest = new Uint8Array(32);
    api.hasher.digest(structure, values, digest);
    const structHash = api.hasher.structHash.slice();
    const texts = textsOf(structure, values as AnyValues);
    return { structure, texts, nonce, signature, digest, structHash, signer: signerOf(api, digest, signature) };
  });
}

/**
 * The same for a perp order. Its hash ends in one form when the wallet signs and in another when an agent does (decision
 * 3.11), so a signer that the first form gives and that is not the wallet is looked for again in the second.
 */
export function submitPerp(api: Api, asked: PerpRequest): void {
  const { wallet, order, values, nonce } = asked;
  const texts = textsOf('Agent', values);
  check(api, asked, (signature) => {
    const form = (agentFor: Uint8Array | null): Checked => {
      const digest = new Uint8Array(32);
      digestPerpOrder(perpSource(api.hasher.domain), order, nonce, agentFor, digest);
      const structHash = exchangeHasher.structHash.slice();
      return { structure: 'Agent', texts, nonce, signature, digest, structHash, signer: signerOf(api, digest, signature) };
    };
    const own = form(null);
    if (own.signer === null || isSame(own.signer, wallet)) return own;
    const agents = form(wallet);
    // The wallet has one form only, or an order of its own could be told in two ways.
    return agents.signer === null || isSame(agents.signer, wallet) ? own : agents;
  });
}

function check(api: Api, asked: SignedRequest, recover: (signature: Uint8Array) => Checked): void {
  const spent = api.sources.failuresSpent(asked.request.source);
  if (spent !== null) {
    const text = `Rate limit exceeded: ${spent.limit} failed signatures per minute`;
    const more = limitedBy(spent.limit, spent.windowEnd, api.now());
    return sendError(asked.responder, asked.envelope, 'rate_limit_exceeded', text, more);
  }
  const queued = api.checks.run(() => guarded(api, 'signature', asked, () => {
    const signature = new Uint8Array(SIGNATURE_BYTES);
    parseHex(asked.signature, signature);
    const checked = recover(signature);
    const { signer } = checked;
    if (signer === null) return refuseSignature(api, asked, checked);
    const signed = { ...checked, signer };
    const command = asked.command(signed);
    if (command !== null) sendCommand(api, asked, command, (reply) => asked.settle(reply, signed));
  }));
  if (!queued) sendBusy(asked);
}

function signerOf(api: Api, digest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  const signer = new Uint8Array(20);
  return api.backend.recover(digest, signature, signer) ? signer : null;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, at) => byte === b[at]);
}

function refuseSignature(api: Api, { request, responder, envelope }: Asking, checked: Checked): void {
  api.sources.countFailure(request.source);
  const text = 'Signature verification failed: no signer can be recovered';
  sendError(responder, envelope, 'signature_verification_failed', text, { extra: signatureDetails(api, checked) });
}

/** Sends a command and sees to it that its client is answered. */
export function sendCommand(api: Api, client: Client, command: Command, settle: (reply: Reply) => void): void {
  const sent = api.writes.send(
    command, (reply) => guarded(api, 'reply', client, () => settle(reply)), () => sendTimeout(client),
  );
  if (!sent) sendBusy(client);
}

/** What was computed, for a client that looks for its mistake (decision 6.3). */
function signatureDetails(api: Api, { structure, digest, structHash, signer }: Checked): object {
  const { domain } = structure === 'Agent' ? exchangeHasher : api.hasher;
  return { digest: toHex(digest), struct_hash: toHex(structHash), recovered: signer === null ? null : toHex(signer), domain };
}

/** X-RateLimit headers of the budget that main charged; none where it keeps none. */
export function budgetHeaders(api: Api, reply: Reply): ResponseHeaders {
  return reply.left === null ? {} : rateHeaders(limitOf(api, reply), reply.left, reply.windowEnd);
}

function limitOf(api: Api, reply: Reply): number {
  const row = rowOf(api, reply);
  if (reply.kind === PLACE_ORDER || reply.kind === REPLACE_ORDER) return row.orders;
  return reply.kind === CANCEL_ORDER || reply.kind === CANCEL_BY_CLIENT_ID ? row.cancels : row.requests;
}

function rowOf(api: Api, reply: Reply): TierLimits {
  return api.config.table[reply.tier] ?? LAW_LIMITS[0]!;
}

/**
 * Answers a refusal that is an HTTP error and returns null; gives the text of any other back to the caller, whose body
 * carries it. `facts` are the request's own substitutions.
 */
export function sayRefusal(api: Api, client: Asking, reply: Reply, signed: Signed | null, facts: Facts): string | null {
  const row = rowOf(api, reply);
  const { way, text } = sayCode(reply.code, {
    ...numberFacts(reply.numbers), limit: String(limitOf(api, reply)), max_open_orders: String(row.openOrders),
    max_positions: String(row.positions), max_position: String(api.config.maxPositionUsdc), ...facts,
  });
  if (way === 'rejected' || way === 'failed') return text;
  const { responder, envelope } = client;
  if (reply.code === RATE_LIMITED || reply.code === NEW_WALLET_LIMIT) {
    const isHourly = reply.code === NEW_WALLET_LIMIT;
    const end = isHourly ? (Math.floor(reply.time / HOUR) + 1) * HOUR / 1_000 : reply.windowEnd;
    sendError(responder, envelope, way, text, limitedBy(isHourly ? NEW_WALLETS_PER_HOUR : limitOf(api, reply), end, reply.time));
  } else if (reply.code === UNAUTHORIZED && signed !== null) {
    api.sources.countFailure(client.request.source);
    sendError(responder, envelope, way, text, { extra: signatureDetails(api, signed) });
  } else {
    sendError(responder, envelope, way, text, { headers: budgetHeaders(api, reply) });
  }
  return null;
}

/** The first outcome of a used nonce: the same request sees it again, any other is refused (decision 3.3). */
export function answerUsedNonce(
  api: Api, client: Asking, reply: Reply, signed: Signed, wallet: Uint8Array, again: (outcome: NonNullable<Outcome>) => string,
): void {
  const nonce = ((BigInt(signed.nonce.hi) << 32n) | BigInt(signed.nonce.lo)).toString();
  const asked = api.reads.ask('outcome', { wallet: toHex(wallet), nonce }, ({ status, body }) => guarded(api, 'outcome', client, () => {
    const outcome = status === 200 ? JSON.parse(Buffer.from(body).toString('utf8')) as Outcome : null;
    const isSame = outcome !== null && `0x${outcome.digest}` === toHex(signed.digest);
    if (isSame) client.responder.send(200, again(outcome), { 'Idempotent-Replay': 'true' });
    else sayRefusal(api, client, { ...reply, code: NONCE_USED }, signed, { nonce });
  }), () => sendTimeout(client));
  if (!asked) sendBusy(client);
}
