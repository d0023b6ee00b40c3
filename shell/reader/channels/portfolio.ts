// portfolio: a wallet's positions and margin, then changes after every command and at new marks. Past messages are not stored: a resume
// from an old number gets a new snapshot.

import { ACCOUNT, CREDITED, DELEVERAGED, DELEVERAGED_AGAINST, DELEVERAGED_INSTRUMENT, FILL, FILL_INSTRUMENT, FILL_MAKER, FILL_TAKER,
  FUNDING_PAID, FUND_POSTED, MARKS_MOVED, MODE_CHANGED, ORDER_DONE, ORDER_RESTED, ORDER_SHRUNK, ORDER_SLOT, OVER_INSTRUMENT,
  PAID_AMOUNT, PAID_FROM, PAID_HOURS, PAID_INSTRUMENT, PAID_POSITION, PAID_RATES, PAID_UNTIL, POSITION_SETTLED, QUOTE_CHANGED, SETTLED_COST,
  SETTLED_INSTRUMENT, SETTLED_NET, SETTLED_POSITION, SETTLED_PRICE, SETTLED_VALUE,
  TAKEN_OVER } from '../../../core/codec/events.ts';
import { closedPortfolio } from '../../../core/accounts/closed-accounts.ts';
import { isMarked, portfolioSeq } from '../../../core/account-streams.ts';
import { CONTRACT } from '../../../core/units.ts';
import { mulDivHalfUp } from '../../../core/math/exact.ts';
import { fundOf } from '../../../core/lifecycle/insurance-fund.ts';
import { refuse } from '../../http/errors.ts';
import { greeksOfAccount } from '../market/greeks.ts';
import { RATE_UNIT } from '../market/perps.ts';
import { PortfolioBodies } from '../account/portfolio.ts';
import { micro, type Names } from '../text.ts';
import { NO_ID, openWallet, walletSeq, type ChannelSource, type SourceParts } from './source.ts';
import type { MessageNamed, PortfolioPart } from '../../http/shapes/messages.ts';

type PositionExpired = Omit<MessageNamed<'PositionExpired'>, 'seq'>;
type Moved = { readonly slot: number; readonly paid: PositionExpired | null };
type Paid = PortfolioPart<'FundingUpdate'>;
type Changes = { readonly positions: Moved[]; readonly funding: Paid[]; isMore: boolean };

export function portfolioSource(parts: SourceParts): ChannelSource {
  const { state, names, topics } = parts;
  const streams = state.streams.accounts;
  const portfolios = new PortfolioBodies(state, names);
  const changes = new PortfolioChanges(parts);
  const messages = new PortfolioMessages(parts, portfolios);
  return {
    events: [FILL, ORDER_RESTED, ORDER_DONE, ORDER_SHRUNK, QUOTE_CHANGED, MODE_CHANGED, FUNDING_PAID, CREDITED, FUND_POSTED,
      TAKEN_OVER, DELEVERAGED, POSITION_SETTLED, MARKS_MOVED],
    onEvent: (kind, f, { time }) => changes.onEvent(kind, f, time),
    finish: ({ time }) => changes.finish((account, what) => {
      const texts = what === null ? messages.risk(account, time) : messages.changed(account, what, time);
      const before = portfolioSeq(streams, account) - texts.length;
      texts.forEach((message, i) => topics.publish(account, before + 1 + i, () => `${message.slice(0, -1)},"seq":${before + 1 + i}}`));
    }),
    open: (key) => openWallet(state, key),
    snapshot: (opened, { time, fromSeq }, give) => {
      const { key } = opened;
      const seq = walletSeq(state, (account) => portfolioSeq(streams, account), opened, (row) => closedPortfolio(state.closed, row));
      if (fromSeq === seq) return give({ seq, messages: [] });
      const body = portfolios.body(key, time);
      if (typeof body === 'string') return give(refuse('margin_unavailable', body));
      const head = '{"type":"PortfolioUpdate","update_type":"Initial",';
      give({ seq, messages: [`${head}${body.toString('latin1', 1, body.length - 1)},"timestamp":${time},"seq":${seq}}`] });
    },
  };
}

