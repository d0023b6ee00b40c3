// The pipeline of signed requests: check → send → settle → finish. Refusals are ordered (decision 3.12): fields, signature, nonce, rate,
// value checks, caps. Main judges the wallet, so a failed value check travels there as a code.

import { SIGNATURE_BYTES } from '../../core/codec/proof.ts';
import { OK, UNAUTHORIZED } from '../../core/errors.ts';
import { parseHex, toHex } from '../http/hex.ts';
import { BUSY, ANSWER_TIMEOUT, refuse, sendRefusal, type Refused } from '../http/errors.ts';
import type { HttpRequest } from '../http/message.ts';
import { BOUNDS } from '../http/limits.ts';
import { refuseOtherWallet } from '../http/named-wallet.ts';
import { rateLimited, rateLimitText } from '../http/rate-headers.ts';
import { attempt, type Action, type Result } from './action.ts';
import type { Command, VerifiedSignature } from './command.ts';
import type { ApiContext, Client } from './context.ts';
import type { Waiter } from './pending-requests.ts';
import type { Reply } from './reply.ts';
import { NO_QUORUM } from './leadership.ts';
import { settleCommand } from './settle-command.ts';
import { recoverSigners, signatureDetails, textsOfForm, type RecoveredSignature } from './signature.ts';

export type RequestOrigin = Pick<HttpRequest, 'source' | 'query'>;

/** Called only when the quota of its source has room, because a page of quotes takes long to parse. */
type MakeAction = () => Action | Refused;

type Item = {
  readonly make: MakeAction;
  commands: readonly SentCommand[];
  isSettled: boolean;
  result: Result | null;
};
type SentCommand = { readonly item: Item; readonly action: Action; readonly command: Command };
const NO_COMMANDS: readonly SentCommand[] = [];

export class Submission implements Waiter<Reply> {
  readonly #api: ApiContext;
  readonly #origin: RequestOrigin;
  readonly #isBulk: boolean;
  readonly #items: readonly Item[];
  readonly #finish: (results: readonly Result[], seq: number) => void;
  #sent: readonly SentCommand[] = [];
  #unchecked: number;
  #open: number;
  #seq = 0;

  /** `finish` is called once, with results in order. */
  constructor(
    api: ApiContext, origin: RequestOrigin, makers: readonly MakeAction[], isBulk: boolean,
    finish: (results: readonly Result[], seq: number) => void,
  ) {
    this.#api = api;
    this.#origin = origin;
    this.#isBulk = isBulk;
    this.#items = makers.map((make) => ({ make, commands: NO_COMMANDS, isSettled: false, result: null }));
    this.#finish = finish;
    this.#unchecked = makers.length;
    this.#open = makers.length;
  }

