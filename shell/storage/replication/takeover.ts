// Rule 4: when a node tries to lead. Heartbeats decide who tries; only the log decides who may write.

import type { ReaderState } from './reader-rule.ts';

export type Waiting = {
  /** When the newest accepted message was received, whenever it was sent. */
  lastNews: number;
  lastHeartbeat: number;
  /** The newest position that another node said it has accepted. */
  heard: number;
};

/** What the machine beside the protocol knows of itself. */
export type Fitness = {
  readonly isApplied: boolean;
  /** Settings and versions are those of the log. */
  readonly isAlike: boolean;
  /** The clock is within a second of the others', and the disk has room. */
  readonly isSound: boolean;
};

/** Twice the lease: clocks may differ in speed, and a message takes time. */
const WAIT_MS = 2_000;

export function mayLead(reader: ReaderState, { lastNews, lastHeartbeat, heard }: Waiting, now: number, fitness: Fitness): boolean {
  const { isApplied, isAlike, isSound } = fitness;
  if (!isApplied || !isAlike || !isSound || reader.unreadable > 0 || reader.unknown > 0) return false;
  // What another accepted is in the log: a log that does not show it is read on, or has lost it.
  if (reader.position < heard) return false;
  return reader.owner === null || (now - lastNews >= WAIT_MS && now - lastHeartbeat >= WAIT_MS);
}
