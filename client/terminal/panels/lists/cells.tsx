// Cells that several lists have: times, signed amounts, sides, and figures with more digits than room.

import { ABSENT, momentBoth, momentShort, rounded, signed } from '../../format.ts';
import type { Column } from '../../ui/grid.tsx';
import { isPhone } from '../../ui/screen.ts';

export function Moment({ ms }: { readonly ms: number | null }) {
  return ms === null ? <>{ABSENT}</> : <time dateTime={new Date(ms).toISOString()} title={momentBoth(ms)}>{momentShort(ms)}</time>;
}

/** The last columns; on a phone after `place` others, in sight. */
export function withActions<Row>(
  columns: readonly Column<Row>[], actions: readonly Column<Row>[], place: number,
): readonly Column<Row>[] {
  return isPhone.value ? [...columns.slice(0, place), ...actions, ...columns.slice(place)] : [...columns, ...actions];
}

export function Gain({ value }: { readonly value: string | null }) {
  const kind = value === null || Number(value) === 0 ? '' : Number(value) > 0 ? 'up' : 'down';
  return <span class={kind}>{signed(value)}</span>;
}

export function SideCell({ side }: { readonly side: 'Buy' | 'Sell' }) {
  return <span class={side === 'Buy' ? 'up' : 'down'}>{side}</span>;
}

export function Greek({ value, places }: { readonly value: number | undefined; readonly places: number }) {
  return <span title={signed(value)}>{signed(rounded(value, places))}</span>;
}
