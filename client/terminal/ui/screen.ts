// What kind of screen the page is on: at phone width its areas are tabs, on a wide one the chain has all columns.

import { signal } from '@preact/signals';

const PHONE = matchMedia('(max-width: 1023px)');
const NARROW = matchMedia('(max-width: 1599px)');
const WIDE = matchMedia('(min-width: 1900px)');

/** Too narrow for panels side by side. */
export const isPhone = signal(PHONE.matches);
/** Wide enough for the areas side by side, but not for volatilities in the chain beside them. */
export const isNarrow = signal(NARROW.matches);
/** Wide enough for all columns of the chain beside the other areas. */
export const isWide = signal(WIDE.matches);
PHONE.addEventListener('change', () => { isPhone.value = PHONE.matches; });
WIDE.addEventListener('change', () => { isWide.value = WIDE.matches; });
NARROW.addEventListener('change', () => { isNarrow.value = NARROW.matches; });
