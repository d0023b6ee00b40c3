// A venue under attack: default settings, an attacker with any number of wallets, honest wallets and the fund. Wealth is computed from
// the raw state in BigInt: cash, positions at mark, the cost of perps and the funding owed. Inputs are in USDC and contracts, outputs in
// micros. Everything goes through real commands.

import assert from 'node:assert/strict';
import { BUY, CONTRACT, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { OK } from '../../../core/errors.ts';
import { FLAG_INDEX_AGELESS, PERP } from '../../../core/codec/commands.ts';
import { defaultSettings, FUND_SEED } from '../../../core/settings.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { equityOf, freshen, maintenanceOf, positionInitialOf } from '../../../core/margin/account-margin.ts';
import { fundAccount, liveRows } from '../../support/raw.ts';
import type { OrderFields } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import type { AdmissionRules } from '../../../core/sequencer/admission.ts';
import { balance, equityOf as rawEquityOf } from '../../core/liquidation/liquidation-scene.ts';

type More = Partial<OrderFields> & { slot?: number };
type RaidOptions = { settings?: Record<number, number>; rules?: Partial<AdmissionRules>; spot?: number };

/** Micros of a USDC and of a million. */
export const DOLLAR = BigInt(USDC);
const MILLION = 1_000_000n * DOLLAR;
/** What a new wallet has, and the fund's seed, micros. */
export const BALANCE = 10n * MILLION;
export const SEED = MILLION;

export class AttackedVenue extends Scene {
  readonly perp: number;

  constructor({ settings = {}, rules = {}, spot = 100_000 }: RaidOptions = {}) {
    const values = defaultSettings();
    for (const [at, value] of Object.entries(settings)) values[Number(at)] = value;
    super({ settings: values, rules: { table: DEFAULT_LIMITS, ...rules } }, spot);
    // Ten minutes past the hour: no funding falls into a test that does not ask for it.
    this.advance(10 * MINUTE);
    this.perp = this.state.instruments.perpOf[0]!;
  }

  /** Opens the wallets' accounts. */
  enter(...wallets: number[]): this {
    for (const wallet of wallets) this.cancel(wallet, 0);
    return this;
  }

  enterPortfolio(...wallets: number[]): this {
    for (const wallet of wallets) assert.equal(this.send(this.write.marginMode(wallet, this.next(), PORTFOLIO)), OK);
    return this;
  }

  /** Sets the index, by the operator's word unless other flags say so, and lets everything follow. */
  index(price: number, underlying = 0, flags: number = FLAG_INDEX_AGELESS): void {
    this.venue(this.write.index(underlying, Math.round(price * USDC), flags));
    this.settle();
  }

  /** Seconds pass one by one; the books balance after each. */
  seconds(count: number): void {
    for (let i = 0; i < count; i++) {
      this.advance(SECOND);
      balance(this.state);
    }
  }

  /** Two wallets trade with each other: the first buys. Answers the code of the first refusal, or OK. */
  trade(buyer: number, seller: number, price: number, size: number, slot = this.perp): number {
    const asked = this.sell(seller, price, size, { slot });
    return asked !== OK ? asked : this.buy(buyer, price, size, { slot, tif: 1 });
  }

  /** The same, and it must succeed: the situation that an attack starts from. */
  deal(buyer: number, seller: number, price: number, size: number, slot = this.perp): void {
    const before = this.size(buyer, slot);
    assert.equal(this.trade(buyer, seller, price, size, slot), OK);
    assert.equal(this.size(buyer, slot), before + Math.round(size * CONTRACT), 'the two met each other');
  }

  replace(wallet: number, id: number, side: number, price: number, size: number, more: More = {}): number {
    const { slot = this.perp, ...fields } = more;
    return this.send(this.write.replace({
      ...this.contract(slot), wallet, nonce: this.next(), side, price: Math.round(price * USDC), size: Math.round(size * CONTRACT),
      ...fields,
    }, id));
  }

  size(wallet: number, slot = this.perp): number {
    return this.sizeOf(this.account(wallet), slot);
  }

  sizeOf(account: number, slot = this.perp): number {
    return liveRows(this.state).find((row) => row.account === account && row.instrument === slot)?.position ?? 0;
  }

  /** The mark in USDC, times a factor and plus a sum, of five figures: a price that an order may have. */
  near(slot: number, times = 1, plus = 0): number {
    return figures(this.mark(slot) / USDC * times + plus);
  }

  /** Slot of the underlying's option of a kind nearest to a strike, of the expiry nearest to so many days away. */
  option(kind: number, strike: number, days: number, underlying = 'BTC'): number {
    const slots = this.slots((one) => one.kind === kind && one.underlying === underlying);
    const far = (slot: number): number => Math.abs(this.contract(slot).expiry - this.now - days * 86_400_000);
    const expiry = this.contract(slots.reduce((best, slot) => (far(slot) < far(best) ? slot : best))).expiry;
    const away = (slot: number): number => Math.abs(this.contract(slot).strike - strike * USDC);
    return slots.filter((slot) => this.contract(slot).expiry === expiry).reduce((best, slot) => (away(slot) < away(best) ? slot : best));
  }

  equity(wallet: number): bigint {
    return this.equityAt(this.account(wallet));
  }

  equityAt(account: number): bigint {
    let owed = 0n;
    for (const row of liveRows(this.state)) if (row.account === account) owed += this.owes(row.row);
    return rawEquityOf(this.state, account) - owed;
  }

  /** Funding that a row has run up, rounded up for the payer. */
  private owes(row: number): bigint {
    const { funding, holdings } = this.state;
    const product = BigInt(holdings.position[row]!) * BigInt(funding.cumulative[holdings.instrument[row]!]! - holdings.funding[row]!);
    const floor = product / 1_000_000_000n;
    return product > floor * 1_000_000_000n ? floor + 1n : floor;
  }

  /** Equity of the wallets together. */
  wealth(...wallets: number[]): bigint {
    return wallets.reduce((sum, wallet) => sum + this.equity(wallet), 0n);
  }

  /** What the fund is worth; its seed while it is not opened. */
  fund(): bigint {
    const account = this.fundAccount();
    return account < 0 ? BigInt(this.state.settings.values[FUND_SEED]!) : this.equityAt(account);
  }

  fundAccount(): number {
    return fundAccount(this.state);
  }

  /** Requirement and equity as the venue sees them, micros. */
  initial(wallet: number): number {
    freshen(this.state, this.account(wallet));
    return positionInitialOf(this.state, this.account(wallet));
  }

  maintenance(wallet: number): number {
    freshen(this.state, this.account(wallet));
    return maintenanceOf(this.state, this.account(wallet));
  }

  shownEquity(wallet: number): number {
    freshen(this.state, this.account(wallet));
    return equityOf(this.state, this.account(wallet));
  }

  perpOf(underlying: number): number {
    return this.slots((one) => one.kind === PERP)[underlying]!;
  }

  /** Two wallets quote a contract from both sides. */
  quote(bidder: number, asker: number, slot: number, bid: number, ask: number, size: number): void {
    assert.equal(this.place(bidder, BUY, bid, size, { slot }), OK);
    assert.equal(this.place(asker, SELL, ask, size, { slot }), OK);
  }
}

/** A price of five significant figures. */
export function figures(price: number): number {
  return Number(price.toPrecision(5));
}
