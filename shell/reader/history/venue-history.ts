// Answers about charged funding, liquidations and settlements: rows in memory, then the history's.

import { SECOND, USDC } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import { pendingFunding } from '../../../core/positions/funding.ts';
import { PERP } from '../../../core/codec/commands.ts';
import type { FundingRow, LiquidationRow, PaymentRow, SettlementRow } from '../../storage/history/protocol.ts';
import { LIQUIDATION_KINDS } from '../../ipc/enum-names.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import type { FundingHour, FundingPayment, FundingPayments, LiquidationData, SettlementData } from '../../http/shapes/perps.ts';
import type { List, Paged } from '../../http/shapes/shape.ts';
import { historyBusy, ok, pagination, refused, type GiveAnswer } from '../answers.ts';
import { perpOfSymbol, RATE_UNIT } from '../market/perps.ts';
import { accountOfWallet, isoText, micro, sideText, type Names } from '../text.ts';
import { askOldest, askPage, newestFirst } from './ask-page.ts';
import type { HistoryLink } from './link.ts';
import type { RecentRows } from './rows.ts';

type Parts = { readonly state: State; readonly names: Names; readonly rows: RecentRows; readonly history: HistoryLink };

export class VenueHistory {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  hours(parameters: QueryParameters['fundingHistory'], give: GiveAnswer): void {
    const { symbol, start: from = 0, end: to = Number.MAX_SAFE_INTEGER, limit, isOldest } = parameters;
    const { history, names, rows, state } = this.#parts;
    const slot = perpOfSymbol(state, symbol);
    if (slot < 0) return give(refused('bare', 'not_found', `Perp not found: ${symbol}`));
    const name = names.symbol(slot);
    const recent = newestFirst(rows.rows.funding, (row) => row.symbol === name && row.time >= from && row.time <= to);
    const query = { name: 'funding', symbol: name, from, to } as const;
    const take = (found: FundingRow[] | null): void => {
      if (found === null) return give(historyBusy('bare'));
      give(ok(JSON.stringify({ success: true, data: found.map(hourBody) } satisfies List<FundingHour>)));
    };
    if (isOldest === true) askOldest(history, limit, { ...query, skip: 0, limit, isOldest }, () => recent.toReversed(), take);
    else askPage<FundingRow>(history, { skip: 0, limit }, recent, (page) => ({ ...query, ...page }), take);
  }

  payments(parameters: QueryParameters['fundingPayments'], give: GiveAnswer): void {
    const { wallet, symbol, from = -Infinity, to = Infinity, limit, offset, isOldest } = parameters;
    const { history, names, rows, state } = this.#parts;
    const slot = symbol === undefined ? -1 : perpOfSymbol(state, symbol);
    if (symbol !== undefined && slot < 0) return give(refused('bare', 'not_found', `Perp not found: ${symbol}`));
    const filter = slot < 0 ? {} : { symbol: names.symbol(slot) };
    const recent = newestFirst(rows.rows.payments, (row) => (
      row.wallet === wallet && row.symbol === (filter.symbol ?? row.symbol) && row.time >= from && row.time <= to
    ));
    const page = { skip: offset, limit };
    const accrued = accruedOf(state, wallet, slot);
    const query = { name: 'payments', wallet, ...filter, from, to } as const;
    const take = (found: PaymentRow[] | null): void => {
      if (found === null) return give(historyBusy('bare'));
      const data = found.map(paymentBody);
      const body = { success: true, data, accrued: micro(accrued), pagination: pagination(limit, offset, data.length) };
      give(ok(JSON.stringify(body satisfies FundingPayments)));
    };
    if (isOldest === true) askOldest(history, limit, { ...query, ...page, isOldest }, () => recent.toReversed(), take);
    else askPage<PaymentRow>(history, page, recent, (asked) => ({ ...query, ...asked }), take);
  }

  liquidations({ limit, offset, from, to }: QueryParameters['liquidations'], give: GiveAnswer): void {
    const { history, rows } = this.#parts;
    const recent = newestFirst(rows.rows.liquidations, ({ time }) => time >= (from ?? -Infinity) && time <= (to ?? Infinity));
    const bounds = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const page = { skip: offset, limit };
    askPage<LiquidationRow>(history, page, recent, (asked) => ({ name: 'liquidations', ...bounds, ...asked }), (found) => {
      if (found === null) give(historyBusy('bare'));
      else give(pageOf<LiquidationData>(found.map(liquidationBody), limit, offset));
    });
  }

  settlements({ underlying, limit, offset }: QueryParameters['settlements'], give: GiveAnswer): void {
    const { history, names, rows } = this.#parts;
    if (underlying !== undefined && !names.underlyings().includes(underlying)) {
      return give(refused('bare', 'invalid_parameter', `Unknown underlying: ${underlying}`));
    }
    const recent = newestFirst(rows.rows.settlements, (row) => row.underlying === (underlying ?? row.underlying));
    const filter = underlying === undefined ? {} : { underlying };
    const page = { skip: offset, limit };
    askPage<SettlementRow>(history, page, recent, (asked) => ({ name: 'settlements', ...filter, ...asked }), (found) => {
      if (found === null) give(historyBusy('bare'));
      else give(pageOf<SettlementData>(found.map(settlementBody), limit, offset));
    });
  }
}

function pageOf<T>(data: readonly T[], limit: number, offset: number): ReturnType<typeof ok> {
  return ok(JSON.stringify({ success: true, data, pagination: pagination(limit, offset, data.length) } satisfies Paged<T>));
}

/** Micros that all due funding would add to the balance; `slot` -1: of all perps. */
function accruedOf(state: State, wallet: string, slot: number): number {
  const { accounts, funding, holdings, instruments } = state;
  const account = accountOfWallet(state, wallet);
  let sum = 0;
  for (let link = account < 0 ? 0 : accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
    const instrument = holdings.instrument[link - 1]!;
    if (instruments.kind[instrument] === PERP && (slot < 0 || slot === instrument)) sum -= pendingFunding(funding, holdings, link - 1);
  }
  return sum + 0;
}

function hourBody({ time, rate, price, premium }: FundingRow): FundingHour {
  return { time_ms: time, funding_rate: rate / RATE_UNIT, index_price: price / USDC, premium: premium / RATE_UNIT };
}

function paymentBody(row: PaymentRow): FundingPayment {
  return {
    symbol: row.symbol, from_time: row.fromTime, to_time: row.toTime, hours: row.hours, rate: row.rate / RATE_UNIT,
    position: micro(row.position), amount: micro(row.amount), booked_ms: row.time,
  };
}

function liquidationBody({ kind, symbol, side, price, size, time }: LiquidationRow): LiquidationData {
  return { time_ms: time, kind: LIQUIDATION_KINDS[kind]!, symbol, side: sideText(side), price: micro(price), size: micro(size) };
}

function settlementBody({ underlying, expiry, price, samples, contracts, time }: SettlementRow): SettlementData {
  return { underlying, expiry: expiry / SECOND, price: micro(price), samples, contracts, priced_at: isoText(time) };
}
