// The chain of the chosen expiry, calls and puts by strike, live while it is shown. A click on a bid or ask fills the ticket.

import { computed, useComputed, useSignal } from '@preact/signals';
import type { TargetedFocusEvent, TargetedMouseEvent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ChainLeg } from '../../../src/main.ts';
import { dayUtc, timeLeft } from '../../format.ts';
import { Button, Tabs } from '../../ui/controls.tsx';
import { focusCell, onGridFocus, onGridKey } from '../../ui/grid.tsx';
import { Dialog } from '../../ui/notices.tsx';
import { remembered } from '../../ui/remembered.ts';
import { rangesDrawn, RowWindow } from '../../ui/row-window.ts';
import { isNarrow, isPhone, isWide } from '../../ui/screen.ts';
import { venueTime } from '../../venue/clock.ts';
import { fillTicket, indexOf, markets, select, selection } from '../../venue/store.ts';
import {
  ALL_COLUMNS, columnsOf, fillOf, isChoice, NARROW_COLUMNS, PHONE_COLUMNS, STANDARD_COLUMNS, WIDE_COLUMNS, type ColumnId,
} from './columns.ts';
import { expiries, shownExpiry } from './expiries.ts';
import { ChainHead, ChainLine, HEAD_ROWS, type HeadProps } from './lines.tsx';
import { nearestStrike } from './nearest.ts';
import type { ChainRow, ChainRows } from './rows.ts';
import { useChain } from './use-chain.ts';

const chosenColumns = remembered<readonly ColumnId[] | null>('chain.columns', null, isChoice);
const fittingColumns = computed(() => (isWide.value ? WIDE_COLUMNS : isNarrow.value ? NARROW_COLUMNS : STANDARD_COLUMNS));
const wideColumns = computed(() => chosenColumns.value ?? fittingColumns.value);
const shownColumns = computed(() => (isPhone.value ? PHONE_COLUMNS : wideColumns.value));

export function Chain() {
  const { underlying } = selection.value;
  const expiry = shownExpiry.value;
  const isChoosing = useSignal(false);
  return (
    <section class="chain" aria-label="Options chain">
      <div class="bar">
        <ExpiryTabs />
        {!isPhone.value && <Button onClick={() => { isChoosing.value = true; }}>Columns</Button>}
      </div>
      {expiry === null
        ? <p class="empty">{markets.value === null ? 'Asking the venue …' : `No options of ${underlying}: choose another.`}</p>
        : <ChainTable key={`${underlying} ${expiry}`} underlying={underlying} expiry={expiry} />}
      {isChoosing.value && <ColumnDialog onClose={() => { isChoosing.value = false; }} />}
    </section>
  );
}

export function ExpiryTabs() {
  const now = venueTime.value;
  const tabs = expiries.value.map((expiry) => ({
    id: String(expiry), title: dayUtc(expiry * 1_000).replace(/ \d{4}$/, ''), note: timeLeft(expiry * 1_000 - now),
  }));
  return <Tabs label="Expiry" tabs={tabs} chosen={String(shownExpiry.value)} onChoose={(id) => select({ expiry: Number(id) })} />;
}

function ChainTable({ underlying, expiry }: { readonly underlying: string; readonly expiry: number }) {
  const { chain, problem } = useChain({ underlying, expiry });
  const frame = useRef<HTMLDivElement>(null);
  const inView = useMemo(() => new RowWindow(), []);
  useEffect(() => inView.watch(frame.current!), [inView]);
  const rows = chain.rows.value;
  const nearest = useComputed(() => nearestStrike(chain.rows.value.map(({ strike }) => strike), indexOf(underlying).value?.price));
  const isMoved = useRef(false);
  useEffect(() => {
    if (!isMoved.current) inView.show(rows.findIndex(({ strike }) => strike === nearest.value));
  }, [rows, nearest.value]);
  const move = (): void => { isMoved.current = true; };
  const click = (event: TargetedMouseEvent<HTMLElement>): void => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-leg]');
    const { leg: kind, column, strike } = cell?.dataset ?? {};
    const row = rows.find((one) => String(one.strike) === strike);
    const leg = row === undefined ? null : (kind === 'call' ? row.call : row.put).value;
    if (leg !== null) choose(leg, column as ColumnId);
  };
  const { focused, focusFar, onFocusIn } = useFocusedRow(frame, rows);
  const head = { calls: columnsOf('call', shownColumns.value), puts: columnsOf('put', shownColumns.value) };
  return (
    <div class="grid-frame" ref={frame} onWheel={move} onPointerDown={move} onKeyDown={move}>
      <table
        class="grid chain-grid" role="grid" aria-label={`Options of ${underlying}, ${dayUtc(expiry * 1_000)}`}
        aria-rowcount={rows.length + HEAD_ROWS} onKeyDown={(event) => onGridKey(event, focusFar)} onFocusIn={onFocusIn} onClick={click}
      >
        <ChainHead {...head} />
        <ChainBody {...head} chain={chain} inView={inView} focused={focused} nearest={nearest.value} underlying={underlying} />
      </table>
      {rows.length === 0 && <p class="empty">{problem ?? 'Asking the venue for the chain …'}</p>}
    </div>
  );
}

