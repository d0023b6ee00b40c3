// A market maker of the demo: quotes one underlying by mass quotes, sends again only what moved, was filled or was refused, and removes
// the rest. The venue cancels its quotes when its connection goes.

import type { QuoteTerms, Strikebook, VenueSocket } from '../src/main.ts';
import type { Contract } from './prices.ts';
import { quoteOf, type QuotingTerms } from './quoting.ts';

/** Counters of the whole demo. */
export type Tally = { placed: number; quoted: number; refused: number; trades: number; lastRefusal: string };

type MakerTerms = QuotingTerms & { readonly most: number };

/** Prices as sent. Null: nothing rests; NaN: what rests is not known. */
type Quoted = { readonly bid: number | null; readonly ask: number | null };
type Line = { readonly terms: QuoteTerms; readonly quoted: Quoted };

const NONE: Quoted = { bid: null, ask: null };
const UNKNOWN: Quoted = { bid: NaN, ask: NaN };
const SET = 'demo';
const LINES = 100;
const VALID_MS = 10_000;
/** A quote moves when it is off by more than this part of half the spread. */
const OFF = 1 / 4;

export class Maker {
  readonly venue: Strikebook;
  readonly socket: VenueSocket;
  readonly #terms: MakerTerms;
  readonly #tally: Tally;
  readonly #quoted = new Map<string, Quoted>();

  constructor(venue: Strikebook, terms: MakerTerms, tally: Tally) {
    this.venue = venue;
    this.#terms = terms;
    this.#tally = tally;
    const doubt = (): void => this.#doubt([...this.#quoted.keys()]);
    this.socket = venue.socket({ onUp: doubt, onGap: doubt });
  }

  async watchFills(): Promise<void> {
    await this.socket.subscribe('fills', {
      onMessage: ({ symbol, side }) => {
        this.#tally.trades++;
        this.#forget(symbol, side === 'Buy' ? 'bid' : 'ask');
      },
    });
  }

  async quote(): Promise<void> {
    const lines = this.#lines();
    for (let at = 0; at < lines.length; at += LINES) await this.#send(lines.slice(at, at + LINES));
  }

  #lines(): Line[] {
    const { prices, most } = this.#terms;
    const wanted = prices.index > 0 ? prices.contracts.slice(0, most) : [];
    const symbols = new Set(wanted.map(({ symbol }) => symbol));
    const gone = [...this.#quoted.keys()].filter((symbol) => !symbols.has(symbol));
    const removals = gone.map((symbol): Line => ({ terms: { symbol, bid: { size: 0 }, ask: { size: 0 } }, quoted: NONE }));
    return [...removals, ...wanted.flatMap((contract) => this.#lineOf(contract) ?? [])];
  }

  #lineOf(contract: Contract): Line | null {
    const { symbol } = contract;
    const { bid, ask, half, size } = quoteOf(contract, this.#terms);
    const before = this.#quoted.get(symbol) ?? NONE;
    const want = { bid, ask };
    const moves = { bid: isOff(before.bid, bid, half * OFF), ask: isOff(before.ask, ask, half * OFF) };
    if (!moves.bid && !moves.ask) return null;
    const sideOf = (side: keyof Quoted): Partial<QuoteTerms> => {
      const text = want[side];
      return moves[side] ? { [side]: text === null ? { size: 0 } : { size, price: text } } : {};
    };
    const quotedOf = (side: keyof Quoted): number | null => (!moves[side] ? before[side] : want[side] === null ? null : Number(want[side]));
    return { terms: { symbol, ...sideOf('bid'), ...sideOf('ask') }, quoted: { bid: quotedOf('bid'), ask: quotedOf('ask') } };
  }

  async #send(lines: readonly Line[]): Promise<void> {
    for (const { terms: { symbol }, quoted } of lines) {
      if (quoted === NONE) this.#quoted.delete(symbol);
      else this.#quoted.set(symbol, quoted);
    }
    const { prices } = this.#terms;
    try {
      const { status, reason, results, counts } = await this.socket.massQuote({
        quote_set: SET, crossing: 'slide', detailed: false, quotes: lines.map(({ terms }) => terms),
        valid_until: Math.round(prices.now()) + VALID_MS,
      });
      if (status === 'REJECTED') return lines.forEach(({ terms: { symbol } }) => this.#note(symbol, reason));
      this.#tally.quoted += counts.open + counts.reduced;
      for (const { symbol, bid, ask } of results) this.#note(symbol, bid?.reason ?? ask?.reason ?? null);
    } catch (error) {
      this.#doubt(lines.map(({ terms: { symbol } }) => symbol));
      throw error;
    }
  }

  #note(symbol: string, reason: string | null): void {
    this.#tally.refused++;
    this.#tally.lastRefusal = `${symbol}: ${reason}`;
    this.#doubt([symbol]);
  }

  /** Both sides are sent again. */
  #doubt(symbols: readonly string[]): void {
    for (const symbol of symbols) this.#quoted.set(symbol, UNKNOWN);
  }

  #forget(symbol: string, side: keyof Quoted): void {
    const quoted = this.#quoted.get(symbol);
    if (quoted !== undefined) this.#quoted.set(symbol, { ...quoted, [side]: NaN });
  }
}

function isOff(sent: number | null, want: string | null, most: number): boolean {
  if (sent === null || want === null) return (sent === null) !== (want === null);
  return !(Math.abs(sent - Number(want)) <= most);
}
