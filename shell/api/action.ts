// A signed request as its route has read it, and its result. An order is the same action whether it comes alone, in a bulk or by
// socket: a submission (submit.ts) takes it to main and back, and whoever asked makes an answer of its result.

import type { Standing } from '../http/bodies/order-end.ts';
import { INTERNAL, type Refused } from '../http/errors.ts';
import type { Uint64 } from '../http/fields.ts';
import type { ResponseHeaders } from '../http/message.ts';
import type { Facts } from '../http/texts.ts';
import type { OrderFacts } from '../ipc/queries.ts';
import type { Command } from './command.ts';
import type { ApiContext } from './context.ts';
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
export type OrderName = { readonly orderId: string } | { readonly clientId: string };

/** The order that a refusal is about, and how it stands, as far as they are known. */
export type RefusedOrder = { readonly order: OrderFacts | null; readonly standing: Standing | null };

/** The command that a request asks for, and the texts of its results. */
export type Action = Pick<Command, 'kind' | 'code' | 'fields'> & {
  /** Whose account is acted on, 20 bytes; null: that of whoever signed. */
  readonly wallet: Uint8Array | null;
  /** Null: the admin token stands for a signature. `text`: '0x' and 130 hex digits. */
  readonly signature: { readonly form: SignedForm; readonly nonce: Uint64; readonly text: string } | null;
  /** The only address that may have signed, where the request names one. */
  readonly signer?: string | undefined;
  /** The body when it took effect. */
  readonly done: (effect: Effect) => string;
  /** The body of a refusal inside a 200; absent where there is none. */
  readonly rejected?: (time: number, about: RefusedOrder, reason: string) => string;
  /** Substitutions of the texts. */
  readonly facts?: () => Facts;
  /** The order acted on: when it is no longer open, the reader says how it ended. */
  readonly names?: OrderName;
  /** The text of a code that is a refusal inside a 200 here alone. */
  readonly says?: ((code: number) => string | undefined) | undefined;
};

/** An answer with status 200; `reason` when the venue refused, inside the body too. `isReplay`: a nonce's first outcome again. */
type Answered = {
  readonly ok: true; readonly body: string; readonly reason: string | null; readonly isReplay: boolean; readonly headers: ResponseHeaders;
};
export type Result = Answered | Refused;

/** What `work` gives; an exception of ours is a result too. */
export function attempt<T>(api: ApiContext, place: string, work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    api.fault(place, error);
    return INTERNAL;
  }
}
