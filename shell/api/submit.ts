// The way of signed requests: queue of checks, digest, signer, command, reply, ending. One request and each item of a bulk
// take the same way; the items of a bulk are checked one by one, then sent together or not at all (decision 3.7). Order of
// refusals (decision 3.12): the fields were read before; then the signature (400, or 401 once main has judged the signer),
// nonce, rate, the first failed value check, caps. So everything about the wallet is main's to say, and the value checks made
// here travel as a code. A signature is checked before anything is sent.

import { SIGNATURE_BYTES } from '../../core/codec/proof.ts';
import { parseHex, toHex } from '../http/hex.ts';
import { BUSY, LATE, refuse, sendRefusal, type Refused } from '../http/errors.ts';
import type { HttpRequest } from '../http/message.ts';
import { refuseNamed } from '../http/named-wallet.ts';
import { rateLimited, rateLimitText } from '../http/rate-headers.ts';
import type { Source } from '../http/source.ts';
import { attempt, type Action, type End, type Ending, type Sent, type Telling } from './action.ts';
import type { Command, Signed } from './command.ts';
import type { Api, Client } from './context.ts';
import { settle } from './settle.ts';
import { isPerpForm, recoverForm, signatureDetails, textsOfForm } from './signature.ts';

/** A client with its request. */
type Asking = Client & { readonly request: HttpRequest };

/** Gives the action of one item, now or later, or how the item ends without one. */
export type Prepare = (take: (prepared: Action | Refused) => void) => void;

type Verified = Sent & { readonly end: End };

/** Makes the body of an answer; `reason`: why the venue refused, null when it did not. */
export type Shape = (body: string, reason: string | null) => string;

/** Checks the signature, now or in a later turn, sends the command and answers. */
export function submit(api: Api, asked: Asking, action: Action | Prepare, shape?: Shape): void {
  const end: End = (ending) => sendEnding(asked, ending, shape);
  const prepare: Prepare = typeof action === 'function' ? action : (take) => take(action);
  submitOne(api, asked.request.source, forNamed(asked.request, prepare), end);
}

/** What `prepare` gives, refused after its signature when it is for another wallet than the one that the query names (decision 6.9). */
export function forNamed(request: HttpRequest, prepare: Prepare): Prepare {
  if (request.query === '') return prepare;
  return (take) => prepare((prepared) => take('ok' in prepared ? prepared : {
    ...prepared,
    command: (signed) => {
      const command = prepared.command(signed);
      return 'ok' in command ? command : refuseNamed(request, toHex(command.wallet)) ?? command;
    },
  }));
}

/** One request on its own. */
export function submitOne(api: Api, source: Source, prepare: Prepare, end: End): void {
  verify(api, source, false, prepare, (result) => {
    if ('command' in result) send(api, [{ ...result, end }]);
    else end(result);
  });
}

/** Sends a command of the admin token and answers. */
export function submitTrusted(api: Api, asked: Asking, command: Command, telling: Telling): void {
  const refusal = refuseNamed(asked.request, toHex(command.wallet));
  if (refusal !== null) return sendEnding(asked, refusal);
  send(api, [{ command, telling, signed: null, form: null, end: (ending) => sendEnding(asked, ending) }]);
}

/** The items of a bulk, in their order; `finish` gets an ending for each. */
export function submitAll(api: Api, source: Source, items: readonly Prepare[], finish: (endings: readonly Ending[]) => void): void {
  const endings = new Array<Ending | undefined>(items.length).fill(undefined);
  const verified = new Array<Verified | null>(items.length).fill(null);
  let unjudged = items.length;
  let open = items.length;
  items.forEach((prepare, at) => {
    const end: End = (ending) => {
      if (endings[at] !== undefined) return;
      endings[at] = ending;
      if (--open === 0) finish(endings as Ending[]);
    };
    const judged = (result: Sent | Refused): void => {
      if ('command' in result) verified[at] = { ...result, end };
      else end(result);
      if (--unjudged === 0) sendBulk(api, verified.filter((one) => one !== null));
    };
    verify(api, source, true, prepare, judged);
  });
}

/** Each says how many of the request begin with it: main judges them together. */
function sendBulk(api: Api, verified: readonly Verified[]): void {
  send(api, verified.map((one, at) => ({ ...one, command: { ...one.command, items: verified.length - at } })));
}

/** All of them or none; each has its ending in time. */
function send(api: Api, verified: readonly Verified[]): void {
  if (verified.length === 0) return;
  const endAll = (from: number, ending: Ending): void => verified.slice(from).forEach(({ end }) => end(ending));
  const commands = verified.map(({ command }) => command);
  const sent = attempt(api, 'send', () => api.writes.send(
    commands, (reply, at) => settle(api, verified[at]!, reply, verified[at]!.end), (from) => endAll(from, LATE),
  ));
  if (sent !== true) endAll(0, sent === false ? BUSY : sent);
}

/** Gives `take` the command of one request, or how the request ends before there is one; now or later. */
function verify(api: Api, source: Source, isBulk: boolean, prepare: Prepare, take: (result: Sent | Refused) => void): void {
  const spent = api.sources.failuresSpent(source, isBulk);
  if (spent !== null) {
    const text = rateLimitText(spent.limit, 'failed signatures per minute');
    return take(rateLimited(spent, api.now(), text));
  }
  prepare((prepared) => {
    if ('ok' in prepared) return take(prepared);
    // A perp order's signature may have been looked at already (perp-source.ts): it has had its turn.
    if (isPerpForm(prepared.form) && prepared.form.checked !== undefined) {
      return take(attempt(api, 'signature', () => judge(api, source, prepared)));
    }
    const refusal = api.checks.run(source, () => take(attempt(api, 'signature', () => judge(api, source, prepared))));
    if (refusal !== null) take(refusal);
  });
}

function judge(api: Api, source: Source, action: Action): Sent | Refused {
  // From the pool: memory of its own costs a microsecond and as much again when it is collected.
  const signature = Buffer.allocUnsafe(SIGNATURE_BYTES);
  parseHex(action.signature, signature);
  const checked = recoverForm(api, action.form, signature);
  const { signer } = checked;
  if (signer === null) {
    api.sources.countFailure(source);
    const text = 'Signature verification failed: no signer can be recovered';
    return { ...refuse('signature_verification_failed', text), extra: signatureDetails(api, checked) };
  }
  const signed: Signed = { ...checked, signer, signature, nonce: action.nonce, texts: textsOfForm(action.form) };
  const command = action.command(signed);
  return 'ok' in command ? command : { command, telling: action, signed, form: action.form };
}

function sendEnding({ responder, envelope }: Asking, ending: Ending, shape?: Shape): void {
  if (!ending.ok) return sendRefusal(responder, envelope, ending);
  const { body, reason, isReplay, headers } = ending;
  const text = shape === undefined ? body : shape(body, reason);
  responder.send(200, text, isReplay ? { ...headers, 'Idempotent-Replay': 'true' } : headers);
}
