// Closes or reverses a position: one immediate-or-cancel order with a worst price that the user sees and can change.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { roundPrice, type OrderBook, type Position } from '../../../src/main.ts';
import { isNegative, magnitude, sumOf } from '../../exact.ts';
import { price, priceOrNone, size } from '../../format.ts';
import { Button, NumberField } from '../../ui/controls.tsx';
import { Dialog, showToast } from '../../ui/notices.tsx';
import { portfolio } from '../../venue/account-data.ts';
import { useRead } from '../../venue/hooks.ts';
import { send } from './acting.ts';

export type DealKind = 'close' | 'reverse';
type DealProps = { readonly kind: DealKind; readonly position: Position; readonly onClose: () => void };

const BOOK_EVERY_MS = 1_000;
const SLACK = 0.05;

export function Deal({ kind, position: { symbol, amount }, onClose }: DealProps) {
  const side = isNegative(amount) ? 'Buy' : 'Sell';
  const held = magnitude(amount);
  const sizeText = useSignal(kind === 'close' ? held : sumOf([held, held]));
  const worstTyped = useSignal<string | null>(null);
  const worst = worstTyped.value ?? '';
  const why = useSignal<string | null>(null);
  const isSending = useSignal(false);
  const book = useRead('/orderbook', { instrument_name: symbol, depth: 1 }, { everyMs: BOOK_EVERY_MS });
  useEffect(() => {
    if (book.data !== null && worstTyped.value === null) worstTyped.value = worstPrice(book.data, side, isShort() ? 0 : SLACK);
  }, [book.data]);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    const terms = { symbol, side, size: sizeText.value, price: worst, tif: 'ioc' } as const;
    const { update, why: refusal } = await send((client) => client.placeOrder(kind === 'close' ? { ...terms, reduce_only: true } : terms));
    isSending.value = false;
    if (refusal !== null || update === null) {
      why.value = refusal;
    } else if (update.filled_size === 0) {
      why.value = `Nothing traded: nobody ${side === 'Sell' ? 'bids' : 'asks'} ${price(terms.price)} or better.`;
    } else {
      const rest = update.order_status === 'filled' ? '' : ' The rest found no counterparty and was cancelled.';
      showToast(`${side === 'Buy' ? 'Bought' : 'Sold'} ${size(update.filled_size)} of ${size(terms.size)} ${symbol}.${rest}`);
      onClose();
    }
  };
  const best = side === 'Sell' ? ['Best bid', book.data?.best_bid_price, book.data?.bids[0]?.[1]] as const
    : ['Best ask', book.data?.best_ask_price, book.data?.asks[0]?.[1]] as const;
  return (
    <Dialog title={`${kind === 'close' ? 'Close' : 'Reverse'} ${symbol}`} onClose={onClose}>
      <form class="deal" onSubmit={(event) => void submit(event)}>
        <dl class="facts">
          <dt>Position</dt><dd>{size(amount)}</dd>
          <dt>{best[0]}</dt><dd>{`${priceOrNone(best[1])}${best[2] === undefined ? '' : ` for ${size(best[2])}`}`}</dd>
          <dt>Mark</dt><dd>{priceOrNone(book.data?.mark_price)}</dd>
        </dl>
        <NumberField label="Size, contracts" value={sizeText.value} onInput={(text) => { sizeText.value = text; }} />
        <NumberField
          label="Worst price, USD" value={worst} onInput={(text) => { worstTyped.value = text; }}
          hint="It trades at this price or a better one."
        />
        <p>
          {`${side} ${sizeText.value} ${symbol} at ${worst} or better at once; what is left is cancelled.`}
          {kind === 'close' ? ' Reduce-only: it never opens a position.' : ' The position turns to the other side.'}
        </p>
        <div role="alert">{(why.value ?? book.error?.message) && <p class="why">{why.value ?? book.error?.message}</p>}</div>
        <div class="deeds">
          <Button isSubmit isFirst kind={side === 'Buy' ? 'buy' : 'sell'} isDisabled={isSending.value || worst === ''}>
            {`${side} to ${kind}`}
          </Button>
          <Button onClick={onClose}>Go back</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Short of initial margin, as in a liquidation: the loss of a worse price against the mark would be refused. */
function isShort(): boolean {
  return Number(portfolio.value?.margin_summary?.initial_margin ?? 0) < 0;
}

/** Behind the best opposite price, else behind the mark; null without either. */
function worstPrice({ best_bid_price: bid, best_ask_price: ask, mark_price: mark }: OrderBook, side: 'Buy' | 'Sell', slack: number) {
  const best = side === 'Sell' ? bid : ask;
  const from = best > 0 ? best : mark;
  if (from <= 0) return null;
  return side === 'Sell' ? roundPrice(from * (1 - slack), 'up') : roundPrice(from * (1 + slack), 'down');
}
