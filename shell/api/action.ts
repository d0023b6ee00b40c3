// A signed request as its route has read it, and how one ends. An order is the same action whether it comes alone, in a
// bulk or through a socket: the way of an action (submit.ts) ends in an Ending, and whoever asked makes an answer of it.

import type { Standing } from '../http/bodies/order-end.ts';
import { INTERNAL, type Refusal, type Refused } from '../http/errors.ts';
import type { Uint64 } from '../http/fields.ts';
import type { ResponseHeaders } from '../http/message.ts';
import type { Facts } from '../http/texts.ts';
import type { OrderFacts } from '../ipc/queries.ts';
import type { Command, Signed } from './command.ts';
import type { Api } from './context.ts';
import type { SignedForm } from './signature.ts';

/**
 * What took effect, now or when the nonce was first used: `numbers` as in its reply. `flags`: those of the order that was placed, of a
 * replay alone, whose own may be others where no signature covers them.
 */
export type Effect = {
  readonly time: number; readonly numbers: readonly number[]; readonly order: OrderFacts | null; readonly isMmpTriggered: boolean;
  readonly flags?: number;
};

/** What a request names an order by: one of the two; an id as its decimal text. */
export type Named = { readonly orderId: string } | { readonly clientId: string };

/** The order that a refusal is about, and how it stands, as far as they are known. */
export type About = { readonly order: OrderFacts | null; readonly standing: Standing | null };

/** How the outcomes of a command are told. */
export type Telling = {
  /** The body when it took effect. */
  readonly done: (effect: Effect) => string;
  /** The body of a refusal inside a 200; absent where there is none. */
  readonly rejected?: (time: number, about: About, reason: string) => string;
  /** Substitutions of the texts. */
  readonly facts?: () => Facts;
  /** The order acted on: when it is no longer open, the reader says how it ended. */
  readonly names?: Named;
  /** The text of a code that is a refusal inside a 200 here alone. */
  readonly says?: ((code: number) => string | undefined) | undefined;
};

export type Action = Telling & {
  readonly nonce: Uint64;
  /** '0x' and 130 hex digits. */
  readonly signature: string;
  readonly form: SignedForm;
  /** The command once the signer is known, or why there is none. */
  readonly command: (signed: Signed) => Command | Refusal;
};

/** An answer with status 200; `reason` when the venue refused, inside the body too. `isReplay`: a nonce's first outcome again. */
type Answered = {
  readonly ok: true; readonly body: string; readonly reason: string | null; readonly isReplay: boolean; readonly headers: ResponseHeaders;
};
export type Ending = Answered | Refused;
/** Called once. */
export type End = (ending: Ending) => void;

/** A command to be sent, how its outcomes are told, and its signature with what was signed; null for one of the admin token. */
export type Sent = {
  readonly command: Command; readonly telling: Telling; readonly signed: Signed | null; readonly form: SignedForm | null;
};

/** What `work` gives; an exception of ours is an ending too. */
export function attempt<T>(api: Api, place: string, work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    api.fault(place, error);
    return INTERNAL;
  }
}
