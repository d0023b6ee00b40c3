// Runs the simulated feed in steps of one second of venue time, at any clock speed. A turn shows at most
// MAX_SHOWN_PER_TURN of its seconds: all of them up to 800 times real time; up to about 2,000 times, no index becomes
// stale (10 s). Times in venue ms.

import { SECOND } from '../../core/units.ts';
import { now, realMs } from '../process/clock.ts';

const MIN_TURN_MS = 5;
const MAX_SHOWN_PER_TURN = 4;
const MAX_SECONDS_PER_TURN = 10_000;

type Feed = {
  readonly step: () => void;
  readonly show: (time: number) => void;
  readonly rest: () => void;
};

export function runTurn(last: number, time: number, { step, show, rest }: Feed): number {
  const since = time < last ? time - SECOND : last;
  const behind = Math.floor((time - since) / SECOND);
  if (behind === 0) return since;
  const count = Math.min(behind, MAX_SECONDS_PER_TURN);
  const shown = Math.min(count, MAX_SHOWN_PER_TURN);
  const start = since + (behind - count) * SECOND;
  let made = 0;
  for (let i = 1; i <= shown; i++) {
    for (const upTo = Math.round(count * i / shown); made < upTo; made++) step();
    show(start + made * SECOND);
  }
  rest();
  return start + count * SECOND;
}

export function startSimTimer(feed: Feed): () => void {
  let last = now() - SECOND;
  let timer: NodeJS.Timeout | null = null;
  const turn = (): void => {
    last = runTurn(last, now(), feed);
    const next = Math.min(SECOND, last + SECOND - now());
    timer = setTimeout(turn, Math.max(MIN_TURN_MS, Math.ceil(realMs(next))));
  };
  turn();
  return () => clearTimeout(timer!);
}
