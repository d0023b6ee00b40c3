// The clock: the only place that reads it. Wall time in ms since the epoch for the sequencer and budgets; a steady
// clock in ms for durations.

export function now(): number {
  return Date.now();
}

/** Milliseconds from an arbitrary start, never backwards. */
export function steady(): number {
  return performance.now();
}
