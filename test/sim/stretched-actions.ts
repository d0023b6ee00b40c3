// Actions of stretched runs only: an underlying is added late, a wallet visits an unused perp and leaves before the hour, the index jumps
// by a factor of a thousand and back. Also records which tables were full when a command was refused as busy.

import { BUY, CONTRACT, GTC, HOUR, SECOND } from '../../core/units.ts';
import { ENGINE_BUSY, OK } from '../../core/errors.ts';
import { FLAG_INDEX_AGELESS, PERP } from '../../core/codec/commands.ts';
import { ORDER_PRICE, ORDER_SIZE } from '../../core/codec/events.ts';
import { MAX_PRICE, MAX_SIZE, SMALL_TIER_POOL_PERCENT } from '../../core/limits.ts';
import { PREMIUM_INTERVAL } from '../../core/settings.ts';
import type { State } from '../../core/engine/state.ts';
import { openOrders } from '../support/raw.ts';
import { Random } from './random.ts';
import { fiveFigures, NAMES, type RunContext } from './draw.ts';
import type { Options } from './options.ts';
import { beat, drawSettings, drawStretch, PLAIN, stretched, type Place, type Stretch, type STRETCHED } from './stretch.ts';

const LEAP = 1_000;
const VOLATILITY = 800_000;
/** The fewest ticks in a stretch of time that is simulated in one piece, where settings are drawn. */
const MOST_BEATS = 1_000;
/** Longer than the time to the first sample of any perp. */
const LOOKS = 2;

export class StretchedActions {
  readonly random: Random;
  readonly stretch: Stretch;
  /** The settings in force. */
  private settings: Float64Array = new Float64Array(0);
  private readonly count: (bucket: string) => void;
  /** Underlyings whose index has jumped, and the factor: the next jump goes back. */
  private readonly leapt = new Map<number, number>();

  /** `isPlain`: an ordinary run. */
  constructor(seed: number, isPlain: boolean, count: (bucket: string) => void) {
    this.random = new Random(seed);
    this.count = count;
    this.stretch = isPlain ? PLAIN : drawStretch(this.random);
    for (const [name, value] of Object.entries(this.stretch)) if (value !== false && value !== 0) count(`run with ${name}`);
  }

  /** True if markets or settings are rougher than those of a real venue. */
  get isRough(): boolean {
    const { bounds, drawn, leaps, small } = this.stretch;
    return bounds || drawn > 0 || leaps || small;
  }

  /** The options of an ordinary run, changed for this kind of run. */
  options(ordinary: Options): Options {
    const options = stretched(ordinary, this.stretch, this.random, this.note);
    this.settings = options.settings;
    return options;
  }

  private readonly note = (name: string, place: Place): void => this.count(`setting ${name} ${place}`);

  /** Settings of the next Configure: those of the run again, or others of the same kind. */
  configured(): Float64Array {
    const { changes, drawn } = this.stretch;
    if (!changes) return this.settings;
    this.count('settings changed in mid-run');
    this.settings = drawSettings(this.random, this.settings, drawn, this.note);
    return this.settings;
  }

  /** The longest time simulated in one piece, ms: shorter when ticks are so frequent that it would take too long. */
  longest({ settings }: State): number {
    return this.stretch.drawn > 0 ? MOST_BEATS * beat(settings.values) : Infinity;
  }

  /** An order that was accepted. */
  noteBounds(slots: Float64Array): void {
    if (slots[ORDER_PRICE] === MAX_PRICE) this.count('order at the bound of price');
    if (slots[ORDER_SIZE] === MAX_SIZE) this.count('order at the bound of size');
  }

  act(action: typeof STRETCHED[number], means: RunContext): void {
    if (action === 'underlying') this.add(means);
    else if (action === 'visit') this.visit(means);
    else this.leap(means);
  }

  /** Adds the next underlying, a known one, or one too many; always in the order of the names, from which numbers follow. */
  private add({ command, venue: { state, write } }: RunContext): void {
    const there = state.underlyings.counters[0]!;
    const next = Math.min(there, NAMES.length - 1);
    const name = NAMES[this.random.chance(0.8) ? next : this.random.between(0, next)]!;
    command(write.addUnderlying(name, VOLATILITY));
    const isNew = state.underlyings.counters[0]! > there;
    this.count(isNew ? 'underlying added late' : state.result.code === OK ? 'underlying there already' : 'underlying one too many');
    if (isNew && state.instruments.counters[0]! >= state.instruments.capacity - 2) this.count('underlying added to a full table');
  }

