// What the participants of a scenario do at a moment, from the file, the time, and the venue's answers to reads. They remember nothing, so
// a run that continues after a kill does the same as an uninterrupted one.

import type { Participant, Path } from '../../shell/process/scenario-file.ts';
import { valueAt } from '../../shell/process/scenario-file.ts';
import { Prices } from '../demo/prices.ts';
import { quoteOf } from '../demo/quoting.ts';
import { roundPrice, type OrderTerms, type QuoteTerms, type Strikebook, type Unsigned } from '../src/main.ts';

type Moment = {
  readonly participant: Participant; readonly venue: Strikebook; readonly index: Path<number>;
  /** ms after the start, between two moments, of the venue's clock. */
  readonly since: number; readonly step: number; readonly time: number;
  readonly nonce: () => number;
};
type Requests = readonly Unsigned<unknown>[];

const MICRO = 1_000_000;
const SET = 'scenario';
const VALID_MS = 10_000;
const LINES = 100;
const ORDERS_A_PAGE = 50;
/** Spread, as a multiple of the least one. */
const [TIGHT, WIDE] = [1, 4];
/** How far from the mark an order may trade, as a share of it; for options farther. */
const REACH = { momentum_taker: 0.005, whale: 0.05, liquidated_fool: 0.02 } as const;
const [OPTION_REACH, MOST_REACH] = [20, 0.9];
/** A taker's position, in orders. */
const MOST_HELD = 10;

export function actsOf(moment: Moment): Promise<Requests> {
  switch (moment.participant.persona) {
    case 'tight_maker': return quotes(moment, TIGHT);
    case 'wide_maker': return quotes(moment, WIDE);
    case 'momentum_taker': return follow(moment);
    case 'whale': return once(moment, REACH.whale);
    case 'liquidated_fool': return once(moment, REACH.liquidated_fool);
  }
}

async function quotes({ nonce, participant, time, venue }: Moment, edge: number): Promise<Requests> {
  const prices = new Prices(venue, participant.underlying, () => time);
  await prices.readIndex();
  await prices.readContracts();
  const wanted = prices.contracts.slice(0, 1 + participant.contracts);
  const symbols = new Set(wanted.map(({ symbol }) => symbol));
  const gone = [...await quotedSymbols(venue)].filter((symbol) => !symbols.has(symbol));
  const lines: readonly QuoteTerms[] = [
    ...gone.map((symbol) => ({ symbol, bid: { size: 0 }, ask: { size: 0 } })),
    ...wanted.map((contract) => {
      const { ask, bid, size } = quoteOf(contract, { prices, size: participant.size / MICRO, edge });
      return { symbol: contract.symbol, bid: bid === null ? { size: 0 } : { size, price: bid }, ask: { size, price: ask } };
    }),
  ];
  const pages = Array.from({ length: Math.ceil(lines.length / LINES) }, (_, at) => lines.slice(at * LINES, (at + 1) * LINES));
  return pages.map((page) => venue.forms.massQuote(
    { quote_set: SET, crossing: 'slide', detailed: false, quotes: page, valid_until: time + VALID_MS }, nonce(),
  ));
}

async function quotedSymbols(venue: Strikebook): Promise<ReadonlySet<string>> {
  const symbols = new Set<string>();
  for (let offset = 0; ; offset += ORDERS_A_PAGE) {
    const { data } = await venue.get('/orders', { wallet: venue.wallet, status: 'open', limit: ORDERS_A_PAGE, offset });
    for (const { quote_set: set, symbol } of data) if (set === SET) symbols.add(symbol);
    if (data.length < ORDERS_A_PAGE) return symbols;
  }
}

/** Buys after a rise, sells after a fall. */
async function follow(moment: Moment): Promise<Requests> {
  const { index, participant: { lookback, size, symbol, threshold }, since, venue } = moment;
  const before = valueAt(index, Math.max(0, since - lookback));
  const move = valueAt(index, since) / before - 1;
  if (Math.abs(move) < Math.max(threshold / MICRO, Number.EPSILON)) return [];
  const { positions } = await venue.get('/portfolio', { wallet: venue.wallet });
  const held = Number(positions.find((one) => one.symbol === symbol)?.amount ?? 0);
  const most = MOST_HELD * size / MICRO;
  if (move > 0 ? held >= most : held <= -most) return [];
  return [await take(moment, move > 0 ? 'Buy' : 'Sell', REACH.momentum_taker)];
}

/** At the first moment at or after the participant's time. */
async function once(moment: Moment, reach: number): Promise<Requests> {
  const { participant: { at, side }, since, step } = moment;
  return at <= since && at > since - step ? [await take(moment, side, reach)] : [];
}

async function take({ nonce, participant, venue }: Moment, side: OrderTerms['side'], reach: number): Promise<Unsigned<unknown>> {
  const { size, symbol } = participant;
  const { mark_price: mark } = await venue.get('/orderbook', { instrument_name: symbol, depth: 1 });
  const far = symbol.endsWith('-PERP') ? reach : Math.min(MOST_REACH, reach * OPTION_REACH);
  const price = side === 'Buy' ? roundPrice(mark * (1 + far), 'up') : roundPrice(mark * (1 - far), 'down');
  return venue.forms.placeOrder({ symbol, side, size: String(size / MICRO), price, tif: 'ioc' }, nonce());
}
