// The ladder on the screen: bids left, asks right, bars for the sum from the best price. A click left fills the ticket with a buy, right
// with a sell; an own order is dragged to another row.

import { useSignal, type Signal } from '@preact/signals';
import type { TargetedMouseEvent, TargetedPointerEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { roundPrice } from '../../../src/main.ts';
import { price, size } from '../../format.ts';
import { onGridFocus, onGridKey } from '../../ui/grid.tsx';
import { fillTicket } from '../../venue/store.ts';
import type { LadderModel } from './ladder-model.ts';
import type { LadderRow } from './ladder.ts';

const ROW_PX = 20;
const HEAD_ROWS = 1;
type Sided = 'bid' | 'ask';
export type Move = { readonly side: 'Buy' | 'Sell'; readonly from: number; readonly to: string };
type Drag = { readonly side: Sided; readonly from: number; readonly to: number };

type LadderProps = {
  readonly symbol: string; readonly model: LadderModel; readonly isOld: boolean; readonly onMove: (move: Move) => void;
};

export function LadderView({ symbol, model, isOld, onMove }: LadderProps) {
  const frame = useRef<HTMLDivElement>(null);
  const drag = useSignal<Drag | null>(null);
  useFittingRows(frame, model);
  const rows = model.rows.value;
  const priceAt = (at: number): string | null => {
    const row = rows[at]?.peek();
    return row === undefined || Number(row.price) <= 0 ? null : roundPrice(Number(row.price), 'near');
  };
  const hold = (): void => model.set({ isHeld: true });
  const release = (): void => {
    const element = frame.current;
    model.set({ isHeld: element !== null && (element.matches(':hover') || element.contains(document.activeElement)) });
  };
  const click = (event: TargetedMouseEvent<HTMLElement>): void => {
    const { at, side } = (event.target as HTMLElement).closest<HTMLElement>('[data-side]')?.dataset ?? {};
    const chosen = priceAt(Number(at));
    if (chosen !== null) fillTicket({ symbol, side: side === 'bid' ? 'Buy' : 'Sell', price: chosen });
  };
  const grab = (event: TargetedPointerEvent<HTMLElement>): void => {
    const cell = (event.target as HTMLElement).closest('[data-own]')?.closest<HTMLElement>('[data-side]');
    if (cell === null || cell === undefined) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = Number(cell.dataset['at']);
    drag.value = { side: cell.dataset['side'] as Sided, from: at, to: at };
  };
  const pull = ({ clientX, clientY }: TargetedPointerEvent<HTMLElement>): void => {
    const before = drag.value;
    const at = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-row]')?.dataset['row'];
    if (before !== null && at !== undefined && Number(at) !== before.to) drag.value = { ...before, to: Number(at) };
  };
  const drop = (): void => {
    const done = drag.value;
    drag.value = null;
    if (done === null || done.from === done.to) return;
    const to = priceAt(done.to);
    if (to !== null) onMove({ side: done.side === 'bid' ? 'Buy' : 'Sell', from: done.from, to });
  };
  return (
    <div
      class={`ladder-frame${isOld ? ' old' : ''}`} ref={frame} onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold}
      onFocusOut={() => queueMicrotask(release)} onWheel={(event) => {
        event.preventDefault();
        model.scroll(Math.sign(event.deltaY));
      }}
    >
      <table
        class={`grid ladder${drag.value === null ? '' : ' dragging'}`} role="grid" aria-label={`Order book of ${symbol}`}
        aria-rowcount={rows.length + HEAD_ROWS} onKeyDown={onGridKey} onFocusIn={onGridFocus} onClick={click} onPointerDown={grab}
        onPointerMove={pull} onPointerUp={drop} onLostPointerCapture={() => { drag.value = null; }}
      >
        <thead>
          <tr role="row">
            <th role="columnheader" scope="col" tabIndex={0} title="Contracts bid; a click buys at the row's price">Bid</th>
            <th role="columnheader" scope="col" tabIndex={-1} class="price">Price</th>
            <th role="columnheader" scope="col" tabIndex={-1} title="Contracts asked; a click sells at the row's price">Ask</th>
          </tr>
        </thead>
        <tbody>{rows.map((row, at) => <Line key={at} at={at} row={row} drag={drag} />)}</tbody>
      </table>
    </div>
  );
}

type LineProps = { readonly at: number; readonly row: Signal<LadderRow>; readonly drag: Signal<Drag | null> };

function Line({ at, row, drag }: LineProps) {
  const { price: text, bid, ask, isBetween, isMark } = row.value;
  const isTarget = drag.value?.to === at;
  const shown = price(text);
  return (
    <tr role="row" data-row={at} class={`${isBetween ? 'between' : ''}${isTarget ? ' target' : ''}`}>
      <SideCell kind="bid" at={at} side={bid} what={`Buy at ${shown}`} />
      <th
        role="rowheader" scope="row" class={`price${isMark ? ' mark' : ''}`} tabIndex={-1} title={isMark ? 'The mark is here' : undefined}
      >
        {shown}
      </th>
      <SideCell kind="ask" at={at} side={ask} what={`Sell at ${shown}`} />
    </tr>
  );
}

type SideProps = { readonly kind: Sided; readonly at: number; readonly side: LadderRow['bid']; readonly what: string };

function SideCell({ kind, at, side, what }: SideProps) {
  const { size: contracts, own, sum, share, levels, isBest } = side;
  const parts = [
    what, own === '' ? '' : `yours ${size(own)}`, contracts === '' ? '' : `${size(contracts)} here, ${size(sum)} to here`,
    levels > 1 ? `${levels} levels` : '',
  ];
  const look = `${kind} press${isBest ? ' best' : ''}${own === '' ? '' : ' owned'}`;
  const bar = { backgroundSize: `${(share * 100).toFixed(1)}% 18px` };
  return (
    <td
      role="gridcell" tabIndex={-1} data-side={kind} data-at={at} class={look} style={bar}
      title={contracts === '' ? undefined : `${size(sum)} up to here`} aria-label={parts.filter((part) => part !== '').join(', ')}
    >
      {own !== '' && <span class="own" data-own="" title="Your orders: drag them to another price">{size(own)}</span>}{' '}
      <span class="contracts">{contracts === '' ? '' : size(contracts)}</span>
    </td>
  );
}

function useFittingRows(frame: { readonly current: HTMLElement | null }, model: LadderModel): void {
  useEffect(() => {
    const element = frame.current!;
    const resize = new ResizeObserver(() => model.set({ count: Math.max(0, Math.floor(element.clientHeight / ROW_PX) - HEAD_ROWS) }));
    resize.observe(element);
    return () => resize.disconnect();
  }, [model]);
}
