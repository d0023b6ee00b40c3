// Cash that moves without an event: the ledger of every account is compared at the end of an audit and at each snapshot.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEQ, type State } from '../../../core/engine/state.ts';
import { BUY } from '../../../core/units.ts';
import { MovementCheck } from '../../../scripts/audit/movements.ts';
import { auditFolder, Unsound } from '../../../scripts/audit/replay.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { TestVenue } from '../../support/venue.ts';
import { makeFolder } from './folder.ts';

/** Moves a micro from account 0 to account 1, so that sums over all accounts stay as they are. */
function move({ accounts }: State): void {
  accounts.cash[0]!--;
  accounts.cash[1]!++;
}

test('given cash that moved without an event, then a look at all accounts finds it and a look at those that moved does not', () => {
  const venue = new TestVenue().open();
  const check = new MovementCheck(venue.state);
  const { listener } = venue.state.events;
  venue.state.events.listener = (kind, slots) => {
    check.onEvent(kind, slots);
    listener!(kind, slots);
  };
  for (const wallet of [1, 2]) {
    const contract = venue.contract(0);
    venue.send(venue.write.place({ ...contract, wallet, nonce: wallet, side: BUY, price: 10_000_000, size: 1_000_000 }));
  }
  assert.deepEqual([check.fault(), check.wholeFault()], [null, null]);
  move(venue.state);
  assert.equal(check.fault(), null);
  assert.match(check.wholeFault()!, /^account 0: its ledger sums to \d+ micros, its cash is \d+$/);
});

test('given cash that moved without an event, then the audit tells the next snapshot, or the end, and the account', (t) => {
  const folder = temporaryFolder(t);
  const { lastSeq, snapshots } = makeFolder(folder);
  for (const [at, found] of [[snapshots[0]!, snapshots[0]!], [lastSeq, lastSeq]] as const) {
    let state: State | null = null;
    assert.throws(() => auditFolder({
      dataFolder: folder, name: 'Strikebook', chainId: 998, fromSnapshot: false, knownHead: null, onProgress: () => undefined,
      onState: (replayed) => { state = replayed; },
      onRecord: () => { if (state!.clock[SEQ] === at) move(state!); },
    }), (error) => error instanceof Unsound && error.seq === found && /account 0: its ledger sums to/.test(error.message));
  }
});
