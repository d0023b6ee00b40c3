// A parsed signed request and its result. Single, bulk and socket orders are the same actions; a Submission (submit.ts) sends them
// to main.

import type { Standing } from '../http/bodies/order-status.ts';
import { INTERNAL, type Refused } from '../http/errors.ts';
import type { Uint64 } from '../http/fields.ts';
import type { ResponseHeaders } from '../http/message.ts';
import type { Facts } from '../http/outcome-texts.ts';
import type { OrderFacts } from '../ipc/queries.ts';
import type { Command } from './command.ts';
import type { ApiContext } from './context.ts';
import type { SignedForm } from './signature.ts';

/** What the command did: now, or in a replay at the first use of its nonce. `flags`: of the first request, in a replay only. */
export type Effect = {
  readonly time: number; readonly numbers: readonly number[]; readonly order: OrderFacts | null; readonly isMmpTriggered: boolean;
  readonly flags?: number;
};

/** `orderId` is decimal text. */
export type OrderName = { readonly orderId: string } | { readonly clientId: string };

/** The refused order and its status, null where unknown. */
export type RefusedOrder = { readonly order: OrderFacts | null; readonly standing: Standing | null };

export type Action = Pick<Command, 'kind' | 'code' | 'fields' | 'tail' | 'places'> & {
  /** The account's wallet, 20 bytes; null: the signer's. */
  readonly wallet: Uint8Array | null;
  /** Null: authorized by the admin token. `text`: '0x' and 130 hex digits. */
  readonly signature: { readonly form: SignedForm; readonly nonce: Uint64; readonly text: string } | null;
  /** The only allowed signer, if the request names one. */
  readonly signer?: string | undefined;
  readonly done: (effect: Effect) => string;
  /** Makes the body of a 200 that refuses; absent if the route has no such answer. */
  readonly rejected?: (time: number, about: RefusedOrder, reason: string) => string;
  readonly facts?: () => Facts;
  /** The order acted on. If it is not open, the reader says how it ended. */
  readonly names?: OrderName;
  /** Text for a code that this route alone reports as a refusal inside a 200. */
  readonly says?: ((code: number) => string | undefined) | undefined;
};

/** Status 200. `reason`: why the venue refused, also inside the body. `isReplay`: the first outcome of a used nonce. */
type Answered = {
  readonly ok: true; readonly body: string; readonly reason: string | null; readonly isReplay: boolean; readonly headers: ResponseHeaders;
};
export type Result = Answered | Refused;

/** Runs `work`; an exception becomes an internal error. */
export function attempt<T>(api: ApiContext, place: string, work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    api.fault(place, error);
    return INTERNAL;
  }
}
