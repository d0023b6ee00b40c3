// The chosen expiry by strike: a press chooses a contract, and each side shows what rests or why it was refused.

import { computed, useComputed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ABSENT, price, priceOrNone, size } from '../../format.ts';
import { onGridFocus, onGridKey } from '../../ui/grid.tsx';
import { showRow } from '../../ui/row-window.ts';
import { indexOf } from '../../venue/store.ts';
import { nearestStrike } from '../chain/nearest.ts';
import { chosen, toggle } from './plan.ts';
import { QUOTE_SET, quoting } from './quoting.ts';
import type { RestingQuote, RestingQuotes } from './resting.ts';

type Listed = { readonly symbol: string; readonly strike: number; readonly mark: number };
const TITLES = ['Bid', 'Mark', 'Ask', 'Call', 'Strike', 'Put', 'Bid', 'Mark', 'Ask'];

type GridProps = { readonly listed: readonly Listed[]; readonly resting: RestingQuotes; readonly underlying: string };

export function QuoteGrid({ listed, resting, underlying }: GridProps) {
  const frame = useRef<HTMLDivElement>(null);
  const quotes = useComputed(() => {
    const own = [...resting.quotes.value.values()].filter(({ quote_set: set }) => set === QUOTE_SET);
    return new Map(own.map((quote) => [`${quote.symbol} ${quote.side}`, quote]));
  });
  const strikes = [...new Set(listed.map(({ strike }) => strike))].sort((a, b) => a - b);
  // Changes seldom, while the index changes always.
  const nearest = useMemo(() => computed(() => nearestStrike(strikes, indexOf(underlying).value?.price)), [strikes.join()]).value;
  useEffect(() => {
    if (nearest !== null) showRow(frame.current, strikes.indexOf(nearest));
  }, [listed[0]?.symbol, nearest === null]);
  if (strikes.length === 0) return <p class="hint">Asking the venue for the contracts …</p>;
  const of = (strike: number, kind: 'C' | 'P') => listed.find((one) => one.strike === strike && one.symbol.endsWith(`-${kind}`)) ?? null;
  return (
    <div class="grid-frame quotes" ref={frame}>
      <table class="grid" role="grid" aria-label={`Quotes of ${underlying}`} onKeyDown={onGridKey} onFocusIn={onGridFocus}>
        <thead>
          <tr role="row">
            {TITLES.map((title, at) => (
              <th key={at} role="columnheader" scope="col" class={title === 'Mark' ? 'mark' : undefined} tabIndex={at === 0 ? 0 : -1}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {strikes.map((strike) => (
            <QuoteLine
              key={strike} strike={strike} isNearest={strike === nearest} call={of(strike, 'C')} put={of(strike, 'P')} quotes={quotes}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Quotes = ReadonlySignal<ReadonlyMap<string, RestingQuote>>;
type LineProps = {
  readonly strike: number; readonly isNearest: boolean; readonly call: Listed | null; readonly put: Listed | null; readonly quotes: Quotes;
};

function QuoteLine({ strike, isNearest, call, put, quotes }: LineProps) {
  return (
    <tr role="row" class={isNearest ? 'nearest' : undefined}>
      <Sides contract={call} quotes={quotes} />
      <Choice contract={call} name="C" />
      <th role="rowheader" scope="row" class="strike" tabIndex={-1}>{price(strike)}</th>
      <Choice contract={put} name="P" />
      <Sides contract={put} quotes={quotes} />
    </tr>
  );
}

function Choice({ contract, name }: { readonly contract: Listed | null; readonly name: string }) {
  if (contract === null) return <td role="gridcell" tabIndex={-1} />;
  const isChosen = chosen.value.has(contract.symbol);
  return (
    <td
      role="gridcell" tabIndex={-1} class="choice press" aria-selected={isChosen} aria-label={`Quote ${contract.symbol}`}
      onClick={() => toggle(contract.symbol)}
    >
      {isChosen ? '✓' : name}
    </td>
  );
}

function Sides({ contract, quotes }: { readonly contract: Listed | null; readonly quotes: Quotes }) {
  return (
    <>
      <QuoteSide contract={contract} side="Buy" quotes={quotes} />
      <td role="gridcell" tabIndex={-1} class="mark">{contract === null ? ABSENT : priceOrNone(contract.mark)}</td>
      <QuoteSide contract={contract} side="Sell" quotes={quotes} />
    </>
  );
}

type SideProps = { readonly contract: Listed | null; readonly side: 'Buy' | 'Sell'; readonly quotes: Quotes };

function QuoteSide({ contract, side, quotes }: SideProps) {
  if (contract === null) return <td role="gridcell" tabIndex={-1} />;
  const { symbol } = contract;
  const what = `${side === 'Buy' ? 'Bid' : 'Ask'} in ${symbol}`;
  const quote = quotes.value.get(`${symbol} ${side}`);
  if (quote !== undefined) {
    const text = `${price(quote.price)} ${size(quote.size)}${quote.isPartlyFilled ? '· partly filled' : ''}`;
    return (
      <td role="gridcell" tabIndex={-1} class={side === 'Buy' ? 'up' : 'down'} title={text} aria-label={`${what}: ${text}`}>
        {price(quote.price)}<small class="soft"> {size(quote.size)}{quote.isPartlyFilled ? '·' : ''}</small>
      </td>
    );
  }
  const answers = quoting.answers.value.get(symbol);
  const answer = side === 'Buy' ? answers?.bid : answers?.ask;
  if (answer?.status !== 'REJECTED') return <td role="gridcell" tabIndex={-1} class="soft" aria-label={`${what}: none`}>{ABSENT}</td>;
  return (
    <td role="gridcell" tabIndex={-1} class="down" title={answer.reason ?? ''} aria-label={`${what}: refused, ${answer.reason ?? ''}`}>
      refused
    </td>
  );
}
