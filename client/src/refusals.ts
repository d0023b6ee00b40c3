// Classifies refusals of the venue: of subscriptions by error code, of bulk items by text. A test compares the texts with the venue's.

/** The streams of this connection are lost: reconnect (interface.md, Events 3). */
export const CLIENT_LOST = 'Client not found';

/** The venue starts or stops, or the source has used up its rate limit. */
const UNAVAILABLE: readonly unknown[] = ['rate_limit_exceeded', 'not_ready'];
/** No room or no price at the moment, a node that is behind, or a failure. */
const BUSY: readonly unknown[] = ['engine_busy', 'internal_error', 'margin_unavailable', 'behind'];
/** Of bulk items that did not act or whose result is unknown; single requests get `engine_busy` or `internal_error`. */
const OPEN = ['Failed to send order to engine', 'No response from engine'];
const UNRESUMABLE = /^Cannot resume .*: (?:oldest kept is ([0-9]+)|newest is [0-9]+)$/;

export function isUnavailable(code: unknown): boolean {
  return UNAVAILABLE.includes(code);
}

export function isTemporary(code: unknown): boolean {
  return UNAVAILABLE.includes(code) || BUSY.includes(code);
}

/** The oldest number still kept, or null if the venue counts anew. Undefined: the refusal is of another kind. */
export function oldestKeptSeq(message: string): number | null | undefined {
  const found = UNRESUMABLE.exec(message);
  return found === null ? undefined : found[1] === undefined ? null : Number(found[1]);
}

/** Items that a retry of the same bytes may settle. */
export function hasOpenItems(answer: unknown): boolean {
  const { results } = (answer ?? {}) as { readonly results?: unknown };
  return Array.isArray(results) && results.some((item: { readonly error?: string } | null) => OPEN.includes(item?.error ?? ''));
}
