// The headers the service reads and the ones it puts on every answer. CORS: no cookie is ever used and every write
// is signed, so any page may call (decision 6.12); the operator may name one origin instead, or none.

/** Request headers the edge copies; a route cannot read another one. */
export const READ_HEADERS = ['accept', 'authorization', 'content-encoding', 'content-type'] as const;
export type HeaderName = (typeof READ_HEADERS)[number];

type HeaderList = readonly (readonly [name: string, value: string])[];

const EXPOSED = 'Idempotent-Replay, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';

/** CORS headers of an answer; `origin` is '*', one origin, or null for none. */
export function corsHeaders(origin: string | null): HeaderList {
  if (origin === null) return [];
  const allowed = [['access-control-allow-origin', origin], ['access-control-expose-headers', EXPOSED]] as const;
  return origin === '*' ? allowed : [...allowed, ['vary', 'Origin']];
}

/** What the answer to a preflight (OPTIONS) carries beside `corsHeaders`. */
export function preflightHeaders(origin: string | null): Record<string, string> {
  const methods = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
  if (origin === null) return { allow: methods };
  return {
    allow: methods,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-headers': 'content-type, authorization',
    'access-control-max-age': '86400',
  };
}