type BodyProps = HeadProps & {
  readonly chain: ChainRows; readonly inView: RowWindow; readonly underlying: string;
  /** Number of the row with the focus; -1: none. */
  readonly focused: number;
  readonly nearest: number | null;
};

/** Rows out of view are not in the document: rows without cells keep their room. */
function ChainBody({ chain, inView, focused, nearest, underlying, ...head }: BodyProps) {
  const rows = chain.rows.value;
  // Changes seldom, while the index changes always.
  const below = useComputed(() => {
    const index = Number(indexOf(underlying).value?.price ?? Number.NaN);
    return Number.isNaN(index) ? -1 : chain.rows.value.filter(({ strike }) => strike < index).length;
  });
  const rowPx = inView.rowPx.value;
  const ranges = rangesDrawn(rows.length, inView.range.value, focused);
  const gap = (from: number, to: number) => {
    const before = to === rows.length ? 'end' : to === focused ? 'focused' : 'in view';
    return to > from && <tr key={before} aria-hidden="true" style={{ height: `${(to - from) * rowPx}px` }} />;
  };
  return (
    <tbody>
      {ranges.map(({ from, to }, piece) => [
        gap(ranges[piece - 1]?.to ?? 0, from),
        rows.slice(from, to).map((row, at) => (
          <ChainLine
            {...head} key={row.strike} row={row} rowIndex={HEAD_ROWS + 1 + from + at} isNearest={row.strike === nearest}
            inMoney={below.value < 0 ? null : from + at < below.value ? 'call' : 'put'}
          />
        )),
      ])}
      {gap(ranges.at(-1)!.to, rows.length)}
    </tbody>
  );
}

type FocusedRow = {
  readonly focused: number;
  readonly focusFar: (rowIndex: number, column: number) => void;
  readonly onFocusIn: (event: TargetedFocusEvent<HTMLElement>) => void;
};

/** The row that has or had the focus stays in the document. `focusFar`: draws a row first. */
function useFocusedRow(frame: { readonly current: HTMLElement | null }, rows: readonly ChainRow[]): FocusedRow {
  const strike = useSignal<number | null>(null);
  const due = useRef<{ readonly rowIndex: number; readonly column: number } | null>(null);
  const keep = (rowIndex: number): void => { strike.value = rows[rowIndex - HEAD_ROWS - 1]?.strike ?? null; };
  useLayoutEffect(() => {
    if (due.current === null) return;
    const { rowIndex, column } = due.current;
    due.current = null;
    focusCell(frame.current?.querySelector(`[aria-rowindex="${rowIndex}"]`), column);
  });
  return {
    focused: rows.findIndex((row) => row.strike === strike.value),
    focusFar: (rowIndex, column) => {
      due.current = { rowIndex, column };
      keep(rowIndex);
    },
    onFocusIn: (event) => {
      onGridFocus(event);
      keep(Number((event.target as HTMLElement).closest('[aria-rowindex]')?.getAttribute('aria-rowindex')));
    },
  };
}

function choose(leg: ChainLeg, column: ColumnId): void {
  const fill = fillOf(column, leg);
  if (fill === null) select({ contract: leg.symbol });
  else fillTicket({ symbol: leg.symbol, ...fill });
}

function ColumnDialog({ onClose }: { readonly onClose: () => void }) {
  const toggle = (id: ColumnId): void => {
    const chosen = wideColumns.value;
    chosenColumns.value = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
  };
  return (
    <Dialog title="Columns of the chain" onClose={onClose}>
      <ul class="choices">
        {ALL_COLUMNS.map(({ id, what }) => (
          <li key={id}>
            <label><input type="checkbox" checked={wideColumns.value.includes(id)} onChange={() => toggle(id)} /> {what}</label>
          </li>
        ))}
      </ul>
      <Button onClick={() => { chosenColumns.value = null; }}>As many as there is room for</Button>
    </Dialog>
  );
}
