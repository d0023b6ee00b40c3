// The lines of the chain. Each side reads its contract's signals: a change of one contract draws one side.

import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ChainLeg, OptionSummary } from '../../../src/main.ts';
import { ABSENT, plainText, price } from '../../format.ts';
import { ownMarkOf, selection } from '../../venue/store.ts';
import type { ChainColumn, ColumnId } from './columns.ts';
import type { ChainRow } from './rows.ts';

export const HEAD_ROWS = 2;
export type HeadProps = { readonly calls: readonly ChainColumn[]; readonly puts: readonly ChainColumn[] };

export function ChainHead({ calls, puts }: HeadProps) {
  const head = ({ id, title, what }: ChainColumn) => <th key={id} role="columnheader" scope="col" title={what} tabIndex={-1}>{title}</th>;
  const width = ({ id, width: characters }: ChainColumn) => <col key={id} style={{ width: `calc(${characters}ch + 10px)` }} />;
  return (
    <>
      <colgroup>{calls.map(width)}</colgroup>
      <colgroup><col class="strike" /></colgroup>
      <colgroup>{puts.map(width)}</colgroup>
      <thead>
        <tr role="row" aria-rowindex={1} class="sides">
          <th role="columnheader" scope="colgroup" colSpan={calls.length} tabIndex={0}>Calls</th>
          <th role="columnheader" aria-label="Between the sides" tabIndex={-1} />
          <th role="columnheader" scope="colgroup" colSpan={puts.length} tabIndex={-1}>Puts</th>
        </tr>
        <tr role="row" aria-rowindex={2}>
          {calls.map(head)}
          <th role="columnheader" scope="col" class="strike" tabIndex={-1}>Strike</th>
          {puts.map(head)}
        </tr>
      </thead>
    </>
  );
}

type LineProps = HeadProps & {
  readonly row: ChainRow; readonly isNearest: boolean;
  /** Of all rows of the grid, the head's too, from 1. */
  readonly rowIndex: number;
  /** Null while the index is not known. */
  readonly inMoney: 'call' | 'put' | null;
};

export function ChainLine({ row, calls, puts, isNearest, inMoney, rowIndex }: LineProps) {
  const { strike, call, put, callSummary, putSummary } = row;
  return (
    <tr role="row" aria-rowindex={rowIndex} class={isNearest ? 'nearest' : undefined}>
      <Side kind="call" strike={strike} columns={calls} leg={call} summary={callSummary} isInMoney={inMoney === 'call'} />
      <th role="rowheader" scope="row" class="strike" tabIndex={-1}>
        {price(strike)}{isNearest && <span class="unseen"> at the money</span>}
      </th>
      <Side kind="put" strike={strike} columns={puts} leg={put} summary={putSummary} isInMoney={inMoney === 'put'} />
    </tr>
  );
}

type SideProps = {
  readonly kind: 'call' | 'put'; readonly strike: number; readonly columns: readonly ChainColumn[]; readonly isInMoney: boolean;
  readonly leg: Signal<ChainLeg | null>; readonly summary: Signal<OptionSummary | null>;
};

function Side({ kind, strike, columns, leg, summary, isInMoney }: SideProps) {
  const state = { leg: leg.value, summary: summary.value };
  const symbol = state.leg?.symbol ?? '';
  const isChosen = symbol !== '' && selection.value.contract === symbol;
  const mark = symbol === '' ? null : ownMarkOf(symbol).value;
  const moves = useMoves(state.leg);
  const mode = state.summary?.trading_mode ?? 'orderbook';
  const shut = mode === 'orderbook' ? null : mode.replace('_', '-');
  return (
    <>
      {columns.map(({ id, width, text: textOf, exact = textOf }) => {
        const text = textOf(state);
        const own = id === 'bid' ? mark?.bids : id === 'ask' ? mark?.asks : id === 'delta' ? mark?.position : null;
        return (
          <td
            key={id} role="gridcell" tabIndex={-1} data-leg={kind} data-column={id} data-strike={plainText(strike)}
            class={classOf(id, { isInMoney, isAbsent: text === ABSENT, isShut: shut !== null, isLong: text.length > width })}
            aria-selected={isChosen} data-move={moves[id]} title={shut !== null && isQuote(id) ? `${symbol} is ${shut}` : exact(state)}
            aria-label={labelOf(id, symbol, text, shut)}
          >
            {own !== null && own !== undefined && (
              <span class="own" title={`${id === 'delta' ? 'Your position' : 'Your orders'}: ${own}`}>{own}</span>
            )}
            {text}
          </td>
        );
      })}
    </>
  );
}

type CellState = { readonly isInMoney: boolean; readonly isAbsent: boolean; readonly isShut: boolean; readonly isLong: boolean };

function classOf(id: ColumnId, { isAbsent, isInMoney, isShut, isLong }: CellState): string {
  const quote = isQuote(id) ? ` press${isShut ? ' shut' : ''}` : '';
  return `${id}${isInMoney ? ' itm' : ''}${quote}${isAbsent ? ' none' : ''}${isLong ? ' long' : ''}`;
}

function isQuote(id: ColumnId): boolean {
  return id === 'bid' || id === 'ask';
}

function labelOf(id: ColumnId, symbol: string, text: string, shut: string | null): string | undefined {
  if (text === ABSENT || !isQuote(id)) return undefined;
  return `${id === 'bid' ? 'Sell' : 'Buy'} ${symbol} at ${text}${shut === null ? '' : `, ${shut}`}`;
}

type Moves = Partial<Record<ColumnId, string>>;

/** With the last change. Names alternate, so that the same move twice shows twice. */
function useMoves(leg: ChainLeg | null): Readonly<Moves> {
  const before = useRef<{ leg: ChainLeg | null; moves: Moves; count: number }>({ leg, moves: {}, count: 0 });
  const { current } = before;
  if (current.leg !== leg) {
    current.count++;
    current.moves = {
      ...moveOf('bid', current.leg?.bid_price_usd, leg?.bid_price_usd, current.count),
      ...moveOf('ask', current.leg?.ask_price_usd, leg?.ask_price_usd, current.count),
    };
    current.leg = leg;
  }
  return current.moves;
}

function moveOf(id: ColumnId, from: number | null | undefined, to: number | null | undefined, count: number): Moves {
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return {};
  return { [id]: `${to > from ? 'up' : 'down'}${count % 2}` };
}
