// Results of the day, collected from the events of the replayed journal while the audit replays it, and from the state at the end.
// Amounts are micros, summed as BigInt; prices 1e-6 USDC, sizes 1e-6 contracts, rates 1e-9, times ms.

import { accountCount, IN_LIQUIDATION, LIQUIDATED, PORTFOLIO } from '../../core/accounts/accounts.ts';
import { PERP, PLACE_ORDER, REPLACE_ORDER } from '../../core/codec/commands.ts';
import * as events from '../../core/codec/events.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { instrumentCount } from '../../core/instruments/instruments.ts';
import { HOUSE_ACCOUNTS } from '../../core/ledger/ledger.ts';
import { wideToBigInt } from '../../core/ledger/wide.ts';
import { FUND_ADDRESS } from '../../core/lifecycle/insurance-fund.ts';
import { holdingRows } from '../../core/positions/holdings.ts';
import { addressOfWords, Names } from '../../shell/reader/text.ts';
import { HourWatch } from './hours.ts';

type FundingRate = { readonly symbol: string; readonly time: number; readonly rate: number };
type Decided = {
  readonly underlying: number; readonly expiry: number; readonly price: number; readonly samples: number;
};
type Payouts = { readonly expiry: number; isSettled: boolean; count: number; sum: bigint; worst: bigint };
type Standing = { readonly wallet: string; readonly from: number; readonly to: number; readonly time: number };
const FUND = addressOfWords(FUND_ADDRESS, 0);

export type Index = { readonly time: number; readonly price: number };

type Sums = { readonly cash: bigint; readonly perpCost: bigint; readonly house: bigint; readonly unmatched: readonly string[] };

/** Listens to one replay from its first event to its last. */
export class DayRecord {
  readonly #state: State;
  readonly #names: Names;
  readonly #status = new Map<number, number>();
  readonly counts = { orders: 0, fills: 0, perpFills: 0, optionFills: 0, closingFills: 0, funded: 0, triggers: 0, portfolios: 0 };
  readonly watch: HourWatch;
  readonly fundings: FundingRate[] = [];
  readonly decided: Decided[] = [];
  /** By the id of an instrument that expired. */
  readonly payouts = new Map<number, Payouts>();
  readonly index: Index[][] = [];
  readonly standings: Standing[] = [];
  readonly takenOver = new Map<string, number>();
  readonly fund = { fees: 0n, cover: 0n, takeovers: 0n, deleveraged: 0 };
  readonly #byKind: Readonly<Record<number, (slots: Float64Array) => void>>;

  constructor(state: State) {
    this.#state = state;
    this.#names = new Names(state);
    this.watch = new HourWatch(state, this.#names);
    this.#byKind = {
      [events.NONCE_TAKEN]: (f) => this.#taken(f), [events.FILL]: (f) => this.#fill(f), [events.INDEX_MOVED]: (f) => this.#index(f),
      [events.FUNDING_RATE]: (f) => this.#funding(f), [events.SETTLEMENT_SET]: (f) => this.#decide(f),
      [events.INSTRUMENT_EXPIRED]: (f) => this.#expire(f), [events.POSITION_SETTLED]: (f) => this.#pay(f),
      [events.LIQUIDATION_CHANGED]: (f) => this.#stand(f), [events.FUND_POSTED]: (f) => this.#post(f),
      [events.TAKEN_OVER]: (f) => this.#takeOver(f),
      [events.FUNDING_PAID]: () => { this.counts.funded++; }, [events.MMP_TRIGGERED]: () => { this.counts.triggers++; },
      [events.DELEVERAGED]: () => { this.fund.deleveraged++; },
      [events.MODE_CHANGED]: (f) => { this.counts.portfolios += f[events.MODE_VALUE] === PORTFOLIO ? 1 : 0; },
      [events.INSTRUMENT_SETTLED]: (f) => { this.payouts.get(f[events.INSTRUMENT_ID]!)!.isSettled = true; },
    };
    state.events.listener = (kind, slots) => { this.#byKind[kind]?.(slots); };
  }

  get #time(): number {
    return this.#state.clock[TIME]!;
  }

