// At phone width the areas are tabs, on a wide screen the chain has all columns; narrow is between.

import { signal } from '@preact/signals';

const PHONE = matchMedia('(max-width: 1023px)');
const NARROW = matchMedia('(max-width: 1599px)');
const WIDE = matchMedia('(min-width: 1900px)');

export const isPhone = signal(PHONE.matches);
/** Areas side by side, but no volatilities in the chain. */
export const isNarrow = signal(NARROW.matches);
/** All columns of the chain. */
export const isWide = signal(WIDE.matches);
/** Of the window, px. */
export const room = signal(roomNow());
PHONE.addEventListener('change', () => { isPhone.value = PHONE.matches; });
WIDE.addEventListener('change', () => { isWide.value = WIDE.matches; });
NARROW.addEventListener('change', () => { isNarrow.value = NARROW.matches; });
addEventListener('resize', () => { room.value = roomNow(); });

function roomNow(): { readonly width: number; readonly height: number } {
  return { width: innerWidth, height: innerHeight };
}
