// Which rows of a scrolling frame are in view or nearly. The others need not follow every change.

import type { Signal } from '@preact/signals';

/** Around the frame, a part of its height. */
const MARGIN = '25% 0%';

export class NearRows {
  readonly #near = new Map<Element, Signal<boolean>>();
  #observer: IntersectionObserver | null = null;

  /** Before and after, all rows are near. Returns what ends it. */
  watch(frame: Element): () => void {
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const isNear = this.#near.get(target);
        if (isNear !== undefined) isNear.value = isIntersecting;
      }
    }, { root: frame, rootMargin: MARGIN });
    for (const row of this.#near.keys()) this.#observer.observe(row);
    return () => {
      this.#observer?.disconnect();
      this.#observer = null;
      for (const isNear of this.#near.values()) isNear.value = true;
    };
  }

  /** Returns what takes the row out. */
  add(row: Element, isNear: Signal<boolean>): () => void {
    this.#near.set(row, isNear);
    this.#observer?.observe(row);
    return () => {
      this.#near.delete(row);
      this.#observer?.unobserve(row);
    };
  }
}
