// Takes one request of POST /hl/exchange, or an action by socket: form → signature → wallet → command → answer. What the venue refuses is
// an answer with status `err` in a 200, as their clients expect it.

import { APPROVE_NAMED_AGENT, BATCH } from '../../../core/codec/commands.ts';
import { u64Of } from '../../../core/codec/fields.ts';
import { ITEM_NUMBERS } from '../../../core/codec/batch-items.ts';
import { SIGNATURE_BYTES } from '../../../core/codec/proof.ts';
import { REPLY_BYTES, REPLY_WITH_IMAGE_BYTES } from '../../../core/codec/reply.ts';
import type { U64 } from '../../../core/codec/signed-commands.ts';
import { OK } from '../../../core/errors.ts';
import { BATCH_TEXT_BYTES } from '../../../core/limits.ts';
import { ANSWER_TIMEOUT, BUSY, type Checked, type Refused } from '../../http/errors.ts';
import { parseHex, toHex } from '../../http/hex.ts';
import { BOUNDS } from '../../http/limits.ts';
import { rateLimited, rateLimitText } from '../../http/rate-headers.ts';
import type { Source } from '../../http/source.ts';
import { readStrictBody } from '../../http/unknown-fields.ts';
import type { QueryName, QueryParameters, SignerFacts } from '../../ipc/queries.ts';
import type { Order } from '../../http/shapes/trading.ts';
import { isObject, type JsonObject } from '../../process/json-object.ts';
import { digestAction } from '../auth/l1-action.ts';
import { exchangeHasher } from '../auth/perp-action.ts';
import type { Command, VerifiedSignature } from '../command.ts';
import type { ApiContext } from '../context.ts';
import { textsOf } from '../proof-texts.ts';
import { bodyJson } from '../reader-client.ts';
import type { Reply } from '../reply.ts';
import { utf8Bytes } from '../utf8.ts';
import { actionOfText, batchFields, parseAction } from './action.ts';
import { approvalFields, digestTexts, parseApproval } from './approve-agent.ts';
import { answerOf, keptNames, refusalText, type Cloids } from './answers.ts';
import { recordedCoins } from './assets.ts';
import { cloidOf, malformed, NOT_HERE, notHere, whole } from './order-wire.ts';

const any = { kind: 'ignored', optional: true } as const;
const REQUEST = {
  action: any, signature: any, isFrontend: any, nonce: whole, vaultAddress: { kind: 'text', maxBytes: 42, optional: true },
  expiresAfter: { ...whole, optional: true },
} as const;
/** Their clients leave out zeros that a number begins with. */
const WORD = /^(?:0x)?([0-9a-fA-F]{1,64})$/;
const ADDRESS = /^(?:0x)?([0-9a-fA-F]{40})$/;
const ERR = 'err';
const LONG_TEXT = 1_024;

type Sent = Command & { readonly signed: VerifiedSignature };
type Answer = { readonly status: 'ok' | 'err'; readonly response: unknown };

export async function answerExchange(api: ApiContext, source: Source, request: JsonObject): Promise<Checked<Answer>> {
  const answer = await exchange(api, source, request);
  return answer.ok || answer.code !== NOT_HERE ? answer : { ok: true, value: { status: ERR, response: answer.message } };
}

async function exchange(api: ApiContext, source: Source, request: JsonObject): Promise<Checked<Answer>> {
  const read = readStrictBody(REQUEST, request);
  if (!read.ok) return read;
  const { action } = request;
  const signature = signatureOf(request['signature']);
  const vault = vaultOf(read.value.vaultAddress);
  if (!isObject(action) || signature === null || vault === null) return malformed();
  if (action['type'] === 'approveAgent') return approve(api, source, action, read.value.nonce, signature);
  const { coins, text: assets } = recordedCoins(api.underlyings);
  const parsed = parseAction(action, coins, String(read.value.nonce));
  if (!parsed.ok) return parsed;
  const text = JSON.stringify(action);
  if (utf8Bytes(text) > BATCH_TEXT_BYTES) return notHere(`An action has at most ${BATCH_TEXT_BYTES} bytes`);
  const texts = { action: text, vaultAddress: vault, expiresAfter: String(read.value.expiresAfter ?? ''), assets: assets() };
  const { expiresAfter, nonce } = read.value;
  const signed = await verify(api, source, text.length > LONG_TEXT, {
    structure: 'HlAction', texts: textsOf('HlAction', texts), nonce: u64Of(nonce), signature,
  }, (out) => {
    // As the audit will read it: a number beyond all doubles is null in the text.
    digestAction(actionOfText(text), u64Of(nonce), vault === '' ? null : Buffer.from(vault, 'hex'), u64OrNull(expiresAfter), out);
    return exchangeHasher.structHash.slice();
  });
  if ('ok' in signed) return signed;
  const wallet = await walletOf(api, source, signed.signer, vault);
  if ('ok' in wallet) return wallet;
  const most = REPLY_BYTES + 8 + parsed.value.items.length * ITEM_NUMBERS * 8;
  const command = {
    kind: BATCH, wallet, signed, source, ...batchFields(parsed.value, texts.expiresAfter), places: Math.ceil(most / REPLY_WITH_IMAGE_BYTES),
  };
  return send(api, command, async ({ numbers }) => (
    answerOf(parsed.value, numbers, api.config, await cloidsOf(api, toHex(wallet), keptNames(parsed.value, numbers)))
  ));
}

