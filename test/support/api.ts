// Stubs of what a socket connection needs from its api thread: the receiver of notices, and the answers of a reader.

import type { ApiContext } from '../../shell/api/context.ts';
import { subscriptionText } from '../../shell/ipc/subscription.ts';

export const QUIET_API = {
  connectionNotices: { open: () => ({ number: 1, isOpen: true, close: () => undefined }) },
  leadership: { role: 0, refuseWrite: () => null },
} as unknown as ApiContext;

/** The body that answers `subscribe`. */
export function standingText(topic: number, seq: number | null, messages: readonly object[] = []): string {
  return subscriptionText(topic, seq, messages.map((message) => JSON.stringify(message)));
}
