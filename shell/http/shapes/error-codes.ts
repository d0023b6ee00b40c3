// Error codes of the interface with their HTTP statuses, for the venue and the client library.

export const STATUS = {
  invalid_request: 400,
  invalid_json: 400,
  missing_field: 400,
  invalid_wallet: 400,
  invalid_parameter: 400,
  signature_verification_failed: 400,
  unsupported_endpoint: 400,
  limit_exceeded: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  length_required: 411,
  payload_too_large: 413,
  upgrade_required: 426,
  rate_limit_exceeded: 429,
  internal_error: 500,
  upstream_failure: 502,
  engine_busy: 503,
  not_ready: 503,
  behind: 503,
  not_leader: 503,
  no_quorum: 503,
  log_full: 503,
  margin_unavailable: 503,
} as const;
export type ErrorCode = keyof typeof STATUS;
export const CODES = Object.keys(STATUS) as readonly ErrorCode[];

export function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(STATUS, code);
}
