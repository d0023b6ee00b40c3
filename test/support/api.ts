// What a socket connection asks of its api thread where a test has no other part of it: somebody to be told of it, and what a reader
// answers.

import type { ApiContext } from '../../shell/api/context.ts';
import { subscriptionText } from '../../shell/ipc/subscription.ts';

export const QUIET_API = {
  connectionNotices: { open: () => ({ number: 1, isOpen: true, close: () => undefined }) },
} as unknown as ApiContext;

/** The body that answers `subscribe`. */
export function standingText(topic: number, seq: number | null, messages: readonly object[] = []): string {
  return subscriptionText(topic, seq, messages.map((message) => JSON.stringify(message)));
}
