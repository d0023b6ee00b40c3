// The full hours at which a perp had to be funded, computed from the replayed records without the core's own bookkeeping. Funding is
// due at the first tick at or after the hour, for the holders of the perp at that time, if a sample within the hour saw a position.
// A venue that slept through the next hour skips one (docs/decisions/settlement-and-funding.md). Times in ms.

import { TICK } from '../../core/codec/commands.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { PREMIUM_INTERVAL } from '../../core/settings.ts';
import type { Names } from '../../shell/reader/text.ts';
import { DAY, HOUR } from './plan.ts';

/** What is held of a perp since the last record, and the hour of the last sample that saw it held. */
type Seen = { readonly symbol: string; held: number; heldIn: number };

/** Hours of the day, from 1. */
type FundingHours = {
  /** Hours at which funding fell due. */
  readonly due: Set<number>;
  /** Hours in which no account held the perp. */
  readonly unheld: Set<number>;
};

/** Follows a replay, record by record. */
export class HourWatch {
  readonly #state: State;
  readonly #names: Names;
  readonly #perps = new Map<number, Seen>();
  #hour = -Infinity;
  /** By the symbol of a perp. */
  readonly hours = new Map<string, FundingHours>();

  constructor(state: State, names: Names) {
    this.#state = state;
    this.#names = names;
  }

  /** Call after each record, with its kind. */
  after(kind: number): void {
    const { clock, instruments } = this.#state;
    if (kind === TICK) this.#tick(clock[TIME]!);
    for (const slot of instruments.perpOf) {
      if (slot >= 0) this.#of(slot).held = instruments.openInterest[slot]!;
    }
  }

  /** A tick samples before it trades: what was held after the record before it is what the hour ended with. */
  #tick(time: number): void {
    const hour = Math.floor((time - DAY) / HOUR);
    const interval = this.#state.settings.values[PREMIUM_INTERVAL]!;
    const isOnTheHour = time - DAY - hour * HOUR < interval;
    for (const seen of this.#perps.values()) {
      const { due, unheld } = this.hours.get(seen.symbol)!;
      if (hour > this.#hour && seen.held === 0) unheld.add(hour);
      else if (hour > this.#hour && (isOnTheHour || seen.heldIn === hour - 1)) due.add(hour);
      // A sample on the hour belongs to the hour that it ends.
      if (seen.held > 0 && !isOnTheHour) seen.heldIn = hour;
    }
    this.#hour = hour;
  }

  #of(slot: number): Seen {
    const known = this.#perps.get(slot);
    if (known !== undefined) return known;
    const symbol = this.#names.symbol(slot);
    const seen = { symbol, held: 0, heldIn: -Infinity };
    this.#perps.set(slot, seen);
    this.hours.set(symbol, { due: new Set(), unheld: new Set() });
    return seen;
  }
}
