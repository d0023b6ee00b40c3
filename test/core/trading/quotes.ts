// Shared by the tests of mass quotes: pages by wallet, and their answers in words.

import { CONTRACT, USDC } from '../../../core/units.ts';
import { QUOTE_REJECTED } from '../../../core/codec/events.ts';
import { ANSWER_CODE, ANSWER_NUMBERS, ANSWER_PRICED, ANSWER_STATUS } from '../../../core/codec/quote-answers.ts';
import { quoteSetLength } from '../../../core/orders/names.ts';
import type { RawOrder } from '../../support/raw.ts';
import { TradingScene } from './support.ts';

const STATUSES = ['UNCHANGED', 'REDUCED', 'OPEN', 'REMOVED'];

/** Sizes in contracts, prices in USDC; null for `-`. */
type Side = readonly [size: number | null, price: number | null];
type Line = { readonly slot?: number; readonly bid?: Side; readonly ask?: Side; readonly codes?: readonly [number, number] };
type PageOptions = {
  readonly set?: string; readonly nonce?: number; readonly until?: number; readonly crossing?: number; readonly signer?: number;
};
/** `code` 0 unless refused. */
type Told = { readonly status: string; readonly id: number; readonly code: number; readonly price?: number };

const units = (value: number | null, scale: number): number | null => (value === null ? null : Math.round(value * scale));
const sideOf = ([size, price]: Side): Side => [units(size, CONTRACT), units(price, USDC)];

export class QuoteDesk extends TradingScene {
  /** Sends a page and answers the code; the contract of a line is the option at the money unless another is named. */
  quote(wallet: number, lines: readonly Line[], more: PageOptions = {}): number {
    const { nonce = this.next(), until = this.now + 10_000, ...options } = more;
    return this.send(this.write.massQuote({
      wallet, nonce, until, ...options,
      lines: lines.map(({ slot = this.atm, bid, ask, codes }) => ({
        ...this.contract(slot), ...(bid && { bid: sideOf(bid) }), ...(ask && { ask: sideOf(ask) }), ...(codes && { codes }),
      })),
    }));
  }

  cancelQuotes(wallet: number, set = '', of: Parameters<TradingScene['write']['cancelQuotes']>[3] = {}, nonce = this.next()): number {
    return this.send(this.write.cancelQuotes(wallet, nonce, set, of));
  }

  /** What became of the sides that the last page named. */
  answers(): Told[] {
    const { answered, answers } = this.state.result;
    const told: Told[] = [];
    for (let at = 0; at < answered;) {
      const first = answers[at++]!;
      const status = first & ANSWER_STATUS;
      if (status === QUOTE_REJECTED) {
        told.push({ status: 'REJECTED', id: 0, code: Math.floor(first / ANSWER_CODE) });
        at += ANSWER_NUMBERS;
        continue;
      }
      const id = answers[at++]!;
      told.push({ status: STATUSES[status]!, id, code: 0, ...((first & ANSWER_PRICED) !== 0 && { price: answers[at++]! / USDC }) });
    }
    return told;
  }

  statuses(): string[] {
    return this.answers().map(({ status, code }) => (status === 'REJECTED' ? `REJECTED ${code}` : status));
  }

  quotes(wallet?: number): RawOrder[] {
    return this.orders(wallet).filter(({ slot }) => quoteSetLength(this.state.orders, slot) > 0);
  }

  /** Open quotes as `side size@price`, oldest id first. */
  page(wallet: number): string[] {
    return this.quotes(wallet).sort((a, b) => a.id - b.id)
      .map(({ side, remaining, price }) => `${side === 0 ? 'bid' : 'ask'} ${remaining / CONTRACT}@${price / USDC}`);
  }
}
