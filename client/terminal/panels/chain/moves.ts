// The sign of a price that rose or fell, shown beside it for a short time. One timer for all cells: an animation for each would cost more
// than the prices do.

const SHOWN_MS = 1_200;
const LOOK_EVERY_MS = 200;

/** When the sign goes, in the order of these times. */
const marked = new Map<HTMLElement, number>();
let timer: ReturnType<typeof setInterval> | undefined;

export function markMove(cell: HTMLElement, move: 'up' | 'down'): void {
  if (cell.dataset['move'] !== move) cell.dataset['move'] = move;
  marked.delete(cell);
  marked.set(cell, performance.now() + SHOWN_MS);
  timer ??= setInterval(clear, LOOK_EVERY_MS);
}

function clear(): void {
  const now = performance.now();
  for (const [cell, until] of marked) {
    if (until > now) return;
    marked.delete(cell);
    delete cell.dataset['move'];
  }
  clearInterval(timer);
  timer = undefined;
}
