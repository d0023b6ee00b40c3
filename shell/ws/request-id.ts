// The id that a client may give a socket request, to find the answer by: the answer repeats it.

import { refuse, type Refused } from '../http/errors.ts';
import { ID_CHARS, MOST_ID } from '../http/limits.ts';
import type { JsonObject } from '../process/json-object.ts';

export type RequestId = string | number | null;

export const BAD_ID: Refused = refuse(
  'invalid_parameter', `id must be an integer from -${MOST_ID} to ${MOST_ID} or a string of 1 to ${ID_CHARS} characters`,
);

export function idOf({ id = null }: JsonObject): RequestId | undefined {
  if (id === null || Number.isSafeInteger(id)) return id as RequestId;
  return typeof id === 'string' && id.length >= 1 && id.length <= ID_CHARS && id.isWellFormed() ? id : undefined;
}

export function idFieldOf(id: RequestId): { readonly id?: Exclude<RequestId, null> } {
  return id === null ? {} : { id };
}
