// Which rows of a long grid are in the document: those in view, some around them, and the one that has the focus. Rows have one height.

import { signal } from '@preact/signals';

/** `to` is the row after the last. */
type RowRange = { readonly from: number; readonly to: number };

const AROUND = 6;
const STEP = 4;
const AT_FIRST: RowRange = { from: 0, to: 40 };
const ROW = 'tbody [aria-rowindex]';

export class RowWindow {
  readonly range = signal(AT_FIRST);
  /** Known once a row was drawn. */
  readonly rowPx = signal(0);
  #frame: HTMLElement | null = null;
  readonly #update = (): void => {
    const [frame, row] = [this.#frame, this.#frame?.querySelector(ROW)];
    const rowPx = row?.getBoundingClientRect().height ?? 0;
    if (frame === null || rowPx === 0) return;
    this.rowPx.value = rowPx;
    const next = rangeInView(frame.scrollTop / rowPx, (frame.clientHeight - headPx(frame)) / rowPx);
    const { from, to } = this.range.peek();
    if (next.from !== from || next.to !== to) this.range.value = next;
  };

  /** Returns what ends it. */
  watch(frame: HTMLElement): () => void {
    this.#frame = frame;
    const resize = new ResizeObserver(this.#update);
    resize.observe(frame);
    resize.observe(frame.querySelector('table')!);
    frame.addEventListener('scroll', this.#update, { passive: true });
    return () => {
      resize.disconnect();
      frame.removeEventListener('scroll', this.#update);
      this.#frame = null;
    };
  }

  /** Scrolls row `at` into the middle. */
  show(at: number): void {
    this.#update();
    showRow(this.#frame, at);
    this.#update();
  }
}

/** Both in rows: how many are above the first one in view, and how many there is room for. */
export function rangeInView(above: number, room: number): RowRange {
  const from = Math.max(0, Math.floor((Math.floor(above) - AROUND) / STEP) * STEP);
  return { from, to: Math.ceil((Math.ceil(above + Math.max(0, room)) + AROUND) / STEP) * STEP };
}

/** The rows to draw, ascending and without overlap. */
export function rangesDrawn(count: number, { from, to }: RowRange, focused: number): readonly RowRange[] {
  const end = Math.min(to, count);
  const inView = { from: Math.min(from, end), to: end };
  if (focused < 0 || focused >= count || (focused >= inView.from && focused < end)) return [inView];
  const alone = { from: focused, to: focused + 1 };
  return focused < inView.from ? [alone, inView] : [inView, alone];
}

/** Scrolls the row into the middle of what is in view below the head, with no row cut in half there. */
export function showRow(frame: HTMLElement | null, at: number): void {
  const row = frame?.querySelector('tbody [role=row]');
  if (frame === null || row === null || row === undefined || at < 0) return;
  const { height } = row.getBoundingClientRect();
  frame.scrollTop = Math.round((headPx(frame) + at * height - (frame.clientHeight - height) / 2) / height) * height;
}

function headPx(frame: HTMLElement): number {
  return frame.querySelector('thead')?.getBoundingClientRect().height ?? 0;
}
