// A core at production capacity with in-memory ports that nobody reads: no journal, no rings, no limits of tiers.
// Prices 1e-6 USDC, sizes 1e-6 contracts, time ms.

import { USDC } from '../core/units.ts';
import { viewsOf } from '../core/codec/record.ts';
import { createState, type State } from '../core/engine/state.ts';
import { PRODUCTION } from '../core/limits.ts';
import { createAdmission } from '../core/sequencer/admission.ts';
import { NEW_WALLETS_AN_HOUR } from '../core/sequencer/rate-budgets.ts';
import { createSequencer, runDue, takeVenueCommand, type OutPort, type Sequencer } from '../core/sequencer/sequencer.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../core/settings.ts';
import { UNLIMITED } from '../core/tiers.ts';
import { RecordWriter } from '../test/support/records.ts';

/** A Monday, so that dailies and Fridays are listed. */
export const NOW = Date.UTC(2026, 0, 5);
export const RECORD = 400;

/** A ring without a reader: old bytes are overwritten. */
class OpenPort implements OutPort {
  readonly views = viewsOf(new ArrayBuffer(1 << 20));
  private at = 0;
  hasRoom(): boolean { return true; }
  claim(bytes: number): number {
    if (this.at + bytes > this.views.u8.length) this.at = 0;
    const place = this.at;
    this.at += bytes;
    return place;
  }
  commit(): void {}
}

export type Venue = { readonly state: State; readonly sequencer: Sequencer; readonly reply: OutPort; readonly write: RecordWriter };

/** A venue with the contracts listed for these index prices in USDC, and with all marks. Accounts open with a billion USDC. */
export function openVenue(indexes: Readonly<Record<string, number>>): Venue {
  const state = createState(PRODUCTION);
  const write = new RecordWriter();
  const row = {
    orders: UNLIMITED, cancels: UNLIMITED, requests: UNLIMITED, quotes: UNLIMITED, openOrders: UNLIMITED, positions: UNLIMITED,
  };
  const admission = createAdmission(state, {
    table: [row, row, row, row], rated: true, adminWallets: new Uint32Array(0), newWallets: NEW_WALLETS_AN_HOUR,
  });
  const sequencer = createSequencer(state, admission, new OpenPort());
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 1_000_000_000 * USDC;
  settings[MAX_POSITION] = 1_000_000_000 * USDC;
  takeVenueCommand(sequencer, write.configure(settings), NOW);
  for (const name of Object.keys(indexes)) takeVenueCommand(sequencer, write.addUnderlying(name, 600_000), NOW);
  Object.values(indexes).forEach((price, underlying) => takeVenueCommand(sequencer, write.index(underlying, price * USDC, 1), NOW));
  while (runDue(sequencer, NOW)) { /* listing, marks */ }
  return { state, sequencer, reply: new OpenPort(), write };
}
