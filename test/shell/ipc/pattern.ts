// Records whose length, place in a bulk and every word follow from their number, so that a reader can tell a lost, repeated, reordered,
// torn or half-published record from the expected one. Numbers are u32.

import type { Views } from '../../../core/codec/record.ts';
import type { RingProducer } from '../../../shell/ipc/ring.ts';

function mix(value: number): number {
  let x = Math.imul(value ^ (value >>> 16), 0x45d9_f3b5);
  x = Math.imul(x ^ (x >>> 15), 0x1b87_3593);
  return (x ^ (x >>> 13)) >>> 0;
}

/** Multiples of 8 in 16..largest. */
export function lengthOf(number: number, largest: number): number {
  return 16 + 8 * (mix(number) % ((largest - 16) / 8 + 1));
}

/** Records are published in bulks of 1 to 4, each made of numbers with the same quotient by `BULK`. */
export const BULK = 4;

export function fill(views: Views, at: number, number: number, bytes: number): void {
  const word = at >>> 2;
  views.u32[word + 1] = number;
  for (let i = 2; i < bytes >>> 2; i++) views.u32[word + i] = mix(number + i);
}

/** What is wrong with the record at `at`, or '' when it is record `number`. */
export function fault(views: Views, at: number, number: number, bytes: number): string {
  const word = at >>> 2;
  if (views.u32[word + 1] !== number) return `number ${views.u32[word + 1]} instead of ${number}`;
  if (views.u32[word] !== bytes) return `length ${views.u32[word]} instead of ${bytes} in record ${number}`;
  for (let i = 2; i < bytes >>> 2; i++) {
    if (views.u32[word + i] !== mix(number + i)) return `word ${i} of record ${number} is torn`;
  }
  return '';
}

/** Publishes records `first` to the end of its bulk at once, or none; the number after the last one published. */
export function publishBulk(ring: RingProducer, first: number, end: number): number {
  const stop = Math.min(end, first - (first % BULK) + BULK);
  for (let number = first; number < stop; number++) {
    const bytes = lengthOf(number, ring.largest);
    const at = ring.claim(bytes);
    if (at < 0) {
      ring.abandon();
      return first;
    }
    fill(ring.views, at, number, bytes);
  }
  ring.publish();
  return stop;
}
