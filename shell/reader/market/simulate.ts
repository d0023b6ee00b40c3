// Bodies of GET /risk/grid and POST /risk/simulate/portfolio and /orders (wire.md 2.8; decisions 6.5, 6.8). Orders are simulated as
// resting, as the order check sees them, and as filled at their prices.

import { accountCount, PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { mulDivHalfUp } from '../../../core/math/exact.ts';
import { hasExpired } from '../../../core/instruments/instruments.ts';
import { DEFAULT_BALANCE } from '../../../core/settings.ts';
import { BUY, CONTRACT, SELL } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import { okData, refused, type QueryAnswer } from '../answers.ts';
import { noIndexPrice } from './greeks.ts';
import { MARGIN_MODES } from '../../ipc/enum-names.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { riskGrid } from '../account/risk.ts';
import { riskInputs } from '../account/risk-inputs.ts';
import { accountOfWallet, slotOfSymbol, type Names } from '../text.ts';
import { OWN, SimulatedAccount, type SimulatedOrder } from '../account/simulated-account.ts';
import type { RiskGrid, RiskInputs } from '../../http/shapes/account.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';

const MOST = Number.MAX_SAFE_INTEGER;

type Simulated = AnswerTo<'POST /risk/simulate/orders'>['data'];

export class Simulator {
  readonly #state: State;
  readonly #names: Names;
  readonly #time: () => number;
  #made: SimulatedAccount | null = null;

  constructor(state: State, names: Names, time: () => number) {
    this.#state = state;
    this.#names = names;
    this.#time = time;
  }

  grid({ wallet }: QueryParameters['riskGrid']): QueryAnswer {
    const mode = this.#open(wallet);
    return this.#unpriced() ?? this.#answer<RiskGrid>([this.#grid([], mode)], ([grid]) => grid!);
  }

  inputs({ wallet, symbols }: QueryParameters['riskInputs']): QueryAnswer {
    this.#open(wallet);
    const asked: number[] = [];
    for (const symbol of symbols) {
      const slot = this.#slotOf(symbol);
      if (typeof slot !== 'number') return slot;
      this.#simulated.rowOf(slot);
      asked.push(slot);
    }
    const account = accountOfWallet(this.#state, wallet);
    return this.#unpriced() ?? okData<RiskInputs>(riskInputs(this.#state, this.#names, wallet, account, asked, this.#time()));
  }

  portfolio({ wallet, positions, balance, margin_mode: asked }: QueryParameters['simulatePortfolio']): QueryAnswer {
    const mode = wallet === undefined ? PORTFOLIO : this.#open(wallet);
    const { accounts } = this.#simulated.margin;
    const cash = balance ?? (wallet === undefined ? this.#state.settings.values[DEFAULT_BALANCE]! : accounts.cash[OWN]!);
    this.#simulated.open(cash, mode);
    for (const { symbol, amount, entry_price: price } of positions) {
      const slot = this.#slotOf(symbol);
      if (typeof slot !== 'number') return slot;
      const cost = mulDivHalfUp(amount, price ?? this.#state.valuation.mark[slot]!, CONTRACT);
      this.#simulated.addPosition(slot, amount, cost);
    }
    const shown = asked === undefined ? mode : MARGIN_MODES.indexOf(asked);
    return this.#unpriced() ?? this.#answer<RiskGrid>([this.#grid([], shown)], ([grid]) => grid!);
  }

  orders({ wallet, orders: asked }: QueryParameters['simulateOrders']): QueryAnswer {
    const orders: SimulatedOrder[] = [];
    const mode = this.#open(wallet);
    for (const { symbol, side, size, price } of asked) {
      const slot = this.#slotOf(symbol);
      if (typeof slot !== 'number') return slot;
      this.#simulated.rowOf(slot);
      orders.push({ slot, side: side === 'Buy' ? BUY : SELL, size, price: price ?? this.#state.valuation.mark[slot]! });
    }
    const unpriced = this.#unpriced();
    if (unpriced !== null) return unpriced;
    const grids = [this.#grid([], mode), this.#grid(orders, mode)];
    const isFilled = orders.every((order) => this.#simulated.fillOrder(order));
    return this.#answer<Simulated>([...grids, isFilled ? this.#grid([], mode) : null], ([before, after, filled]) => (
      { before: before!, after: after!, filled: filled! }
    ));
  }

  get #simulated(): SimulatedAccount {
    return this.#made ??= new SimulatedAccount(this.#state);
  }

  #open(wallet: string): number {
    const { accounts, settings } = this.#state;
    const account = accountCount(accounts) === 0 ? -1 : accountOfWallet(this.#state, wallet);
    if (account < 0) this.#simulated.open(settings.values[DEFAULT_BALANCE]!, STANDARD);
    else this.#simulated.copy(account);
    return account < 0 ? STANDARD : accounts.mode[account]!;
  }

  #slotOf(symbol: string): number | QueryAnswer {
    const slot = slotOfSymbol(this.#state, symbol);
    if (slot < 0) return refused('api', 'invalid_parameter', `Invalid symbol: ${symbol}`);
    return hasExpired(this.#state.instruments, slot, this.#time()) ? refused('api', 'invalid_parameter', 'Instrument has expired') : slot;
  }

  #unpriced(): QueryAnswer | null {
    const { accounts, holdings, instruments } = this.#simulated.margin;
    for (let link = accounts.holdingHead[OWN]!; link !== 0; link = holdings.next[link - 1]!) {
      const slot = holdings.instrument[link - 1]!;
      if (this.#state.valuation.markIndex[instruments.underlying[slot]!] === 0) return noIndexPrice(this.#names, slot);
    }
    return null;
  }

  #grid(orders: readonly SimulatedOrder[], mode: number): RiskGrid | null {
    const { accounts, holdings } = this.#simulated.margin;
    for (let link = accounts.holdingHead[OWN]!; link !== 0; link = holdings.next[link - 1]!) {
      const row = link - 1;
      if (!(Math.abs(holdings.position[row]!) <= MOST && Math.abs(holdings.cost[row]!) <= MOST)) return null;
    }
    return Math.abs(accounts.cash[OWN]!) <= MOST ? riskGrid(this.#simulated, this.#names, orders, mode) : null;
  }

  #answer<T>(grids: readonly (RiskGrid | null)[], data: (grids: readonly RiskGrid[]) => T): QueryAnswer {
    const all = grids.filter((grid) => grid !== null);
    if (all.length < grids.length) return refused('api', 'invalid_parameter', 'The portfolio is too large to be computed exactly');
    return okData<T>(data(all));
  }
}