export class PortfolioChanges {
  readonly #parts: SourceParts;
  #changes = new Map<number, Changes>();
  #isMarked = false;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  onEvent(kind: number, f: Float64Array, time: number): void {
    const { state } = this.#parts;
    const account = f[ACCOUNT]!;
    switch (kind) {
      case FILL:
        this.#position(f[FILL_TAKER]!, f[FILL_INSTRUMENT]!);
        return this.#position(f[FILL_MAKER]!, f[FILL_INSTRUMENT]!);
      case ORDER_RESTED: case ORDER_DONE: case ORDER_SHRUNK: case QUOTE_CHANGED:
        if (f[ORDER_SLOT]! >= 0) this.#orders(account);
        return;
      case MODE_CHANGED: case CREDITED: return void this.#more(account);
      case FUNDING_PAID: return void this.#more(account)?.funding.push(paymentOf(this.#parts.names, f));
      case FUND_POSTED:
        this.#more(account);
        return void this.#more(fundOf(state));
      case TAKEN_OVER:
        this.#position(account, f[OVER_INSTRUMENT]!);
        return this.#position(fundOf(state), f[OVER_INSTRUMENT]!);
      case DELEVERAGED:
        this.#position(account, f[DELEVERAGED_INSTRUMENT]!);
        return this.#position(f[DELEVERAGED_AGAINST]!, f[DELEVERAGED_INSTRUMENT]!);
      case POSITION_SETTLED: return this.#position(account, f[SETTLED_INSTRUMENT]!, expired(this.#parts.names, f, time));
      case MARKS_MOVED: this.#isMarked = true;
    }
  }

  finish(publish: (account: number, changes: Changes | null) => void): void {
    const { state, topics } = this.#parts;
    if (this.#changes.size > 0) {
      for (const [account, changes] of this.#changes) publish(account, changes);
      // `clear` would keep the memory (docs/decisions/speed.md).
      this.#changes = new Map();
    }
    if (!this.#isMarked) return;
    this.#isMarked = false;
    for (const { id: account } of topics.byKey.values()) {
      if (account !== NO_ID && isMarked(state.streams.accounts, account)) publish(account, null);
    }
  }

  #orders(account: number): Changes | null {
    if (!this.#parts.topics.hasSubscribers(account)) return null;
    let changes = this.#changes.get(account);
    if (changes === undefined) this.#changes.set(account, changes = { positions: [], funding: [], isMore: false });
    return changes;
  }

  #more(account: number): Changes | null {
    const changes = this.#orders(account);
    if (changes !== null) changes.isMore = true;
    return changes;
  }

  #position(account: number, slot: number, paid: Moved['paid'] = null): void {
    const changes = this.#more(account);
    if (changes !== null && changes.positions.at(-1)?.slot !== slot) changes.positions.push({ slot, paid });
  }
}

class PortfolioMessages {
  readonly #parts: SourceParts;
  readonly #portfolios: PortfolioBodies;

  constructor(parts: SourceParts, portfolios: PortfolioBodies) {
    this.#parts = parts;
    this.#portfolios = portfolios;
  }

  changed(account: number, { positions, funding, isMore }: Changes, time: number): string[] {
    const balance = updateText('BalanceUpdate', this.#portfolios.balance(account), time);
    const moved = positions.map(({ slot, paid }) => (
      paid === null ? updateText('PositionUpdate', { position: this.#portfolios.position(account, slot) }, time) : JSON.stringify(paid)
    ));
    const paid = funding.map((one) => updateText('FundingUpdate', one, time));
    return [...moved, ...paid, balance, ...(isMore ? this.risk(account, time) : [])];
  }

  risk(account: number, time: number): string[] {
    const greeks = greeksOfAccount(this.#parts, account) ?? { per_leg: [], aggregate: null };
    return [updateText('MarginUpdate', this.#portfolios.margin(account), time), updateText('GreeksUpdate', greeks, time)];
  }
}

function updateText<T extends MessageNamed<'PortfolioUpdate'>['update_type']>(type: T, fields: PortfolioPart<T>, time: number): string {
  return JSON.stringify({ type: 'PortfolioUpdate', update_type: type, ...fields, timestamp: time });
}

function paymentOf(names: Names, f: Float64Array): Paid {
  return {
    symbol: names.symbol(f[PAID_INSTRUMENT]!), from_time: f[PAID_FROM]!, to_time: f[PAID_UNTIL]!, hours: f[PAID_HOURS]!,
    rate: f[PAID_RATES]! / RATE_UNIT, position: micro(f[PAID_POSITION]!), amount: micro(-f[PAID_AMOUNT]!),
  };
}

function expired(names: Names, f: Float64Array, time: number): PositionExpired {
  const position = f[SETTLED_POSITION]!;
  const cost = f[SETTLED_COST]!;
  return {
    type: 'PositionExpired', wallet_address: names.wallet(f[ACCOUNT]!), symbol: names.symbol(f[SETTLED_INSTRUMENT]!),
    position_size: micro(position), settlement_price: micro(f[SETTLED_PRICE]!), settlement_value: micro(f[SETTLED_VALUE]!),
    settlement_entry_price: micro(mulDivHalfUp(Math.abs(cost), CONTRACT, Math.abs(position))), cost_basis: micro(cost),
    net_pnl: micro(f[SETTLED_NET]!), timestamp: time,
  };
}
