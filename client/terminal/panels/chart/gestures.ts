// How a chart moves: dragging and a sideways wheel move it in time, the wheel zooms at the pointer; keys + and −, Page Up and Down.

import type { TargetedKeyboardEvent, TargetedPointerEvent, TargetedWheelEvent } from 'preact';
import type uPlot from 'uplot';

type Moved = {
  readonly plot: () => uPlot | null;
  readonly bars: () => number;
  readonly move: (bars: number) => void;
  readonly zoom: (factor: number, share?: number) => void;
};

const ZOOM_PER_PX = 0.002;
export const ZOOM_BY_STEP = 1.5;

export function followPointer({ plot, bars, move, zoom }: Moved) {
  const barsOf = (px: number): number => {
    const width = plot()?.over.clientWidth ?? 0;
    return width === 0 ? 0 : px / width * bars();
  };
  return {
    onWheel(event: TargetedWheelEvent<HTMLElement>): void {
      const over = plot()?.over.getBoundingClientRect();
      if (over === undefined) return;
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(barsOf(event.deltaX || event.deltaY));
      else zoom(Math.exp(event.deltaY * ZOOM_PER_PX), Math.min(1, Math.max(0, (event.clientX - over.left) / over.width)));
    },
    onPointerDown(event: TargetedPointerEvent<HTMLElement>): void {
      if (plot()?.over.contains(event.target as Node) !== true) return;
      const element = event.currentTarget;
      let last = event.clientX;
      const pull = ({ clientX }: PointerEvent): void => {
        move(barsOf(last - clientX));
        last = clientX;
      };
      element.setPointerCapture(event.pointerId);
      element.addEventListener('pointermove', pull);
      element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', pull), { once: true });
    },
  };
}

export function moveByKey(event: TargetedKeyboardEvent<HTMLElement>, bars: number, move: Moved['move'], zoom: Moved['zoom']): void {
  const deed = {
    '+': () => zoom(1 / ZOOM_BY_STEP), '-': () => zoom(ZOOM_BY_STEP), PageUp: () => move(-bars / 2), PageDown: () => move(bars / 2),
  }[event.key];
  if (deed === undefined) return;
  event.preventDefault();
  deed();
}