  /** An order far from the market, cancelled before the hour ends: no holder is left, but the funding hour has to end. */
  private visit(means: RunContext): void {
    const { anyone, command, draw, send, through, venue } = means;
    const { random } = this;
    const { state, write } = venue;
    const { instruments, valuation } = state;
    const there = Array.from({ length: state.underlyings.counters[0]! }, (_, at) => at);
    const quoted = new Set(openOrders(state).map(({ instrument }) => instrument));
    const isIdle = (slot: number): boolean => instruments.openInterest[slot] === 0 && !quoted.has(slot);
    const idle = there.filter((at) => isIdle(instruments.perpOf[at]!));
    const underlying = random.pick(idle.length > 0 ? idle : there);
    const look = (): void => {
      command(write.index(underlying, draw.index(state, underlying), FLAG_INDEX_AGELESS));
      through(random.between(0, SECOND));
    };
    look();
    const price = fiveFigures(Math.max(1, valuation.index[underlying]! / 10));
    const perp = { underlying: NAMES[underlying]!, expiry: 0, strike: 0, kind: PERP };
    const code = send(write.place({ ...perp, wallet: anyone, nonce: draw.nonce(anyone), side: BUY, price, size: 1, tif: GTC }));
    if (code !== OK) return;
    const id = state.orders.counters[0]!;
    for (let looks = 0; looks < LOOKS; looks++) {
      venue.now += state.settings.values[PREMIUM_INTERVAL]!;
      look();
    }
    send(write.cancel(anyone, draw.nonce(anyone), id));
    this.count('visit of a perp');
    if (state.perps.hour[underlying] === 0 || random.chance(0.3)) return;
    venue.now = Math.max(venue.now, state.perps.hour[underlying]! - random.between(0, 2 * SECOND));
    through(random.between(0, 5 * SECOND));
    this.count('visit of a perp past its hour');
    if (HOUR % state.settings.values[PREMIUM_INTERVAL]! !== 0) this.count('visit of a perp whose samples do not divide the hour');
  }

  /** The index multiplied or divided by a thousand; the next time back. */
  private leap({ command, through, venue: { state, write } }: RunContext): void {
    const underlying = this.random.between(0, state.underlyings.counters[0]! - 1);
    const now = state.valuation.index[underlying]!;
    const factor = 1 / (this.leapt.get(underlying) ?? this.random.pick([LEAP, LEAP, 1 / LEAP]));
    const price = Math.round(now * factor);
    if (now === 0 || price < 1 || price > MAX_PRICE) return;
    if (this.leapt.has(underlying)) this.leapt.delete(underlying);
    else this.leapt.set(underlying, factor);
    command(write.index(underlying, price, FLAG_INDEX_AGELESS));
    this.count(this.leapt.has(underlying) ? `index leapt ${factor > 1 ? 'up' : 'down'}` : 'index leapt back');
    through(this.random.between(0, SECOND));
    if (isAnyBeyond(state)) this.count('position worth more than 2^53');
  }
}

/** True if the value of some position is above 2^53. */
function isAnyBeyond({ holdings, valuation }: State): boolean {
  for (let row = 0; row < holdings.counters[0]!; row++) {
    if (holdings.account[row]! < 0) continue;
    if (Math.abs(holdings.position[row]!) / CONTRACT * valuation.mark[holdings.instrument[row]!]! > Number.MAX_SAFE_INTEGER) return true;
  }
  return false;
}

/** The tables that were full when a command was refused for want of room, or was not: that of nonces has a floor that rises. */
export function fullTables(state: State, code: number): string[] {
  const { accounts, agents, books, holdings, nonces, pending } = state;
  // The account of the insurance fund uses no nonces.
  if (code === OK) return nonces.counters[2]! >= nonces.capacity - nonces.share ? ['nonces'] : [];
  if (code !== ENGINE_BUSY) return [];
  const isFull = {
    accounts: accounts.counters[0]! - accounts.counters[2]! >= accounts.capacity - 1,
    agents: agents.rows[0]! + pending.rows[0]! >= agents.capacity,
    'share of agents': agents.rows[1]! + pending.rows[0]! >= Math.floor(agents.capacity * SMALL_TIER_POOL_PERCENT / 100),
    'share of holdings': holdings.ofSmallTiers[0]! >= Math.floor(holdings.capacity * SMALL_TIER_POOL_PERCENT / 100),
    holdings: holdings.counters[2]! >= holdings.capacity, orders: books.counters[2]! >= books.capacity - 1,
  };
  return Object.entries(isFull).filter(([, full]) => full).map(([table]) => table);
}