  #isFund(account: number): boolean {
    return this.#names.wallet(account) === FUND;
  }

  #taken(f: Float64Array): void {
    const kind = f[events.TAKEN_KIND];
    if (kind === PLACE_ORDER || kind === REPLACE_ORDER) this.counts.orders++;
  }

  #fill(f: Float64Array): void {
    const { counts } = this;
    counts.fills++;
    if (this.#state.instruments.kind[f[events.FILL_INSTRUMENT]!] === PERP) counts.perpFills++;
    else counts.optionFills++;
    const taker = f[events.FILL_TAKER]!;
    if (this.#status.get(taker) === IN_LIQUIDATION || this.#isFund(taker)) counts.closingFills++;
  }

  #index(f: Float64Array): void {
    if (f[events.INDEX_IS_USED] !== 1) return;
    (this.index[f[events.INDEX_UNDERLYING]!] ??= []).push({ time: this.#time, price: f[events.INDEX_VALUE]! });
  }

  #funding(f: Float64Array): void {
    this.fundings.push({ symbol: this.#names.symbol(f[events.INSTRUMENT]!), time: this.#time, rate: f[events.FUNDING_HOURLY]! });
  }

  #decide(f: Float64Array): void {
    this.decided.push({
      underlying: f[events.INDEX_UNDERLYING]!, expiry: f[events.SETTLEMENT_EXPIRY]!, price: f[events.SETTLEMENT_VALUE]!,
      samples: f[events.SETTLEMENT_SAMPLES]!,
    });
  }

  #expire(f: Float64Array): void {
    this.payouts.set(f[events.INSTRUMENT_ID]!, { expiry: f[4]!, isSettled: false, count: 0, sum: 0n, worst: 0n });
  }

  /** `worst`: how far a payout is from the position's value, in millionths of a micro. */
  #pay(f: Float64Array): void {
    const { instruments } = this.#state;
    const slot = f[events.SETTLED_INSTRUMENT]!;
    const payouts = this.payouts.get(instruments.id[slot]!)!;
    const [price, strike] = [f[events.SETTLED_PRICE]!, instruments.strike[slot]!];
    const each = Math.max(0, instruments.kind[slot] === 1 ? price - strike : strike - price);
    const value = BigInt(f[events.SETTLED_VALUE]!);
    const off = value * 1_000_000n - BigInt(f[events.SETTLED_POSITION]!) * BigInt(each);
    payouts.count++;
    payouts.sum += value;
    if (off > payouts.worst) payouts.worst = off;
    if (-off > payouts.worst) payouts.worst = -off;
  }

  #stand(f: Float64Array): void {
    const account = f[events.ACCOUNT]!;
    const to = f[events.LIQUIDATION_STATE]!;
    this.#status.set(account, to);
    this.standings.push({ wallet: this.#names.wallet(account), from: f[events.LIQUIDATION_BEFORE]!, to, time: this.#time });
  }

  #post(f: Float64Array): void {
    const amount = BigInt(f[events.POSTED_AMOUNT]!);
    const why = f[events.POSTED_WHY];
    if (why === events.POSTED_FEE) this.fund.fees += amount;
    else if (why === events.POSTED_COVER) this.fund.cover += amount;
    else this.fund.takeovers += amount;
  }

  #takeOver(f: Float64Array): void {
    const wallet = this.#names.wallet(f[events.ACCOUNT]!);
    this.takenOver.set(wallet, (this.takenOver.get(wallet) ?? 0) + 1);
  }

  /** Wallets whose liquidation ended: by recovery, by a partial close, or by a takeover. */
  ended(): { readonly recovered: readonly Standing[]; readonly liquidated: readonly Standing[] } {
    const recovered = this.standings.filter(({ from, to }) => from === IN_LIQUIDATION && to !== LIQUIDATED);
    return { recovered, liquidated: this.standings.filter(({ to }) => to === LIQUIDATED) };
  }

  /** Money and positions at the end of the replay. */
  sums(): Sums {
    const { accounts, holdings, instruments, ledger } = this.#state;
    let [cash, perpCost, house] = [0n, 0n, 0n];
    for (let account = 0; account < accountCount(accounts); account++) cash += BigInt(accounts.cash[account]!);
    for (let at = 0; at < HOUSE_ACCOUNTS; at++) house += wideToBigInt(ledger.house, at);
    const held = new Array<bigint>(instrumentCount(instruments)).fill(0n);
    for (let row = 0; row < holdingRows(holdings); row++) {
      if (holdings.account[row]! < 0) continue;
      const slot = holdings.instrument[row]!;
      held[slot]! += BigInt(holdings.position[row]!);
      if (instruments.kind[slot] === PERP) perpCost += BigInt(holdings.cost[row]!);
    }
    return { cash, perpCost, house, unmatched: held.flatMap((sum, slot) => (sum === 0n ? [] : [this.#names.symbol(slot)])) };
  }

  /** Cash and number of positions of the insurance fund at the end; null when it was never opened. */
  fundAtEnd(): { readonly cash: number; readonly positions: number } | null {
    const { accounts } = this.#state;
    for (let account = 0; account < accountCount(accounts); account++) {
      if (this.#isFund(account)) return { cash: accounts.cash[account]!, positions: accounts.positions[account]! };
    }
    return null;
  }
}
