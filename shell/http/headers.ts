// Request headers that are read, and headers of every answer. CORS allows any page by default (decision 6.12).

export type HeaderName = (
  'accept' | 'authorization' | 'content-encoding' | 'content-type' | 'host' | 'origin' | 'accept-encoding' | 'if-none-match'
);

export type HeaderList = readonly (readonly [name: string, value: string])[];

export const EPOCH = 'X-Strikebook-Epoch';
export const SEQ = 'X-Strikebook-Seq';

const RATES = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';
const EXPOSED = `Idempotent-Replay, Retry-After, ${RATES}, X-Request-Id, ${SEQ}, ${EPOCH}`;
/** Browsers must not treat JSON as a page or script. */
const SECURITY: HeaderList = [['x-content-type-options', 'nosniff']];

export function commonHeaders(origin: string | null): HeaderList {
  if (origin === null) return SECURITY;
  const allowed = [...SECURITY, ['access-control-allow-origin', origin], ['access-control-expose-headers', EXPOSED]] as const;
  return origin === '*' ? allowed : [...allowed, ['vary', 'Origin']];
}

export function keepAliveHeaders(seconds: number): HeaderList {
  return [['connection', 'keep-alive'], ['keep-alive', `timeout=${seconds}`]];
}

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
