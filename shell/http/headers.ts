// The headers the service reads and the ones it puts on every answer. CORS: no cookie is ever used and every write
// is signed, so any page may call (decision 6.12); the operator may name one origin instead, or none.

/** Request headers the edge copies; a route cannot read another one. */
export type HeaderName = 'accept' | 'authorization' | 'content-encoding' | 'content-type' | 'host' | 'origin';

export type HeaderList = readonly (readonly [name: string, value: string])[];

const EXPOSED = 'Idempotent-Replay, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id';
/** On every answer: what is JSON is never taken for a page or a script. */
const SECURITY: HeaderList = [['x-content-type-options', 'nosniff']];

/** Headers of every answer; `origin` is '*', one origin, or null for no CORS. */
export function commonHeaders(origin: string | null): HeaderList {
  if (origin === null) return SECURITY;
  const allowed = [...SECURITY, ['access-control-allow-origin', origin], ['access-control-expose-headers', EXPOSED]] as const;
  return origin === '*' ? allowed : [...allowed, ['vary', 'Origin']];
}

/** Of an answer that leaves its connection open: for how long it may be used again. Agents of Node and others go by it. */
export function keepAliveHeaders(seconds: number): HeaderList {
  return [['connection', 'keep-alive'], ['keep-alive', `timeout=${seconds}`]];
}

/** What the answer to a preflight (OPTIONS) carries beside `commonHeaders`. */
export function preflightHeaders(origin: string | null): Record<string, string> {
  const methods = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
  if (origin === null) return { allow: methods };
  return {
    allow: methods,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-headers': 'content-type, authorization, x-request-id',
    'access-control-max-age': '86400',
  };
}
