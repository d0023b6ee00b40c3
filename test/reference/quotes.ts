// Mass quotes of the reference model (extensions 4): a page is one step. What is removed, reduced or moves comes first; then each side that
// moves is judged as an order, in the order of the page, bid before ask.

import { Firing } from './firing.ts';
import { MILLION, up } from './money.ts';
import { BUY, CAPS, GTC, MOST_AMOUNT, SELL, SLIDES, type Account, type Answer, type Command, type Order, type QuoteSide,
  type Side } from './terms.ts';
import type { CoreChoice } from './placing.ts';

type Page = Extract<Command, { kind: 'massQuote' }>;

/** What became of a side that a page names. */
type QuoteAnswer = { status: string; id: number; price?: bigint; numbers?: readonly bigint[] };

export class Quotes extends Firing {
  /** Of the last page. */
  answers: QuoteAnswer[] = [];

  massQuote(page: Page): Answer {
    const { lines, nonce, underlying, until, wallet } = page;
    this.answers = [];
    const account = this.enter(wallet);
    if (until <= this.world.market.now) return { code: 'TOO_LATE' };
    if (nonce < (account.newest.get(underlying) ?? 0)) return { code: 'NEWER_QUOTES' };
    account.newest.set(underlying, nonce);
    const places: [Order, number][] = [];
    for (const { sides, slot } of lines) {
      for (const side of [BUY, SELL] as const) {
        if (sides[side].size === null) continue;
        const order = this.begin(page, slot, side, sides[side]);
        if (order !== null) places.push([order, this.answers.length - 1]);
      }
    }
    for (const [order, place] of places) this.answers[place] = this.rest(account, order);
    for (const { status } of this.answers) this.count(`quote ${status}`);
    return {
      code: 'OK',
      numbers: ['UNCHANGED', 'REDUCED', 'OPEN', 'REMOVED'].map((status) =>
        BigInt(this.answers.filter((answer) => answer.status === status).length)),
    };
  }

  /** What is removed, reduced or left as it is is answered at once; an order that is answered has to be placed. */
  private begin({ crossing, set, wallet }: Page, slot: number, side: Side, { code, price, size }: QuoteSide): Order | null {
    const old = this.quoteOf(wallet, set, slot, side);
    const asked = price ?? old?.price;
    const refused = code ?? (asked === undefined && size !== 0n ? 'NO_QUOTE_TO_RESIZE' : null);
    if (refused !== null || size === 0n) {
      if (old !== null) this.end(old, 'QUOTE_REMOVED');
      this.answers.push(refused === null ? { status: 'REMOVED', id: old?.id ?? 0 } : { status: `REJECTED ${refused}`, id: 0 });
      return null;
    }
    if (old !== null && asked === old.price && size! <= old.left) {
      const status = size === old.left ? 'UNCHANGED' : 'REDUCED';
      Object.assign(old, { left: size, size });
      this.answers.push({ status, id: old.id });
      if (status === 'REDUCED') this.quoted.push(`${old.id} REDUCED`);
      return null;
    }
    if (old !== null) this.remove(old);
    this.answers.push({ status: '', id: 0 });
    return {
      wallet, slot, side, price: asked!, size: size!, tif: GTC, clientId: '', flags: 0, postOnly: crossing, stp: 0, expiresAt: 0,
      validUntil: 0, linkId: '', trigger: null, id: old?.id ?? 0, left: size!, filled: old?.filled ?? 0n, waits: null, quoteSet: set,
      mayOpen: CAPS[this.accounts.get(wallet)!.tier]!.positions,
    };
  }

  private rest(account: Account, order: Order): QuoteAnswer {
    this.clearTheWay(order, null);
    const refused = up(order.price * order.left, MILLION) > MOST_AMOUNT ? { code: 'AMOUNT_TOO_LARGE' }
      : this.judge(account, order, null, 'quote');
    if (refused !== null) {
      if (order.id !== 0) this.quoted.push(`${order.id} REMOVED`);
      return { status: `REJECTED ${refused.code}`, id: 0, ...(refused.numbers === undefined ? {} : { numbers: refused.numbers }) };
    }
    order.id ||= ++this.lastId;
    this.orders.push(order);
    this.quoted.push(`${order.id} OPEN`);
    return { status: 'OPEN', id: order.id, ...(order.postOnly === SLIDES ? { price: order.price } : {}) };
  }

  /** One that has ended is absent, and removed for its reason. */
  private quoteOf(wallet: number, set: string, slot: number, side: Side): Order | null {
    const quote = this.ownOrders(wallet).find((one) => one.quoteSet === set && one.slot === slot && one.side === side) ?? null;
    const ended = quote === null ? null : this.endOf(quote);
    if (ended === null) return quote;
    this.count('quote that has ended is met');
    this.end(quote!, ended);
    return null;
  }

  /** In steps as a cancel-all. */
  cancelQuotes(command: Extract<Command, { kind: 'cancelQuotes' }>, { ended, isPending }: CoreChoice): Answer {
    const account = this.enter(command.wallet);
    this.touch(account, command);
    for (const quote of this.inScope(command).filter(({ quoteSet }) => quoteSet !== undefined)) {
      if (command.set !== '' && quote.quoteSet !== command.set) continue;
      if (this.letsWait || (isPending && !ended.has(quote.id))) quote.waits ??= 'QUOTE_REMOVED';
      else this.end(quote, 'QUOTE_REMOVED');
    }
    return { code: 'OK' };
  }

  /** Of the wallet: of one contract, of one underlying, or all. */
  inScope({ slot, underlying, wallet }: { slot: number | null; underlying: number | null; wallet: number }): Order[] {
    const { contracts } = this.world.market;
    return this.allOrders(wallet).filter((order) =>
      (slot === null || order.slot === slot) && (underlying === null || contracts[order.slot]!.underlying === underlying));
  }

  /** No page with a lower nonce comes back. */
  touch({ newest }: Account, of: { slot: number | null; underlying: number | null; nonce: number }): void {
    const { contracts } = this.world.market;
    const one = of.slot === null ? of.underlying : contracts[of.slot]!.underlying;
    for (const underlying of one === null ? [0, 1] : [one]) newest.set(underlying, Math.max(of.nonce, newest.get(underlying) ?? 0));
  }
}
