// Market data that wait to be given to the page. A row of the chain tells the whole of each of its contracts, so a later one takes the
// place of one that waits; messages of a book are all kept.

const MARKET_DATA = /^\{"type":"(?:OptionsChainUpdate|BookUpdate)"/;
const ROW = /"currency":"\w+","expiry":\d+,"row":\{"strike":[\d.]+,"(?:call|put)"/;
const SECOND = '"put":{';

export function isMarketData(text: string): boolean {
  return MARKET_DATA.test(text);
}

export class MessageBatch {
  /** By row and its contracts, else by number; in the order of arrival. */
  readonly #texts = new Map<string, string>();
  #count = 0;

  get size(): number {
    return this.#texts.size;
  }

  add(text: string): void {
    const [row] = ROW.exec(text) ?? [];
    const key = row === undefined ? String(this.#count++) : `${row} ${text.includes(SECOND)}`;
    this.#texts.delete(key);
    this.#texts.set(key, text);
  }

  take(): readonly string[] {
    const texts = [...this.#texts.values()];
    this.#texts.clear();
    return texts;
  }
}
