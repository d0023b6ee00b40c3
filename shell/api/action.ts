// A parsed signed request and its result; single, bulk and socket orders are the same actions (submit.ts).

import type { Standing } from '../http/bodies/order-status.ts';
import { INTERNAL, type Refused } from '../http/errors.ts';
import type { Uint64 } from '../http/fields.ts';
import type { ResponseHeaders } from '../http/message.ts';
import type { Facts } from '../http/outcome-texts.ts';
import type { OrderFacts } from '../ipc/queries.ts';
import type { Command } from './command.ts';
import type { ApiContext } from './context.ts';
import type { SignedForm } from './signature.ts';

export type Effect = {
  readonly time: number; readonly numbers: readonly number[]; readonly order: OrderFacts | null; readonly isMmpTriggered: boolean;
  readonly flags?: number;
};

/** Decimal text. */
export type OrderName = { readonly orderId: string } | { readonly clientId: string };

export type RefusedOrder = { readonly order: OrderFacts | null; readonly standing: Standing | null };

export type Action = Pick<Command, 'kind' | 'code' | 'fields' | 'tail' | 'places'> & {
  /** 20 bytes; null: the signer's own. */
  readonly wallet: Uint8Array | null;
  /** Null: authorized by the admin token. `text`: '0x' and 130 hex digits. */
  readonly signature: { readonly form: SignedForm; readonly nonce: Uint64; readonly text: string } | null;
  readonly signer?: string | undefined;
  readonly done: (effect: Effect) => string;
  readonly rejected?: (time: number, about: RefusedOrder, reason: string) => string;
  readonly facts?: () => Facts;
  /** If it is not open, the reader says how it ended. */
  readonly names?: OrderName;
  readonly says?: ((code: number) => string | undefined) | undefined;
};

/** `isReplay`: the first outcome of a used nonce. */
type Answered = {
  readonly ok: true; readonly body: string; readonly reason: string | null; readonly isReplay: boolean; readonly headers: ResponseHeaders;
};
export type Result = Answered | Refused;

export function attempt<T>(api: ApiContext, place: string, work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    api.fault(place, error);
    return INTERNAL;
  }
}