  start(): void {
    if (!this.#isTaken()) return;
    for (const item of this.#items) this.#check(item);
  }

  startTrusted(): void {
    if (!this.#isTaken()) return;
    for (const item of this.#items) {
      const action = item.make();
      this.#checked(item, 'ok' in action ? action : this.#address(item, action, [null]));
    }
  }

  #isTaken(): boolean {
    const refused = this.#api.leadership.refuseWrite();
    if (refused !== null) for (const item of this.#items) this.#end(item, refused);
    return refused === null;
  }

  #check(item: Item): void {
    const { sources, checks, now } = this.#api;
    const { source } = this.#origin;
    const spent = sources.failuresSpent(source, this.#isBulk);
    if (spent !== null) {
      return this.#checked(item, rateLimited(spent, now(), rateLimitText(spent.limit, 'failed signatures per minute')));
    }
    const action = item.make();
    if ('ok' in action) return this.#checked(item, action);
    const refused = checks.run(source, () => {
      this.#checked(item, attempt(this.#api, 'signature', () => this.#verify(item, action)));
    }, action.tail === undefined ? 1 : BOUNDS.checksPerTurn);
    if (refused !== null) this.#checked(item, refused);
  }

  #verify(item: Item, action: Action): Refused | null {
    const { form, nonce, text } = action.signature!;
    // A buffer of its own costs 1 µs and as much again in garbage collection.
    const signature = Buffer.allocUnsafe(SIGNATURE_BYTES);
    parseHex(text, signature);
    const signers = recoverSigners(this.#api, form, signature);
    if (signers[0]!.signer === null) return this.#refuseUnsigned(signers[0]!);
    const texts = textsOfForm(form);
    return this.#address(item, action, signers.map((checked) => ({ ...checked, signer: checked.signer!, signature, nonce, texts })));
  }

  #refuseUnsigned(checked: RecoveredSignature): Refused {
    this.#api.sources.countFailure(this.#origin.source);
    const text = 'Signature verification failed: no signer can be recovered';
    return { ...refuse('signature_verification_failed', text), extra: signatureDetails(this.#api, checked) };
  }

  /** Refuses another wallet (decision 6.9) or another signer. */
  #address(item: Item, action: Action, signatures: readonly (VerifiedSignature | null)[]): Refused | null {
    const { kind, code, fields, places, tail } = action;
    const { source, query } = this.#origin;
    const [first] = signatures;
    const isOther = action.signer !== undefined && action.signer !== toHex(first!.signer);
    if (isOther) return refuse('forbidden', 'The wallet named is not the one that signed');
    const wallet = action.wallet ?? first!.signer;
    const refused = query === '' ? null : refuseOtherWallet(this.#origin, toHex(wallet));
    if (refused !== null) return refused;
    item.commands = signatures.map((signed) => ({ item, action, command: { kind, wallet, signed, source, code, fields, places, tail } }));
    return null;
  }

  #checked(item: Item, refused: Refused | null): void {
    if (refused !== null) this.#end(item, refused);
    if (--this.#unchecked === 0) this.#send();
  }

  #send(): void {
    this.#sent = this.#isBulk ? withItemCounts(this.#items.flatMap(({ commands }) => commands)) : this.#items[0]!.commands;
    if (this.#sent.length === 0) return;
    const commands = this.#sent.map(({ command }) => command);
    const isSent = attempt(this.#api, 'send', () => this.#api.writes.send(commands, this));
    if (isSent !== true) this.#endFrom(0, isSent === false ? BUSY : isSent);
  }

  settle(reply: Reply, at: number): void {
    const { item, action, command } = this.#sent[at]!;
    if (item.isSettled || (reply.code === UNAUTHORIZED && this.#sent[at + 1]?.item === item)) return;
    item.isSettled = true;
    this.#seq = Math.max(this.#seq, reply.seq);
    const settleItem = (): void => settleCommand(this.#api, action, command, reply, (result) => this.#end(item, result));
    if (reply.code === OK) settleItem();
    else this.#api.leadership.speak(settleItem, () => this.#end(item, NO_QUORUM));
  }

  expire(from: number): void {
    this.#endFrom(from, ANSWER_TIMEOUT);
  }

  #endFrom(from: number, result: Result): void {
    for (const { item } of this.#sent.slice(from)) this.#end(item, result);
  }

  #end(item: Item, result: Result): void {
    if (item.result !== null) return;
    item.result = result;
    if (--this.#open === 0) this.#finish(this.#items.map((one) => one.result!), this.#seq);
  }
}

function withItemCounts(sent: readonly SentCommand[]): readonly SentCommand[] {
  return sent.map((one, at) => ({ ...one, command: { ...one.command, items: sent.length - at } }));
}

type SubmittingClient = Client & { readonly request: HttpRequest };

export type BodyTransform = (body: string, reason: string | null) => string;

export function submit(api: ApiContext, client: SubmittingClient, make: MakeAction, shape?: BodyTransform): void {
  new Submission(api, client.request, [make], false, ([result], seq) => sendResult(client, result!, seq, shape)).start();
}

export function submitTrusted(api: ApiContext, client: SubmittingClient, action: Action): void {
  new Submission(api, client.request, [() => action], false, ([result], seq) => sendResult(client, result!, seq)).startTrusted();
}

function sendResult({ responder, envelope }: SubmittingClient, result: Result, seq: number, shape?: BodyTransform): void {
  responder.seq = seq;
  if (!result.ok) return sendRefusal(responder, envelope, result);
  const { body, reason, isReplay, headers } = result;
  const text = shape === undefined ? body : shape(body, reason);
  responder.send(200, text, isReplay ? { ...headers, 'Idempotent-Replay': 'true' } : headers);
}
