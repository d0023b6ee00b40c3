// The expiries of the chosen underlying, and which of them all panels show: the chosen one, or the first while it is not listed.

import { computed } from '@preact/signals';
import { markets, selection } from '../../venue/store.ts';

/** Seconds, ascending, of the chosen underlying. */
export const expiries = computed(() => {
  const listed = (markets.value ?? []).filter(({ underlying }) => underlying === selection.value.underlying);
  return listed.map(({ expiry }) => expiry).sort((a, b) => a - b);
});
export const shownExpiry = computed(() => {
  const { expiry } = selection.value;
  return expiry !== null && expiries.value.includes(expiry) ? expiry : expiries.value[0] ?? null;
});
