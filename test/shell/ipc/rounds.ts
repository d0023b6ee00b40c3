// Rounds that two spinning threads go through together, each starting at nearly the same time.

import type { Counter } from '../../../shell/ipc/counters.ts';

export type RoundName = 'producerReady' | 'producerDone' | 'consumerReady' | 'consumerDone' | 'rings';
export const ROUND_NAMES: readonly RoundName[] = ['producerReady', 'producerDone', 'consumerReady', 'consumerDone', 'rings'];

/** Minutes of spinning: only a thread that died makes the other reach it. */
const SPINS = 20_000_000_000;

export function awaitRound(counter: Counter, round: number): void {
  for (let spins = 0; counter.load() < round; spins++) {
    if (spins > SPINS) throw new Error(`the other thread never came to round ${round}`);
  }
}

/** A pause of 0 to 255 turns of an empty loop, so that the two meet at every distance. */
export function jitter(round: number): void {
  const turns = Math.imul(round, 0x9e37_79b1) >>> 24;
  for (let i = 0; i < turns; i++);
}
