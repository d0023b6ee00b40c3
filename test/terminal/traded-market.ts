// Trades and orders for the tests of risk and volatility: a trader sells calls and perps, buys puts, and leaves orders in the book.

import { roundPrice, type Instrument, type Strikebook } from '../../client/src/main.ts';
import { INDEX } from './market.ts';

type Contracts = {
  /** At the index, of the first expiry with 3 days to go. */
  readonly call: string;
  /** The next strike below, of the same expiry. */
  readonly put: string;
  /** ms. */
  readonly expiry: number;
};
export const PERP = 'BTC-PERP';
const THREE_DAYS_MS = 3 * 24 * 60 * 60_000;

export async function contractsOf(client: Strikebook): Promise<Contracts> {
  const listed = await client.get('/instruments', { currency: 'BTC' });
  const { time_ms: now } = await client.get('/time', {});
  const later = listed.filter(({ expiration_timestamp: at }) => at > now + THREE_DAYS_MS);
  const expiry = Math.min(...later.map(({ expiration_timestamp: at }) => at));
  const ofExpiry = later.filter(({ expiration_timestamp: at }) => at === expiry).sort((one, other) => other.strike - one.strike);
  const found = (isWanted: (one: Instrument) => boolean): string => ofExpiry.find(isWanted)!.instrument_name;
  return {
    expiry,
    call: found(({ option_type: kind, strike }) => kind === 'call' && strike === Number(INDEX)),
    put: found(({ option_type: kind, strike }) => kind === 'put' && strike < Number(INDEX)),
  };
}

/** At the mark, on the trader's side; both have their positions when it returns. */
export async function deal(maker: Strikebook, trader: Strikebook, symbol: string, side: 'Buy' | 'Sell', size: string): Promise<void> {
  const price = await nearMark(maker, symbol, 1);
  await maker.placeOrder({ symbol, side: side === 'Buy' ? 'Sell' : 'Buy', size, price });
  await trader.placeOrder({ symbol, side, size, price, tif: 'ioc' });
}

/** A valid price of `times` the mark. */
export async function nearMark(client: Strikebook, symbol: string, times: number): Promise<string> {
  const { mark_price: mark } = await client.get('/orderbook', { instrument_name: symbol });
  return roundPrice(mark * times, 'near');
}
