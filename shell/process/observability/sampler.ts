// Samples of a thread: garbage collector pauses, and each second its heap and event loop delay, less the runtime's
// sampling interval. Times in seconds.

import { constants, monitorEventLoopDelay, PerformanceObserver, type IntervalHistogram } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { GC_KINDS, Meters } from './meters.ts';

const SAMPLE_EVERY_MS = 1_000;
const LOOP_EVERY_MS = 100;
const NANOS = 1e9;

type Pause = { readonly duration: number; readonly detail?: { readonly kind?: number } };

const KIND_OF: Readonly<Record<number, (typeof GC_KINDS)[number]>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor', [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental', [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak',
};

export function startSampling(meters: Meters, more: () => void = () => undefined): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as readonly Pause[]) {
      const kind = KIND_OF[detail?.kind ?? -1];
      if (kind !== undefined) meters.observe(kind, duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  const delay = monitorEventLoopDelay({ resolution: LOOP_EVERY_MS });
  delay.enable();
  const timer = setInterval(() => {
    sample(meters, delay);
    more();
  }, SAMPLE_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    delay.disable();
    observer.disconnect();
  };
}

function sample(meters: Meters, delay: IntervalHistogram): void {
  const seconds = (nanos: number): number => Math.max(0, (nanos - LOOP_EVERY_MS * 1e6) / NANOS) || 0;
  meters.set('loopMean', seconds(delay.mean));
  meters.set('loopP99', seconds(delay.percentile(99)));
  meters.set('loopMax', seconds(delay.max));
  delay.reset();
  const heap = getHeapStatistics();
  meters.set('heapUsed', heap.used_heap_size);
  meters.set('heapTotal', heap.total_heap_size);
}
