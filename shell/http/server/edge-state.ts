// State shared by all requests and sockets of one web server, and its tick. Must never throw: an exception in a
// callback of the web server ends the process.

import type { Bounds } from '../limits.ts';
import { guard } from './guard.ts';
import type { Compressor } from './compression.ts';
import type { FloodDetector } from './flood-detector.ts';
import type { Latency } from './latency.ts';
import type { ActiveList } from './active-list.ts';
import type { Quotas } from './quotas.ts';
import type { OutputBudget } from './output-budget.ts';
import type { UnreadOutput } from './unread-output.ts';

export type EdgeCounts = { requests: number; sockets: number; bodyBytes: number };

export type AnswerReport = {
  readonly id: string; readonly method: string; readonly path: string; readonly route: number; readonly status: number;
  readonly seconds: number;
};

export type EdgeState = {
  readonly bounds: Bounds;
  readonly counts: EdgeCounts;
  readonly quotas: Quotas;
  /** Null behind a proxy. */
  floodDetector: FloodDetector | null;
  readonly unreadAnswers: UnreadOutput;
  readonly unreadMessages: UnreadOutput;
  readonly outputBudget: OutputBudget;
  readonly compressor: Compressor;
  readonly latency: Latency | null;
  connections: number;
  readonly active: ActiveList;
  tick: number;
  /** Each header starts with a line end. */
  readonly headers: string;
  readonly keepAliveHeaders: string;
  readonly epoch: () => number;
  readonly idPrefix: string;
  lastId: number;
  answered(answer: AnswerReport): void;
  fault(place: string, error: unknown, requestId?: string): void;
};

export function advance(state: EdgeState): void {
  state.tick++;
  state.outputBudget.onTick();
  state.floodDetector?.onTick();
  state.active.forEach((item) => guard(() => item.onTick(state.tick), (error) => state.fault('tick', error)));
}
