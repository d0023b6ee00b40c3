// Orders and cancels of a stranger, each of which is refused for a reason of its own.

import { roundPrice, type OrderTerms, type QuoteTerms, type Strikebook } from '../../src/main.ts';
import type { Answer } from '../checks.ts';
import type { World } from '../world.ts';
import { changed, item, NOBODY, ordered, perpTerms, signed, terms, unlisted, ZEROS, type Probes } from './making.ts';

/** Of the default tier. */
const [OPEN_ORDERS, POSITIONS] = [100, 50];
const VALID_MS = 50_000;

const FIELDS: Probes = {
  'a signed write has an unknown field': changed({ reduceOnly: true }),
  'size is a JSON number': changed({ size: 1 }),
  'price is a JSON number': changed({ price: 1 }),
  'price has more than 5 significant figures': ordered({ price: '1234.56' }),
  'price has more than 6 decimals': ordered({ price: '0.0000001' }),
  'price is above its bound': ordered({ price: '2000000000' }),
  'size is above its bound': ordered({ size: '2000000000' }),
  'price times size is above its bound': ordered({ size: '1000000', price: '10000' }),
  'size is zero': ordered({ size: '0' }),
  'size is negative': ordered({ size: '-1' }),
  'size is not a number': ordered({ size: 'one' }),
  'size truncates to zero': ordered({ size: '0.0000001' }),
  'price is zero': ordered({ price: '0' }),
  'price is negative': ordered({ price: '-1' }),
  'price is not a number': ordered({ price: '.5' }),
  'side is invalid': ordered({ side: 'buy' as 'Buy' }),
  'tif is invalid': ordered({ tif: 'GTC' as 'gtc' }),
  'symbol is not an option symbol': ordered({ symbol: 'BTC-20260230-100000-C' }),
  'client_id is too long': ordered({ client_id: 'x'.repeat(65) }),
  'a perp order names another underlying': changed({ underlying: 'ETH' }, perpTerms),
  'the client id of a perp order is invalid': changed({ client_id: 'mine' }, perpTerms),
  'an unlisted perp': changed({ symbol: 'NONE-PERP', underlying: 'NONE' }, perpTerms),
  'perp order without underlying': changed({ underlying: undefined }, perpTerms),
  'reduce_only of an option without a route': changed({ reduce_only: true }),
  'no book for the symbol': ordered({ symbol: unlisted() }),
  'route rfq_only': ordered({ route: 'rfq_only' }),
  'an item without a valid signer': item({}, { signature: ZEROS }),
  'an item of neither wallet nor agent': item({}, { wallet: NOBODY }),
  'an item with too many significant figures': item({ price: '1234.56' }),
  'an item of size zero': item({ size: '0' }),
  'an item of price zero': item({ price: '0' }),
  'an item that the engine rejects': item({ symbol: unlisted() }),
};

