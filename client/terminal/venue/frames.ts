// Writes signals once per animation frame: of many values only the last. Chain and book can change in each frame; to keep frames short, one
// frame draws one of them, the one that was drawn longest ago.

import { batch, type Signal } from '@preact/signals';

type Part = 'page' | 'chain' | 'book';

class Waiting {
  readonly values = new Map<Signal<unknown>, unknown>();
  readonly works = new Set<() => void>();

  get isEmpty(): boolean {
    return this.values.size === 0 && this.works.size === 0;
  }

  write(): void {
    const [values, works] = [[...this.values], [...this.works]];
    this.values.clear();
    this.works.clear();
    for (const [target, value] of values) target.value = value;
    for (const work of works) work();
  }
}

const waiting: Readonly<Record<Part, Waiting>> = { page: new Waiting(), chain: new Waiting(), book: new Waiting() };
/** The next one first. */
const turns: Waiting[] = [waiting.chain, waiting.book];
let isAsked = false;

export function setSoon<T>(target: Signal<T>, value: T, part: Part = 'page'): void {
  waiting[part].values.set(target as Signal<unknown>, value);
  askFrame();
}

export function latest<T>(target: Signal<T>, part: Part = 'page'): T {
  const { values } = waiting[part];
  return values.has(target as Signal<unknown>) ? values.get(target as Signal<unknown>) as T : target.peek();
}

/** Once, however often it is asked for. */
export function inNextFrame(work: () => void, part: Part = 'page'): void {
  waiting[part].works.add(work);
  askFrame();
}

function askFrame(): void {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(draw);
}

function draw(): void {
  isAsked = false;
  const next = turns.find((part) => !part.isEmpty);
  if (next !== undefined) turns.push(...turns.splice(turns.indexOf(next), 1));
  batch(() => {
    waiting.page.write();
    next?.write();
  });
  if (turns.some((part) => !part.isEmpty)) askFrame();
}
