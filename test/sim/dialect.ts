// Items of a batch that only the Hyperliquid dialect has, a deadline of all orders and a leverage: drawn, and their effects remembered. So
// is the funding that each wallet has paid by perp. Shares only layouts with the core.

import assert from 'node:assert/strict';
import * as E from '../../core/codec/events.ts';
import { ITEM_NUMBERS } from '../../core/codec/batch-items.ts';
import { INVALID_LEVERAGE, OK, UNKNOWN_UNDERLYING } from '../../core/errors.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { PERP_INITIAL } from '../../core/settings.ts';
import { DAY, MINUTE, SECOND } from '../../core/units.ts';
import { copyOfRecord } from '../support/batch.ts';
import { accountTotal } from '../support/raw.ts';
import { accountOf, NAMES, type RunContext } from './draw.ts';
import type { Guard } from './guard.ts';
import { CODES } from './names.ts';

/** Columns of a row of perpAccounts, and how many it has. */
const [LEVERAGE, PAID, CELLS] = [0, 1, 4];
const PPM = 1_000_000;
type Cell = { leverage: number; paid: number };

export class Dialect {
  private readonly state: State;
  private readonly guard: Guard;
  private readonly known = new Map<string, Cell>();
  /** What the batch being sent asks for, by the place of the item. */
  private readonly deadlines = new Map<number, number>();
  private readonly leverages = new Map<number, { readonly underlying: string; readonly leverage: number }>();

  /** Starts from the present state. */
  constructor(state: State, guard: Guard) {
    this.state = state;
    this.guard = guard;
    for (const key of this.keys()) this.known.set(key, this.held(key));
  }

  begin(): void {
    this.deadlines.clear();
    this.leverages.clear();
  }

  item(place: number, wallet: number, { random, venue: { now, write } }: RunContext): Uint8Array<ArrayBuffer> {
    if (random.chance(0.5)) {
      const [underlying, leverage] = [random.pick(NAMES), random.pick([0, 1, 2, 3, 5, 10, 20, 50])];
      this.leverages.set(place, { underlying, leverage });
      return copyOfRecord(write.leverage(wallet, 0, underlying, leverage));
    }
    const at = random.chance(0.2) ? 0 : now + random.pick([0, 4_999, 5_000, 20 * SECOND, MINUTE, DAY, DAY + 1]);
    this.deadlines.set(place, at);
    return copyOfRecord(write.cancelAfter(wallet, 0, at));
  }

  /** The batch was taken. */
  done(wallet: number, count: (bucket: string) => void): void {
    const { clock, result: { answers }, settings, underlyings } = this.state;
    const account = accountOf(this.state, wallet);
    for (const [place, at] of this.deadlines) {
      const code = answers[place * ITEM_NUMBERS]!;
      count(`schedule ${at === 0 ? 'off' : CODES.get(code)}`);
      this.guard.schedule(account, at, code, clock[TIME]!);
    }
    const most = Math.max(1, Math.floor(PPM / settings.values[PERP_INITIAL]!));
    for (const [place, { leverage, underlying }] of this.leverages) {
      const code = answers[place * ITEM_NUMBERS]!;
      const at = NAMES.indexOf(underlying as typeof NAMES[number]);
      count(`leverage ${CODES.get(code)}`);
      const isThere = at < underlyings.counters[0]!;
      assert.equal(code, !isThere ? UNKNOWN_UNDERLYING : leverage < 1 || leverage > most ? INVALID_LEVERAGE : OK, 'dialect: a leverage');
      if (code === OK) this.cell(`${account}/${at}`).leverage = leverage;
    }
  }

  hear(kind: number, f: Float64Array): void {
    if (kind === E.FUNDING_PAID) {
      this.cell(`${f[E.ACCOUNT]}/${this.state.instruments.underlying[f[E.PAID_INSTRUMENT]!]}`).paid += f[E.PAID_AMOUNT]!;
    }
    if (kind !== E.ACCOUNT_CLOSED) return;
    for (const key of [...this.known.keys()]) if (key.startsWith(`${f[E.ACCOUNT]}/`)) this.known.delete(key);
  }

  check(): void {
    for (const key of this.keys()) assert.deepEqual(this.held(key), this.cell(key), `dialect: leverage and paid funding of ${key}`);
  }

  private cell(key: string): Cell {
    const cell = this.known.get(key) ?? { leverage: 0, paid: 0 };
    this.known.set(key, cell);
    return cell;
  }

  /** Accounts and underlyings. */
  private keys(): readonly string[] {
    const underlyings = Array.from({ length: this.state.underlyings.counters[0]! }, (_, at) => at);
    return Array.from({ length: accountTotal(this.state) }, (_, account) => underlyings.map((at) => `${account}/${at}`)).flat();
  }

  private held(key: string): Cell {
    const [account, underlying] = key.split('/').map(Number) as [number, number];
    const { accounts, cells } = this.state.perpAccounts;
    const at = (underlying * accounts + account) * CELLS;
    return { leverage: cells[at + LEVERAGE]!, paid: cells[at + PAID]! };
  }
}
