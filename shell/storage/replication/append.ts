// Rules 2 and 3: one message under way at a time, sent again until it is read or acknowledged at the position it was sent for. That it
// cannot be found proves nothing: an append may land minutes later. Pure: what is to be sent is handed back.

import type { Content, Message } from './message.ts';
import type { Halt, ReaderState } from './reader-rule.ts';
import type { AppendResult } from './port.ts';

export type Publish = { readonly id: number; readonly message: Message };

/** A position, and the first publish there. */
type Sent = { readonly at: number; readonly time: number; readonly id: number };

export type AppendState = {
  pending: (Content & { readonly hash: string }) | null;
  /** When the present one was begun, or the newest own one was accepted: silence counts from here. */
  quietSince: number;
  publish: Publish | null;
  sent: Sent[];
  lastSent: number;
  nextId: number;
  isFull: boolean;
};

const RESEND_MS = 250;
/** Without an acceptance for this long while something is under way, new commands are refused (503 `no_quorum`). */
const QUORUM_MS = 1_000;
const SILENT_MS = 10_000;

export function startAppend(): AppendState {
  return { pending: null, quietSince: 0, publish: null, sent: [], lastSent: 0, nextId: 1, isFull: false };
}

export function begin(state: AppendState, content: Content & { readonly hash: string }, now: number): void {
  state.pending = content;
  state.quietSince = now;
  state.sent = [];
  state.isFull = false;
}

/** The message to publish now, if any. The log is read up to `reader.next`, where it is meant to be. */
export function publishDue(state: AppendState, reader: ReaderState, now: number): Publish | null {
  const { pending } = state;
  if (pending === null || state.publish !== null || reader.next <= reader.position || reader.unknown > 0) return null;
  const last = state.sent.at(-1);
  if (last?.at === reader.next && now - state.lastSent < RESEND_MS) return null;
  if (last?.at !== reader.next) state.sent.push({ at: reader.next, time: now, id: state.nextId });
  state.lastSent = now;
  state.publish = { id: state.nextId++, message: { ...pending, at: reader.next } };
  return state.publish;
}

export function takeResult(state: AppendState, reader: ReaderState, id: number, result: AppendResult): boolean | Halt {
  if (state.publish?.id !== id) return false;
  const { message } = state.publish;
  state.publish = null;
  state.isFull = result.type === 'full';
  if (result.type === 'accepted') {
    return state.pending?.hash === message.hash && result.position === message.at && reader.next === message.at;
  }
  if (result.type !== 'refused' || result.last >= message.at - 1) return false;
  const lost = `the log ends at position ${result.last}, position ${message.at - 1} was read`;
  return { name: 'log_lost', detail: `${lost}; the newest accepted seq is ${reader.seq}` };
}

/**
 * The first publish of the accepted message at its position; null: it is not the one under way. With `message` accepted, what is under
 * way is either it or can never count.
 */
export function settle(state: AppendState, message: Message, now: number): Sent | null {
  const { pending } = state;
  state.pending = null;
  state.quietSince = now;
  if (pending?.hash !== message.hash) return null;
  return state.sent.find(({ at }) => at === message.at) ?? null;
}

export function hasQuorum({ pending, quietSince }: AppendState, now: number): boolean {
  return pending === null || now - quietSince < QUORUM_MS;
}

/** New commands are refused (503 `log_full`) until there is room. */
export function isWithoutRoom({ pending, isFull }: AppendState): boolean {
  return pending !== null && isFull;
}

/** A log without room answers, and another leader could not write either. */
export function isSilent({ pending, quietSince, isFull }: AppendState, now: number): boolean {
  return pending !== null && !isFull && now - quietSince >= SILENT_MS;
}
