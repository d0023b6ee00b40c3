// The Error message of the socket as a client gets it: the code that a program reads, the text for a person, and the id of the request
// that is answered by it.

import type { ErrorCode } from '../../shell/http/shapes/error-codes.ts';

export function socketError(code: ErrorCode, message: string, id: string | number | null = null): object {
  return { type: 'Error', code, message, id };
}
