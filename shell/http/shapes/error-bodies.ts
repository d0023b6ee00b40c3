// Schemas of error bodies, and of what socket refusals add. Engine rejections are 200 with a reason.

import { CODES } from './error-codes.ts';
import { BOOL, described, INTEGER, named, NULL, nullable, oneOf, only, record, schemaOf, TEXT } from './shape.ts';

export const HINT = schemaOf<string>({ type: 'string', description: 'What is accepted.' });
const DOMAIN = record({ name: TEXT, version: TEXT, chainId: INTEGER, verifyingContract: TEXT });
const CODE = described(named('ErrorCode', oneOf(...CODES)), 'The code for programs; `message` is for people.');
const API_ERROR = { success: only(false), data: NULL, error: CODE, message: TEXT };
const SPENT = only('rate_limit_exceeded');
const BUDGET = { retry_after_secs: INTEGER, limit: INTEGER };
const SIGNATURE_DETAILS = {
  digest: described(TEXT, 'The digest that the venue computed from this request. Compare it with yours.'), struct_hash: TEXT,
  recovered: nullable(TEXT), domain: DOMAIN,
};

export const REFUSAL = { hint: HINT, ...BUDGET, digest: TEXT, struct_hash: TEXT, recovered: nullable(TEXT), domain: DOMAIN };

export const ERRORS = {
  Error: named('Error', record({ error: CODE, message: TEXT }, { hint: HINT })),
  ApiError: named('ApiError', record(API_ERROR, { hint: HINT })),
  UnavailableError: named('UnavailableError', record({ error: CODE, message: TEXT, retry_after_secs: INTEGER })),
  ApiUnavailableError: named('ApiResponse', record({ ...API_ERROR, retry_after_secs: INTEGER })),
  GasProviderError: named('GasProviderErrorResponse', record({ error: CODE, message: TEXT })),
  RateLimitError: named('RateLimitError', record({ error: SPENT, message: TEXT, ...BUDGET })),
  ApiRateLimitError: named('ApiRateLimitError', record({ ...API_ERROR, error: SPENT, ...BUDGET })),
  SignatureError: named('SignatureError', record({ error: CODE, message: TEXT }, SIGNATURE_DETAILS)),
  ApiSignatureError: named('ApiSignatureError', record(API_ERROR, SIGNATURE_DETAILS)),
} as const;

export const DONE = record({ success: BOOL }, { error: nullable(TEXT) });
