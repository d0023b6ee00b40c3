// Rounds of a bench in which the machine was left alone. A hypervisor that shares a processor tells its guest how much it took
// from it while the guest had work ("steal" in /proc/stat). A round in which that was above a bound is put aside and one more is taken,
// up to `PATIENCE` times as many; then those with the least of it count. What a round measured has no say in this.
// Where nobody tells, or on a machine of its own, no round is put aside.

import { readFileSync } from 'node:fs';

/** Share of the time of all cores. At 4 s on two cores a tick is an eighth of this. */
const MOST_TAKEN = 0.01;
/** Rounds taken at most, for each that counts. */
const PATIENCE = 2;

/** `note`: how many were taken and what was taken from those that count; empty where none was put aside. */
type Undisturbed<T> = { readonly results: readonly T[]; readonly note: string };
/** In ticks since the machine's start, of all cores. */
type Times = { readonly all: number; readonly taken: number };

/** `count` results of `round`, in their order. */
export async function undisturbed<T>(count: number, round: () => Promise<T>, times: () => Times = timesOfMachine): Promise<Undisturbed<T>> {
  const rounds: { readonly result: T; readonly share: number }[] = [];
  while (rounds.filter(({ share }) => share <= MOST_TAKEN).length < count && rounds.length < count * PATIENCE) {
    const before = times();
    const result = await round();
    const after = times();
    rounds.push({ result, share: (after.taken - before.taken) / Math.max(1, after.all - before.all) });
  }
  const counted = new Set([...rounds].sort((a, b) => a.share - b.share).slice(0, count));
  const results = rounds.filter((one) => counted.has(one)).map(({ result }) => result);
  return { results, note: rounds.length === count ? '' : noteOf(rounds.length, Math.max(...[...counted].map(({ share }) => share))) };
}

function noteOf(taken: number, share: number): string {
  return `, of ${taken} that were taken those with the least time taken by others, up to ${(share * 100).toFixed(1)} %`;
}

/** The first line: user, nice, system, idle, iowait, irq, softirq, steal, and two that are parts of the first. */
function timesOfMachine(): Times {
  try {
    const ticks = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]!.trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: ticks.reduce((sum, one) => sum + one, 0), taken: ticks[7] ?? 0 };
  } catch {
    return { all: 0, taken: 0 };
  }
}
