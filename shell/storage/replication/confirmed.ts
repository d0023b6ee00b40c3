// Rule 5: answers about the present. A leader may give them only as long as nobody else can lead: other nodes wait for twice the lease
// after they received the newest message. `confirmed` is when the newest accepted message of the leader was sent, by its steady clock.

/** For as long after `confirmed` nobody else can lead. */
export const LEASE_MS = 1_000;

/** `at`: read after the request was picked up. */
export function isWithinLease(confirmed: number, at: number): boolean {
  return at - confirmed < LEASE_MS;
}

/** True if a message that was sent after the request was picked up has been accepted. No clock is trusted for it. */
export function isConfirmedSince(confirmed: number, at: number): boolean {
  return confirmed >= at;
}
