// The contract, its best prices and mark, which can be taken over, and what the account has of it.

import { useSignal } from '@preact/signals';
import { roundPrice, type Side } from '../../../src/main.ts';
import { price, rounded } from '../../format.ts';
import { Button } from '../../ui/controls.tsx';
import { useStream } from '../../venue/hooks.ts';

type Quote = { readonly bid: number | null; readonly ask: number | null };

const WIDE = 10_000;

export function useQuote(symbol: string): Quote {
  const quote = useSignal<Quote>({ bid: null, ask: null });
  useStream('orderbook', { symbols: [symbol] }, ({ asks, bids }) => {
    const next = { bid: bestOf(bids), ask: bestOf(asks) };
    if (next.bid !== quote.peek().bid || next.ask !== quote.peek().ask) quote.value = next;
  }, () => { quote.value = { bid: null, ask: null }; });
  return quote.value;
}

function bestOf(levels: readonly (readonly [price: unknown, size: unknown])[]): number | null {
  const best = levels[0]?.[0];
  return best === undefined ? null : Number(best);
}

type HeadProps = {
  readonly symbol: string; readonly side: Side; readonly quote: Quote; readonly mark: string | null; readonly position: string | null;
  readonly onPrice: (price: string) => void;
};

export function Head({ symbol, side, quote: { ask, bid }, mark, position, onPrice }: HeadProps) {
  const take = (value: number | null, round: 'down' | 'up' | 'near') => (): void => {
    if (value !== null && value > 0) onPrice(roundPrice(value, round));
  };
  const all: readonly (readonly [string, number | null, 'down' | 'up' | 'near', string])[] = [
    ['Bid', bid, 'near', 'up'], ['Mark', mark === null ? null : Number(mark), side === 'Buy' ? 'down' : 'up', ''],
    ['Ask', ask, 'near', 'down'],
  ];
  return (
    <header>
      <h2>{symbol}</h2>
      <span class="soft">Position <span class="figure">{price(position)}</span></span>
      <div class="quotes">
        {all.map(([title, value, round, kind]) => (
          <Button key={title} isDisabled={value === null} title={`Use it as price: ${title.toLowerCase()}`} onClick={take(value, round)}>
            <small>{title}</small> <span class={`figure ${kind}`}>{price(rounded(value, value !== null && value >= WIDE ? 0 : 2))}</span>
          </Button>
        ))}
      </div>
    </header>
  );
}
