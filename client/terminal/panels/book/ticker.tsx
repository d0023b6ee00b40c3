// Facts of a contract: mark, index, volume, open interest, volatility or funding. A perp's are streamed, an option's read every few
// seconds.

import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { OrderBook, PerpTickerUpdate } from '../../../src/main.ts';
import { ABSENT, percent, priceOrNone, size, timeLeft } from '../../format.ts';
import { venueTime } from '../../venue/clock.ts';
import { useRead, useStream } from '../../venue/hooks.ts';
import { setSoon } from '../../venue/frames.ts';

type Ticker = {
  readonly mark: number; readonly index: number; readonly volume: number; readonly openInterest: number;
  readonly perp: PerpTickerUpdate | null; readonly option: OrderBook | null;
};

const OPTION_EVERY_MS = 2_000;

function isPerp(symbol: string): boolean {
  return symbol.endsWith('-PERP');
}

export function useTicker(symbol: string) {
  const ticker = useSignal<Ticker | null>(null);
  useStream('perp_ticker', isPerp(symbol) ? { symbols: [symbol] } : null, (perp) => setSoon(ticker, {
    mark: perp.mark_price, index: perp.index_price, volume: perp.volume_24h, openInterest: perp.open_interest, perp, option: null,
  }));
  const option = isPerp(symbol) ? null : { instrument_name: symbol, depth: 1 };
  const { data, error } = useRead('/orderbook', option, { everyMs: OPTION_EVERY_MS });
  useEffect(() => {
    if (data === null) return;
    const { mark_price: mark, index_price: index, stats, open_interest: openInterest } = data;
    ticker.value = { mark, index, volume: stats.volume, openInterest, perp: null, option: data };
  }, [data]);
  return { ticker, problem: error?.message ?? null };
}

export function TickerLine({ symbol, ticker }: { readonly symbol: string; readonly ticker: ReadonlySignal<Ticker | null> }) {
  const now = ticker.value;
  return (
    <dl class="ticker">
      <Fact name="Mark" text={priceOrNone(now?.mark)} />
      <Fact name="Index" text={priceOrNone(now?.index)} />
      {!isPerp(symbol) && <Fact name="IV, %" text={percent(now?.option?.mark_iv)} />}
      <Fact name="Volume 24 h" text={size(now?.volume)} />
      <Fact name="Open interest" text={size(now?.openInterest)} />
      {isPerp(symbol) && <Funding perp={now?.perp ?? null} />}
    </dl>
  );
}

function Funding({ perp }: { readonly perp: PerpTickerUpdate | null }) {
  const rate = perp?.predicted_rate ?? null;
  const hours = perp?.interval_hours ?? 1;
  return (
    <Fact
      name={`Funding, % in ${hours} h`} text={rate === null ? ABSENT : percent(rate)}
      note={perp === null ? '' : `in ${timeLeft(perp.next_funding_time - venueTime.value)}`}
      title={`Predicted for this hour. Positive: longs pay. Last charged: ${percent(perp?.funding_rate)} %.`}
    />
  );
}

type FactProps = { readonly name: string; readonly text: string; readonly note?: string; readonly title?: string };

function Fact({ name, text, note, title }: FactProps) {
  return (
    <div title={title} class={note === undefined ? undefined : 'wide'}>
      <dt>{name}</dt><dd>{text}{note !== undefined && <small>{note}</small>}</dd>
    </div>
  );
}
