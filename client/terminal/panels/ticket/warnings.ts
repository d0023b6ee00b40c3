// What the venue would refuse or do at once, by what the page knows. A warning keeps nothing from being sent.

import { price as priceFigure } from '../../format.ts';
import type { RiskInputs } from '../../../src/main.ts';
import type { PriceBand, WhatIfAnswer } from '../../whatif/what-if.ts';
import { canOpen, type PricedFields } from './fields.ts';

/** Null: not known. `position` is signed. */
type Facts = {
  readonly bid: number | null; readonly ask: number | null; readonly mark: number | null; readonly index: number | null;
  readonly position: number | null; readonly now: number; readonly mode: string; readonly answer: WhatIfAnswer | null;
  readonly walletMode: RiskInputs['wallet_mode']; readonly band: PriceBand | null;
};

/** Beyond the mark: more likely a slip than a wish. */
const FAR = 1.25;

export function warningsOf(fields: PricedFields, facts: Facts): readonly string[] {
  return [marketWarning(fields, facts), ...priceWarnings(fields, facts), ...accountWarnings(fields, facts)]
    .filter((warning) => warning !== null);
}

function marketWarning({ isReduceOnly }: PricedFields, { mode }: Facts): string | null {
  if (mode === 'halted') return 'The market is halted: the venue refuses every order.';
  if (mode !== 'cancel_only') return null;
  return `The market takes only cancels: the venue refuses ${isReduceOnly ? 'reduce-only orders too' : 'new orders'}.`;
}

function priceWarnings(fields: PricedFields, { ask, band, bid, index, mark }: Facts): readonly (string | null)[] {
  const { kind, post, price: text, side, tif } = fields;
  const price = Number(text);
  const isBuy = side === 'Buy';
  const opposite = isBuy ? ask : bid;
  if (text === '' || !(price > 0)) return [];
  const trigger = kind === 'limit' ? null : triggerWarning(fields, index, mark);
  if (!canOpen(kind)) return [trigger];
  const isFar = mark !== null && mark > 0 && (isBuy ? price > mark * FAR : price < mark / FAR);
  const trades = opposite !== null && (isBuy ? price >= opposite : price <= opposite);
  const isPost = post !== '';
  const isOutside = band !== null && (isBuy ? price > Number(band.max) : price < Number(band.min));
  return [
    isOutside ? `Outside the price band of ${priceFigure(band.min)} to ${priceFigure(band.max)}: the venue refuses it.` : null,
    isPost && tif !== 'gtc' ? 'Post-only needs good till cancelled: the venue refuses it otherwise.' : null,
    post === 'reject' && trades ? 'It would trade at once: the venue refuses a post-only order then.' : null,
    post === 'slide' && trades ? 'It would trade at once: it slides behind the best price instead.' : null,
    tif !== 'gtc' && !trades ? 'Nothing stands at this price now: it would end unfilled.' : null,
    isFar ? `The price is far ${isBuy ? 'above' : 'below'} the mark of ${priceFigure(mark)}.` : null, trigger,
  ];
}

function triggerWarning({ by, direction, kind, trigger }: PricedFields, index: number | null, mark: number | null): string | null {
  const seen = by === 'index' ? index : mark;
  const at = Number(trigger);
  const isMet = seen !== null && at > 0 && (direction === 'above' ? seen >= at : seen <= at);
  if (!isMet) return null;
  const met = `${kind === 'entry' ? 'The stop' : 'Its trigger'} is met now, at ${priceFigure(seen)}`;
  return kind === 'entry' ? `${met}: it closes at once what the entry opens, or ends.` : `${met}: it fires at once.`;
}

function accountWarnings(fields: PricedFields, { answer, now, position, walletMode }: Facts): readonly (string | null)[] {
  const { expiresAt, isReduceOnly, kind, side } = fields;
  const reducible = position === null ? null : side === 'Buy' ? -position : position;
  const reduces = isReduceOnly || kind === 'pair';
  const isAdding = kind === 'entry' && reducible !== null && reducible < 0;
  return [
    walletMode === 'blocked' ? 'This wallet is blocked: the venue refuses its orders.' : null,
    walletMode === 'close_only' && (reducible ?? 0) <= 0 ? 'This wallet may only close: the venue refuses an order that opens.' : null,
    expiresAt !== null && expiresAt <= now ? 'Good till is over: the venue refuses it.' : null,
    reduces && reducible !== null && reducible <= 0 ? 'There is no position for it to reduce.' : null,
    isAdding ? 'The stop and the target also close what you hold already, at most this size of it.' : null,
    answer?.resting.free_collateral === '0' && !reduces ? 'No free collateral would be left: the venue may refuse it.' : null,
  ];
}
