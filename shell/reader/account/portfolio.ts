// The body of GET /portfolio (wire.md 1.7, 1.8; decision 4.3), from the core's own integers.

import { PERP } from '../../../core/codec/commands.ts';
import { CONTRACT } from '../../../core/units.ts';
import { DEFAULT_BALANCE } from '../../../core/settings.ts';
import { clampSafe, mulDivCeil, mulDivHalfUp } from '../../../core/math/exact.ts';
import { PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { findHolding } from '../../../core/positions/holdings.ts';
import { createRiskSums, optionRequirement, perpRequirement, sumRisk } from '../../../core/margin/portfolio-requirement.ts';
import { ALL } from '../../../core/margin/portfolio-sums.ts';
import { vintageOf } from '../../../core/valuation/valuation.ts';
import { TIME, type State } from '../../../core/engine/state.ts';
import { MARGIN_MODES } from '../../ipc/enum-names.ts';
import { heldIn, liquidationPrices, positionsOf, type Held } from './held.ts';
import { accountOfWallet, isoText, micro, microOrNull, type Names } from '../text.ts';
import { exactly, INEXACT, isExact, totalsOf, totalsOfCash, type Totals } from './totals.ts';
import type { SpanMargin, StreamedPosition } from '../../http/shapes/account.ts';
import type { PortfolioPart } from '../../http/shapes/messages.ts';

const RATIO = 1e6;
/** Bytes. */
const MOST_KEPT = 16_777_216;
const ROOM = 65_536;
const UNPRICED = 'Margin data unavailable: an underlying has no index price';
const NO_POSITIONS = Buffer.from('[]');
const KEY_HEAD = 4;
const KEY_OF_HOLDING = 6;

type Kept = { readonly key: Float64Array; readonly positions: Buffer };

export class PortfolioBodies {
  readonly #state: State;
  readonly #names: Names;
  /** A liquidation price costs thousands of option prices. */
  readonly #kept = new Map<number, Kept>();
  #keptBytes = 0;
  #room = Buffer.allocUnsafeSlow(ROOM);
  readonly #settings: Float64Array;
  readonly #key: Float64Array;

  constructor(state: State, names: Names) {
    this.#state = state;
    this.#names = names;
    this.#settings = state.settings.values.slice();
    this.#key = new Float64Array(KEY_HEAD + KEY_OF_HOLDING * state.instruments.capacity);
  }

  /** The body is valid until the next call. Text: a refusal. */
  body(wallet: string, time: number): Buffer | string {
    const state = this.#state;
    const account = accountOfWallet(state, wallet);
    if (account < 0) {
      return this.#join(wallet, NO_POSITIONS, summary(totalsOfCash(state.settings.values[DEFAULT_BALANCE]!), time, null));
    }
    const totals = totalsOf(state, account);
    const span = spanOf(state, account, totals);
    if (!isExact(totals) || (span !== null && !isExact(span))) return INEXACT;
    const positions = this.#positions(account, wallet, totals);
    return typeof positions === 'string' ? positions : this.#join(wallet, positions, summary(totals, time, span));
  }

  fault(wallet: string): string | null {
    const state = this.#state;
    const account = accountOfWallet(state, wallet);
    if (account < 0) return null;
    const totals = totalsOf(state, account);
    const span = spanOf(state, account, totals);
    return !isExact(totals) || (span !== null && !isExact(span)) ? INEXACT : faultOf(state, positionsOf(state, account));
  }

  #join(wallet: string, positions: Buffer, rest: Summary): Buffer {
    const head = `{"wallet_address":"${wallet}","positions":`;
    const tail = `,${JSON.stringify(rest).slice(1)}`;
    const from = head.length + positions.length;
    const length = from + tail.length;
    if (this.#room.length < length) this.#room = Buffer.allocUnsafeSlow(Math.ceil(length / ROOM) * ROOM);
    this.#room.write(head, 'latin1');
    this.#room.set(positions, head.length);
    this.#room.write(tail, from, 'latin1');
    return this.#room.subarray(0, length);
  }

  position(account: number, slot: number): StreamedPosition {
    const state = this.#state;
    const wallet = this.#names.wallet(account);
    const totals = totalsOf(state, account);
    const row = findHolding(state.holdings, account, slot);
    if (row < 0 || state.holdings.position[row] === 0) return nothingHeld(state, this.#names, wallet, slot);
    return positionRow(state, this.#names, wallet, heldIn(state, account, row), totals, null);
  }

  balance(account: number): PortfolioPart<'BalanceUpdate'> {
    const state = this.#state;
    const { total_margin_used: used, available_balance: available } = summary(totalsOf(state, account), 0, null);
    return { total_margin_used: used, available_balance: available, balance: micro(state.accounts.cash[account]!) };
  }

  margin(account: number): PortfolioPart<'MarginUpdate'> {
    const state = this.#state;
    const totals = totalsOf(state, account);
    const { portfolio_snapshot_timestamp_ms: _, ...rest } = summary(totals, 0, spanOf(state, account, totals));
    return rest;
  }

  #positions(account: number, wallet: string, totals: Totals): Buffer | string {
    const { settings } = this.#state;
    if (this.#settings.some((value, at) => value !== settings.values[at])) {
      this.#settings.set(settings.values);
      this.#forget();
    }
    const length = this.#writeKey(account, totals);
    const kept = this.#kept.get(account);
    if (kept !== undefined && isSame(kept.key, this.#key, length)) return kept.positions;
    const rows = this.#rows(account, wallet, totals);
    if (typeof rows === 'string') return rows;
    const positions = Buffer.from(JSON.stringify(rows), 'latin1');
    if (this.#keptBytes + positions.length > MOST_KEPT) this.#forget();
    this.#keptBytes += positions.length - (this.#kept.get(account)?.positions.length ?? 0);
    this.#kept.set(account, { key: this.#key.slice(0, length), positions });
    return positions;
  }

  #forget(): void {
    this.#kept.clear();
    this.#keptBytes = 0;
  }

  #writeKey(account: number, totals: Totals): number {
    const { accounts, holdings, instruments, valuation } = this.#state;
    const key = this.#key;
    key[0] = vintageOf(valuation);
    key[1] = accounts.mode[account]!;
    key[2] = totals.equity;
    key[3] = totals.maintenance;
    let at = KEY_HEAD;
    for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
      const row = link - 1;
      if (holdings.position[row] === 0) continue;
      key[at++] = row;
      key[at++] = instruments.id[holdings.instrument[row]!]!;
      key[at++] = holdings.position[row]!;
      key[at++] = holdings.cost[row]!;
      key[at++] = holdings.realized[row]!;
      key[at++] = holdings.updatedAt[row]!;
    }
    return at;
  }

  #rows(account: number, wallet: string, totals: Totals): StreamedPosition[] | string {
    const state = this.#state;
    const held = positionsOf(state, account);
    const fault = faultOf(state, held);
    if (fault !== null) return fault;
    const prices = liquidationPrices(state, account, held, totals);
    return held.map((one) => positionRow(state, this.#names, wallet, one, totals, prices.get(one.underlying) ?? null));
  }
}

function faultOf(state: State, held: readonly Held[]): string | null {
  if (held.some(({ underlying }) => state.valuation.index[underlying] === 0)) return UNPRICED;
  return held.every(isExact) ? null : INEXACT;
}

function isSame(a: Float64Array, b: Float64Array, length: number): boolean {
  if (a.length !== length) return false;
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function positionRow(state: State, names: Names, wallet: string, held: Held, totals: Totals, liquidation: number | null): StreamedPosition {
  const { holdings, instruments } = state;
  const { row, slot, position } = held;
  return {
    wallet_address: wallet, symbol: names.symbol(slot), amount: micro(position),
    entry_price: micro(mulDivHalfUp(Math.abs(holdings.cost[row]!), CONTRACT, Math.abs(position))), margin_posted: microOrNull(held.initial),
    realized_pnl: micro(holdings.realized[row]!), unrealized_pnl: microOrNull(held.unrealized),
    updated_at: isoText(holdings.updatedAt[row]!), instrument_type: instruments.kind[slot] === PERP ? 'perp' : 'option',
    notional_value: microOrNull(held.notional), maintenance_margin: microOrNull(held.maintenance),
    liquidation_price: liquidation === null ? null : microOrNull(liquidation), margin_ratio: marginRatio(totals),
  };
}

function nothingHeld({ clock, instruments }: State, names: Names, wallet: string, slot: number): StreamedPosition {
  return {
    wallet_address: wallet, symbol: names.symbol(slot), amount: '0', entry_price: '0', margin_posted: '0', realized_pnl: '0',
    unrealized_pnl: '0', updated_at: isoText(clock[TIME]!), instrument_type: instruments.kind[slot] === PERP ? 'perp' : 'option',
    notional_value: '0', maintenance_margin: '0', liquidation_price: null, margin_ratio: '0',
  };
}

/** Maintenance margin over equity, 6 decimals, rounded up, at most 9 billion; null without positive equity. */
function marginRatio({ maintenance, equity: worth }: Totals): string | null {
  if (maintenance === 0) return '0';
  return worth > 0 ? micro(clampSafe(mulDivCeil(maintenance, RATIO, worth))) : null;
}

/** Portfolio mode: max(scanning_risk, option_floor) + gamma_overlay, open orders included. */
type Span = { readonly [N in keyof SpanMargin]: number };

function spanOf(state: State, account: number, { equity, maintenance, orderInitial, positionInitial }: Totals): Span | null {
  if (state.accounts.mode[account] !== PORTFOLIO) return null;
  const { portfolios } = state.cache;
  const risk = createRiskSums();
  sumRisk(state, portfolios, account, ALL, -1, risk);
  return exactly({
    equity, initial_margin_required: positionInitial + orderInitial, maintenance_margin_required: maintenance,
    open_orders_initial_margin: orderInitial, option_margin_required: optionRequirement(state, portfolios, account),
    scanning_risk: risk.scanning, option_floor: risk.floor, gamma_overlay: risk.overlay,
    hypercore_margin_required: perpRequirement(state, portfolios, account),
  });
}

type Summary = PortfolioPart<'MarginUpdate'> & { readonly portfolio_snapshot_timestamp_ms: number };

function summary(totals: Totals, time: number, span: Span | null): Summary {
  const { collateral, equity, orderInitial, positionInitial, reserved, used } = totals;
  const mode = MARGIN_MODES[span === null ? STANDARD : PORTFOLIO];
  return {
    total_margin_used: microOrNull(used), available_balance: microOrNull(Math.max(0, collateral - used)),
    portfolio_snapshot_timestamp_ms: time, ...(span === null ? {} : { span_margin: spanText(span) }), margin_mode: mode,
    margin_summary: isExact(totals) ? {
      mode, equity: micro(equity), position_im: micro(positionInitial), open_orders_im: micro(orderInitial),
      initial_margin: micro(totals.initialLeft), maintenance_margin: micro(totals.maintenanceLeft),
      ...(span === null ? { open_orders_premium_reserved: micro(reserved) } : {}),
    } : null,
  };
}

function spanText(span: Span): SpanMargin | null {
  return isExact(span) ? Object.fromEntries(Object.entries(span).map(([name, value]) => [name, micro(value)])) as SpanMargin : null;
}
