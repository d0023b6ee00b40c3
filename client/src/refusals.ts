// Why the venue refuses a subscription, by the code of its Error, and what it says of items of a bulk, which have a text alone. The
// texts are the venue's; a test compares them.

/** The connection and what it is to be sent have lost each other in the venue: the client subscribes again (interface.md, Events 3). */
export const CLIENT_LOST = 'Client not found';

/** Nothing is taken now, whatever is asked: the venue is on its way up or down, or the source has spent its budget. */
const SHUT: readonly unknown[] = ['rate_limit_exceeded', 'not_ready'];
/** There is no room, or no price, at the moment; or something failed. */
const BUSY: readonly unknown[] = ['engine_busy', 'internal_error', 'margin_unavailable'];
/** Of an item of a bulk: it has not acted, or nobody knows; by itself it would be `engine_busy` or `internal_error`. */
const OPEN = ['Failed to send order to engine', 'No response from engine'];
const UNRESUMABLE = /^Cannot resume .*: (?:oldest kept is ([0-9]+)|newest is [0-9]+)$/;

export function isShut(code: unknown): boolean {
  return SHUT.includes(code);
}

/** The same may be taken a little later. */
export function isPassing(code: unknown): boolean {
  return SHUT.includes(code) || BUSY.includes(code);
}

/** Of a stream that is there, but not from the number that was asked for: the oldest message that is kept, null where it counts anew. */
export function oldestKept(message: string): number | null | undefined {
  const found = UNRESUMABLE.exec(message);
  return found === null ? undefined : found[1] === undefined ? null : Number(found[1]);
}

/** Whether it is that of a bulk with items which the same bytes, sent again, may bring to an outcome. */
export function isOpen(answer: unknown): boolean {
  const { results } = (answer ?? {}) as { readonly results?: unknown };
  return Array.isArray(results) && results.some((item: { readonly error?: string } | null) => OPEN.includes(item?.error ?? ''));
}
