// The pace of a feed that makes its own prices: one second of the venue's time at a time, whatever the clock's speed. A
// turn makes every second that has gone by, so what is made depends on the seed and the number of seconds alone, and shows
// each of them while they are few; when they are many (a fast clock, a stall) it shows some, evenly spread, and always the
// newest. So a turn is bounded work: to 800 times real time every second is shown, and to about 2,000 times no index gets as
// old as the 10 s after which it is stale. Times in ms of the venue, but for the timer's.

import { SECOND } from '../../core/units.ts';
import { now, realMs } from '../process/clock.ts';

/** Real ms between two turns, at least. */
const TURN_MS = 5;
const SHOWN_A_TURN = 4;
/** Seconds made in one turn; the time beyond them passes without a price. */
const MADE_A_TURN = 10_000;

type Feed = {
  /** One second goes by. */
  readonly step: () => void;
  /** Hands on the prices as they are now; `time` is when that is. */
  readonly show: (time: number) => void;
  /** The turn is over: the newest second has been shown. */
  readonly rest: () => void;
};

/** Makes the seconds after `last` up to `time`; answers the time of the newest one. */
export function runTurn(last: number, time: number, { step, show, rest }: Feed): number {
  // A wall clock may be set back: the feed goes on from there.
  const since = time < last ? time - SECOND : last;
  const behind = Math.floor((time - since) / SECOND);
  if (behind === 0) return since;
  const count = Math.min(behind, MADE_A_TURN);
  const shown = Math.min(count, SHOWN_A_TURN);
  const start = since + (behind - count) * SECOND;
  let made = 0;
  for (let i = 1; i <= shown; i++) {
    for (const upTo = Math.round(count * i / shown); made < upTo; made++) step();
    show(start + made * SECOND);
  }
  rest();
  return start + count * SECOND;
}

/** Starts with a first price at once; returns the stop. */
export function startSimTimer(feed: Feed): () => void {
  let last = now() - SECOND;
  let timer: NodeJS.Timeout | null = null;
  const turn = (): void => {
    last = runTurn(last, now(), feed);
    const next = Math.min(SECOND, last + SECOND - now());
    timer = setTimeout(turn, Math.max(TURN_MS, Math.ceil(realMs(next))));
  };
  turn();
  return () => clearTimeout(timer!);
}
