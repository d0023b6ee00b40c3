// The quotes of one trader of the crash run: a bid and an ask of a contract whose bids all lie below all asks, so that none is ever filled
// and what must stand follows from the answers alone. A quote keeps its order id for as long as it stands.

import type { QuoteTerms } from '../../../client/src/forms.ts';
import type { QuoteAnswer } from '../../../shell/http/shapes/trading.ts';
import { count, UNITS, unitsOf, type Ledger, type Market } from './trader.ts';

type Name = 'bid' | 'ask';
type Standing = { readonly id: number; readonly size: number; readonly price: number };
/** A row of GET /orders. */
type QuoteRow = {
  readonly order_id: number; readonly symbol: string; readonly side: string; readonly price: string; readonly size: string;
  readonly filled_size: string; readonly status: string; readonly quote_set?: string;
};

export const QUOTE_SET = 'page';
const SIDES: readonly Name[] = ['bid', 'ask'];

export class Page {
  readonly #market: Market;
  readonly #random: () => number;
  readonly #ledger: Ledger;
  readonly #standing = new Map<Name, Standing>();
  readonly #used = new Set<number>();

  constructor(market: Market, random: () => number, ledger: Ledger) {
    this.#market = market;
    this.#random = random;
    this.#ledger = ledger;
  }

  /** A line that opens, moves, resizes, removes or leaves each side. */
  next(): QuoteTerms {
    const { symbol } = this.#market;
    const [bid, ask] = [this.#side('bid'), this.#side('ask')];
    if (bid === undefined) return { symbol, ask: ask ?? { size: 0 } };
    return { symbol, bid, ...(ask && { ask }) };
  }

  #side(name: Name): QuoteTerms[Name] {
    const roll = this.#random();
    if (roll < 0.2) return undefined;
    if (roll < 0.3) return { size: 0 };
    const standing = this.#standing.get(name);
    if (roll < 0.4 && standing !== undefined) return { size: String(standing.size / UNITS), price: String(standing.price) };
    const size = String((1 + Math.floor(this.#random() * 5)) / 100);
    if (roll < 0.55 && standing !== undefined) return { size };
    const factor = name === 'bid' ? 0.7 + 0.2 * this.#random() : 1.1 + 0.2 * this.#random();
    return { size, price: String(Math.max(1, Math.round(this.#market.mid * factor)) + (name === 'ask' ? 2 : 0)) };
  }

  note(terms: QuoteTerms, { status, results }: QuoteAnswer): void {
    if (status !== 'ACKED') return;
    for (const name of SIDES) {
      const side = results[0]![name];
      if (side === null) continue;
      count(this.#ledger, `quote ${side.status}`);
      const old = this.#standing.get(name);
      const isKept = side.status === 'UNCHANGED' || side.status === 'REDUCED';
      if (isKept && old === undefined) this.#ledger.doubled.push(`${name} ${side.order_id} is ${side.status} and was not there`);
      if (side.status === 'REMOVED' || side.status === 'REJECTED') {
        this.#standing.delete(name);
        continue;
      }
      const id = side.order_id!;
      if (old !== undefined && old.id !== id) this.#ledger.lost.push(`${name} ${old.id} has become ${id}`);
      if (old === undefined && this.#used.has(id)) this.#ledger.doubled.push(`${name} ${id} comes back`);
      this.#used.add(id);
      const { price, size } = terms[name]!;
      this.#standing.set(name, { id, size: unitsOf(size as string), price: price === undefined ? old!.price : Number(price) });
    }
  }

  /** The quotes that the venue lists are those that the answers left, each once. */
  check(address: string, rows: readonly QuoteRow[]): void {
    const { lost, doubled } = this.#ledger;
    for (const name of SIDES) {
      const expected = this.#standing.get(name);
      const listed = rows.filter(({ side }) => side === (name === 'bid' ? 'Buy' : 'Sell'));
      if (listed.length > (expected === undefined ? 0 : 1)) doubled.push(`${name}s of ${address}: ${JSON.stringify(listed)}`);
      if (expected === undefined) continue;
      const row = listed.find((one) => one.order_id === expected.id);
      const isSame = row !== undefined && row.symbol === this.#market.symbol && Number(row.price) === expected.price
        && unitsOf(row.size) - unitsOf(row.filled_size) === expected.size && row.quote_set === QUOTE_SET;
      if (!isSame) lost.push(`${name} ${JSON.stringify(expected)} of ${address}: ${JSON.stringify(row ?? null)}`);
      count(this.#ledger, 'quotes checked');
    }
  }
}
