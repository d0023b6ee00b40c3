// A command that fails when applied is skipped only because the journal's chain says so. A start with --quarantine that is refused after
// recovery leaves nothing behind that would let the next start skip it without the flag.

import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BEHAVIOUR, CODEC } from '../../../core/version.ts';
import { venueId } from '../../../shell/storage/journal/venue-identity.ts';
import { listSnapshots } from '../../../shell/storage/journal/snapshot-read.ts';
import { JournalWriter } from '../../../shell/storage/journal/writer.ts';
import { RecordWriter } from '../../support/records.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { slowFolder } from './slow-folder.ts';
import { refused } from './refused.ts';

/** Appends a cancel of a wallet that has no account, signed by another: admission would never let it through. Returns its seq. */
function appendPoison(dataFolder: string, seq: number): number {
  const write = new RecordWriter();
  const { u8, u32 } = write.cancel(900, 1, 1, 901);
  write.stamp(seq, Date.now());
  const writer = JournalWriter.open({
    dataFolder, venue: venueId(dataFolder), behaviour: BEHAVIOUR, codec: CODEC, durability: 'normal', time: Date.now(),
  });
  writer.append(u8.slice(0, u32[0]), seq, seq);
  writer.close();
  return seq;
}

test('when a start with --quarantine is refused, the next start still needs the flag', { timeout: 120_000 }, async (t) => {
  const data = temporaryFolder(t);
  const poison = appendPoison(data, slowFolder(data, 50) + 1);
  const flags = ['--feed', 'manual', '--workers', '1'];
  const skipping = [...flags, '--quarantine', String(poison)];
  const start = (args: readonly string[]): string => refused(['--port', '0', '--data', data, ...args]);
  const failed = new RegExp(`command ${poison} \\(kind \\d+\\) failed when applied: .*start with --quarantine ${poison} `);
  assert.match(start(flags), failed);
  // The signing domain of what comes next cannot be named.
  const barrier = join(data, 'venue.json.tmp');
  mkdirSync(barrier);
  assert.match(start(skipping), /venue\.json\.tmp/);
  rmdirSync(barrier);
  assert.deepEqual(listSnapshots(data), []);
  assert.match(start(flags), failed);
  for (const again of [skipping, flags]) {
    const { venue } = await runningVenue(t, { data, flags: again });
    assert.equal((await venue.stop()).code, 0);
  }
});
