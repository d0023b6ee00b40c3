// The lines of the chain. Each side reads its contract's signals: a change of one contract draws cells of one side.

import type { Signal } from '@preact/signals';
import { Component, createRef } from 'preact';
import type { ChainLeg, OptionSummary } from '../../../src/main.ts';
import { ABSENT, plainText, price } from '../../format.ts';
import { ownMarkOf, selection } from '../../venue/store.ts';
import type { ChainColumn, ColumnId } from './columns.ts';
import { markMove } from './moves.ts';
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

type ByColumn<T> = { readonly [id in ColumnId]?: T | null | undefined };

function Side({ kind, strike, columns, leg, summary, isInMoney }: SideProps) {
  const state = { leg: leg.value, summary: summary.value };
  const symbol = state.leg?.symbol ?? '';
  const isChosen = symbol !== '' && selection.value.contract === symbol;
  const mark = symbol === '' ? null : ownMarkOf(symbol).value;
  const mode = state.summary?.trading_mode ?? 'orderbook';
  const shut = mode === 'orderbook' ? null : mode.replace('_', '-');
  const values: ByColumn<number> = { bid: state.leg?.bid_price_usd, ask: state.leg?.ask_price_usd };
  const own: ByColumn<string> = { bid: mark?.bids, ask: mark?.asks, delta: mark?.position };
  return (
    <>
      {columns.map(({ id, width, text: textOf, exact = textOf }) => {
        const text = textOf(state);
        const mine = own[id] ?? null;
        return (
          <Cell
            key={id} kind={kind} id={id} strike={strike} text={text} own={mine} isChosen={isChosen} value={values[id] ?? null}
            look={lookOf(id, { isInMoney, isAbsent: text === ABSENT, isShut: shut !== null, isLong: text.length > width })}
            title={shut !== null && isQuote(id) ? `${symbol} is ${shut}` : exact(state)}
            label={labelOf({ id, symbol, text, shut, own: mine })}
          />
        );
      })}
    </>
  );
}

type CellProps = {
  readonly kind: 'call' | 'put'; readonly id: ColumnId; readonly strike: number; readonly text: string; readonly own: string | null;
  readonly isChosen: boolean; readonly look: string; readonly title: string; readonly label: string | undefined;
  /** Of a quote: its moves are marked. */
  readonly value: number | null;
};

/** Drawn again only if what it shows has changed. */
class Cell extends Component<CellProps> {
  readonly #cell = createRef<HTMLTableCellElement>();

  override shouldComponentUpdate(next: CellProps): boolean {
    return (Object.keys(next) as (keyof CellProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override componentDidUpdate({ value: before }: CellProps): void {
    const { value } = this.props;
    if (before !== null && value !== null && before !== value) markMove(this.#cell.current!, value > before ? 'up' : 'down');
  }

  override render({ kind, id, strike, text, own, isChosen, look, title, label }: CellProps) {
    const mark = own !== null && (
      <span class="own" title={`${id === 'delta' ? 'Your position' : 'Your orders'}: ${own}`}>{own}</span>
    );
    return (
      <td
        ref={this.#cell} role="gridcell" tabIndex={-1} data-leg={kind} data-column={id} data-strike={plainText(strike)} class={look}
        aria-selected={isChosen} title={title} aria-label={label}
      >
        {!isQuote(id) && mark}{text}{isQuote(id) && own !== null && <> {mark}</>}
      </td>
    );
  }
}

type CellState = { readonly isInMoney: boolean; readonly isAbsent: boolean; readonly isShut: boolean; readonly isLong: boolean };

function lookOf(id: ColumnId, { isAbsent, isInMoney, isShut, isLong }: CellState): string {
  const quote = isQuote(id) ? ` press${isShut ? ' shut' : ''}` : '';
  return `${id}${isInMoney ? ' itm' : ''}${quote}${isAbsent ? ' none' : ''}${isLong ? ' long' : ''}`;
}

function isQuote(id: ColumnId): boolean {
  return id === 'bid' || id === 'ask';
}

type LabelParts = {
  readonly id: ColumnId; readonly symbol: string; readonly text: string; readonly shut: string | null; readonly own: string | null;
};

function labelOf({ id, symbol, text, shut, own }: LabelParts): string | undefined {
  if (text === ABSENT || !isQuote(id)) return undefined;
  return `${id === 'bid' ? 'Sell' : 'Buy'} ${symbol} at ${text}${own === null ? '' : `, ${own} yours`}${shut === null ? '' : `, ${shut}`}`;
}
