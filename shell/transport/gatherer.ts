// The loop of a consumer for which nobody waits: it lets records gather and takes them at an even pace while they come, so that many
// share what taking them costs, and whoever brings one finds it awake. When nothing has come for one period it sleeps behind its doorbell.
//
// Units: ms. Never: wakes while nothing comes, catches what `drain` throws (that is fatal).

import type { Doorbell } from './doorbell.ts';
import type { ConsumerHandle } from './consumer.ts';

type GathererOptions = {
  readonly doorbell: Doorbell;
  /** Takes what has gathered; 0 says that there was nothing. */
  readonly drain: () => number;
  readonly everyMs: number;
};

/** Starts the loop with a first look after one period. */
export function runGatherer({ doorbell, drain, everyMs }: GathererOptions): Pick<ConsumerHandle, 'stop'> {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  function gather(): void {
    if (timer !== null || isStopped) return;
    doorbell.awake();
    timer = setTimeout(take, everyMs);
  }

  function take(): void {
    timer = null;
    if (drain() > 0) return gather();
    doorbell.sleep();
    // What came before the flag said so has rung nobody.
    if (drain() > 0) gather();
  }

  doorbell.listen(gather);
  gather();
  return {
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      doorbell.close();
    },
  };
}