function signatureOf(sent: unknown): Uint8Array | null {
  if (!isObject(sent)) return null;
  const { r, s, v } = sent;
  if (typeof r !== 'string' || typeof s !== 'string' || (v !== 27 && v !== 28)) return null;
  const words = [WORD.exec(r)?.[1], WORD.exec(s)?.[1]];
  if (words[0] === undefined || words[1] === undefined) return null;
  const signature = new Uint8Array(SIGNATURE_BYTES);
  parseHex(`0x${words.map((word) => word!.padStart(64, '0')).join('')}${v.toString(16)}`, signature);
  return signature;
}

/** 40 hex digits in lower case, '' if none is named; null if it is no address. */
function vaultOf(sent: string | undefined): string | null {
  return sent === undefined || sent === '' ? '' : ADDRESS.exec(sent)?.[1]?.toLowerCase() ?? null;
}

async function approve(
  api: ApiContext, source: Source, action: JsonObject, nonce: number, signature: Uint8Array,
): Promise<Checked<Answer>> {
  const parsed = parseApproval(action, nonce);
  if (!parsed.ok) return parsed;
  const signed = await verify(api, source, false, {
    structure: 'HlApproveAgent', texts: textsOf('HlApproveAgent', parsed.value), nonce: u64Of(nonce), signature,
  }, (out) => digestTexts(parsed.value, u64Of(nonce), out));
  if ('ok' in signed) return signed;
  const command = { kind: APPROVE_NAMED_AGENT, wallet: signed.signer, signed, source, ...approvalFields(parsed.value) };
  return send(api, command, async () => ({ status: 'ok', response: { type: 'default' } }));
}

function u64OrNull(value: number | undefined): U64 | null {
  return value === undefined ? null : u64Of(value);
}

type Unverified = Pick<VerifiedSignature, 'structure' | 'texts' | 'nonce' | 'signature'>;

function verify(
  api: ApiContext, source: Source, isLong: boolean, unverified: Unverified, hash: (out: Uint8Array) => Uint8Array,
): Promise<VerifiedSignature | Refused> {
  const spent = api.sources.failuresSpent(source, false);
  if (spent !== null) return Promise.resolve(rateLimited(spent, api.now(), rateLimitText(spent.limit, 'failed signatures per minute')));
  return new Promise((resolve) => {
    const busy = api.checks.run(source, () => {
      const digest = new Uint8Array(32);
      const signer = new Uint8Array(20);
      const structHash = hash(digest);
      if (api.backend.recover(digest, unverified.signature, signer)) {
        resolve({ ...unverified, digest, structHash, signer });
        return;
      }
      api.sources.countFailure(source);
      resolve(notHere('L1 error: the signature gives no signer'));
    }, isLong ? BOUNDS.checksPerTurn : 1);
    if (busy !== null) resolve(busy);
  });
}

/** Whom the signer acts for: itself if it has an account, else the one wallet that has it as an agent. `vault` chooses. */
async function walletOf(api: ApiContext, source: Source, signer: Uint8Array, vault: string): Promise<Uint8Array | Refused> {
  if (vault !== '') return Buffer.from(vault, 'hex');
  const asked = await ask(api, 'agentOf', { signer: toHex(signer) });
  if (!asked.ok) return asked;
  const facts = asked.value as SignerFacts;
  if (facts.isWallet) return signer;
  const [wallet, ...others] = facts.wallets;
  if (wallet !== undefined && others.length === 0) return Buffer.from(wallet.slice(2), 'hex');
  if (wallet !== undefined) {
    return notHere(`API Wallet ${toHex(signer)} is an agent of several wallets: ${facts.wallets.join(', ')}. vaultAddress chooses one.`);
  }
  api.sources.countFailure(source);
  return unknownSigner(signer);
}

function unknownSigner(signer: Uint8Array): Refused {
  return notHere(`User or API Wallet ${toHex(signer)} does not exist.`);
}

function ask<Q extends QueryName>(api: ApiContext, query: Q, parameters: QueryParameters[Q]): Promise<Checked<unknown>> {
  return new Promise((resolve) => {
    const isAsked = api.reads.ask(query, parameters, ({ status, body }) => {
      resolve(status === 200 ? { ok: true, value: bodyJson(body) } : BUSY);
    }, () => resolve(ANSWER_TIMEOUT));
    if (!isAsked) resolve(BUSY);
  });
}

/** The reader has applied the command by now. What it cannot tell is left out, because the action is done. */
async function cloidsOf(api: ApiContext, wallet: string, orders: readonly number[]): Promise<Cloids> {
  const answers = await Promise.all(orders.map((order) => ask(api, 'orderStatus', { wallet, name: String(order) })));
  return new Map(answers.flatMap((answer, at) => {
    const order = answer.ok ? (answer.value as { readonly data: Order | null }).data : null;
    const cloid = cloidOf(order?.client_id ?? '');
    return cloid === null ? [] : [[orders[at]!, cloid]];
  }));
}

function send(api: ApiContext, command: Sent, answer: (reply: Reply) => Promise<Answer>): Promise<Checked<Answer>> {
  return new Promise((resolve, reject) => {
    const isSent = api.writes.send([command], {
      settle: (reply: Reply) => {
        if (reply.code !== OK) resolve(refused(api, reply, command));
        else answer(reply).then((value) => resolve({ ok: true, value }), reject);
      },
      expire: () => resolve(ANSWER_TIMEOUT),
    });
    if (!isSent) resolve(BUSY);
  });
}

function refused(api: ApiContext, reply: Reply, { signed: { signer }, source }: Sent): Refused {
  const text = refusalText(reply);
  if (text === null) api.sources.countFailure(source);
  return text === null ? unknownSigner(signer) : notHere(text);
}