const ORDERS: Probes = {
  'a client id that an open order has': async (world) => {
    const client_id = `twice-${Date.now()}`;
    await world.rest(client_id);
    return world.sent(world.seller, world.seller.forms.placeOrder({ ...terms(world), client_id }));
  },
  'an order id never issued': signed('seller', (forms) => forms.cancelOrder(900_000_000_000)),
  'no order with that client id': signed('seller', (forms) => forms.cancelOrderByClientId('never')),
  'repeated cancel': async (world) => {
    const id = await cancelled(world);
    return world.sent(world.seller, world.seller.forms.cancelOrder(id));
  },
  'cancel after full fill': signed('buyer', (forms, world) => forms.cancelOrder(world.filled)),
  'a replace of an order that is gone': async (world) => {
    const id = await cancelled(world);
    return world.sent(world.seller, world.seller.forms.replaceOrder({ ...terms(world), order_id: id }));
  },
  'the symbol of a replace does not match the format': async (world) => {
    const id = await world.rest();
    return world.sent(world.seller, world.seller.forms.replaceOrder({ ...terms(world), order_id: id, symbol: 'BTC-20260327-1-X' }));
  },
  // The buyer is long.
  'reduce-only without an opposite position': signed('buyer', (forms, world) => (
    forms.placeOrder({ ...terms(world), reduce_only: true, route: 'book_only' })
  )),
  'a 17th reduce-only order': async (world) => {
    const { buyer, high, symbol } = world;
    const order = { symbol, side: 'Sell', size: '0.001', price: high, reduce_only: true, route: 'book_only' } as const;
    await buyer.placeOrders(Array.from({ length: 16 }, () => order));
    return world.sent(buyer, buyer.forms.placeOrder(order));
  },
  'equity below the requirement': async (world) => {
    const { idle } = world;
    await world.sent(idle, idle.forms.setMarginMode('standard'));
    const price = world.ofIndex(1);
    const size = String(Math.ceil(1.01 * await world.balance(idle) / Number(price)));
    const answer = await world.sent(idle, idle.forms.placeOrder({ ...terms(world), size, price }));
    await idle.cancelAll('');
    return answer;
  },
  'notional cap exceeded': ordered({ size: '1000000', price: '1' }),
  'open orders that do not fit the new margin mode': async (world) => {
    const { idle } = world;
    await world.sent(idle, idle.forms.setMarginMode('portfolio'));
    // Not all of both can be lost at once, so portfolio mode asks for less than what they cost.
    const price = world.ofIndex(0.3);
    const size = String(Math.floor(0.6 * await world.balance(idle) / Number(price)));
    for (const symbol of world.market.deep) await idle.placeOrder({ symbol, side: 'Buy', size, price });
    const answer = await world.sent(idle, idle.forms.setMarginMode('standard'));
    await idle.cancelAll('');
    return answer;
  },
  'no spot price': async (world) => {
    const { asker } = world;
    for (const { symbol } of asker.info.perp_assets) {
      const answer = await world.sent(asker, asker.forms.placeOrder({ ...perpTerms(world), symbol }));
      if (answer.body?.status === 'REJECTED') return answer;
      await asker.cancelAll(symbol);
    }
    return 'every underlying has an index price';
  },
  'a bid above the price band': async (world) => {
    const { asker } = world;
    const bid = { ...perpTerms(world), price: world.ofIndex(7), post_only: true, valid_until: await world.time() + VALID_MS };
    const answer = await world.sent(asker, asker.forms.placeOrder(bid));
    await asker.cancelAll('');
    return String(answer.body?.reason).startsWith('Price outside') ? answer : 'the venue has no price band';
  },
  'an order on an expired instrument': async (world) => {
    const symbol = await world.expired();
    if (symbol === undefined) return 'no expired instrument is listed';
    return world.sent(world.asker, world.raw.placeOrder({ ...terms(world), symbol }));
  },
};

const CAPS: Probes = {
  'limits breached while filling': (world) => frozen(world, (answer) => Promise.resolve(answer)),
  'an order while frozen': (world) => frozen(world, () => world.sent(world.buyer, world.buyer.forms.placeOrder(terms(world)))),
  // Quotes have a budget of their own, which allows more than the cap.
  'open-order cap exceeded': async (world) => {
    const { asker, market: { options } } = world;
    if (options.length < OPEN_ORDERS) return 'too few options are listed';
    const bid = { size: '0.001', price: '1' };
    await quote(world, asker, options.slice(0, OPEN_ORDERS).map(({ symbol }) => ({ symbol, bid })));
    const answer = await world.sent(asker, asker.forms.placeOrder(terms(world)));
    await asker.cancelQuotes();
    return answer;
  },
  'position cap exceeded': async (world) => {
    const { market: { options }, seller, taker } = world;
    const wanted = options.filter(({ mark }) => mark > 1).slice(0, POSITIONS + 1);
    if (wanted.length <= POSITIONS) return 'too few options are listed';
    const ask = (mark: number) => ({ size: '0.001', price: roundPrice(mark * 1.02, 'up') });
    await quote(world, seller, wanted.map(({ mark, symbol }) => ({ symbol, ask: ask(mark) })));
    const takes = wanted.map(({ mark, symbol }): OrderTerms => (
      { symbol, side: 'Buy', size: '0.001', price: roundPrice(mark * 1.1, 'up'), tif: 'ioc' }
    ));
    const last = takes.pop()!;
    await taker.placeOrders(takes);
    const answer = await world.sent(taker, taker.forms.placeOrder(last));
    await seller.cancelQuotes();
    return answer;
  },
};

async function quote(world: World, trader: Strikebook, quotes: readonly QuoteTerms[]): Promise<void> {
  await trader.massQuote({ quote_set: 'conformance', quotes, valid_until: await world.time() + VALID_MS });
}

async function cancelled(world: World): Promise<number> {
  const id = await world.rest();
  await world.seller.cancelOrder(id);
  return id;
}

/** The buyer buys more than its protection allows; `then` gets that answer, while it is frozen. */
async function frozen(world: World, then: (answer: Answer) => Promise<Answer>): Promise<Answer> {
  const { buyer, high, symbol } = world;
  await buyer.setMmp({ currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 60_000, qty_limit: '0.01' });
  await world.offer();
  const answer = await then(await world.sent(buyer, buyer.forms.placeOrder({ symbol, side: 'Buy', size: '0.1', price: high })));
  await buyer.deleteMmp('BTC');
  return answer;
}

export const ORDER_PROBES: Probes = { ...FIELDS, ...ORDERS, ...CAPS };
