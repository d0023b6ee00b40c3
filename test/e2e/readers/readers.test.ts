// Readers see a prefix of what happened (evidence F16; `npm run readers` is the long run), and the stream check of that run notices the
// faults it exists for.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { temporaryFolder } from '../../support/temporary.ts';
import { NEEDED, readersRun } from './run.ts';
import { StreamCheck } from './stream-check.ts';

/** At least. */
const SECONDS = process.env['STRIKEBOOK_LONG'] === '1' ? 60 : 8;

const folder = temporaryFolder({ after });

/** What a wallet makes of these messages. */
function faultsOf(messages: readonly object[], isResumed = false): string[] {
  const faults: string[] = [];
  const told = new StreamCheck((text) => faults.push(text));
  told.isResumed = isResumed;
  for (const message of messages) told.take(message, JSON.stringify(message));
  return faults;
}

const fill = (seq: number, order_id: number, size: string) => ({ type: 'Fill', seq, order_id, symbol: 'S', side: 'Buy', size });
const update = (seq: number, order_id: number, status: string, filled_size: string) => ({
  type: 'OrderUpdate', seq, order_id, status, filled_size,
});

test('the stream check accepts correct messages, also repeated ones', () => {
  const story = [
    update(1, 1, 'ACKED', '0'), fill(1, 1, '0.5'), update(2, 1, 'PARTIALLY_FILLED', '0.5'), fill(1, 1, '0.5'), fill(2, 1, '1'),
    update(3, 1, 'FILLED', '1.5'), update(2, 1, 'PARTIALLY_FILLED', '0.5'), update(4, 2, 'REJECTED', '0'),
  ];
  assert.deepEqual(faultsOf(story), []);
  const takenUp = [fill(1, 1, '1'), fill(2, 1, '1'), update(1, 1, 'PARTIALLY_FILLED', '1'), update(2, 1, 'FILLED', '2')];
  assert.deepEqual(faultsOf(takenUp, true), []);
});

test('the stream check notices a gap, a changed repeat, an order before its fills, and updates after the end', () => {
  const stories: readonly (readonly [RegExp, readonly object[]])[] = [
    [/^after seq 1 comes /, [fill(1, 1, '1'), fill(3, 1, '1')]],
    [/^told otherwise: /, [fill(1, 1, '1'), fill(1, 1, '2')]],
    [/^order 1 is FILLED with 1000000 filled, its fills told are 0$/, [update(1, 1, 'FILLED', '1')]],
    [/^order 1 is PARTIALLY_FILLED with 0 filled, its fills told are 1000000$/, [fill(1, 1, '1'), update(1, 1, 'PARTIALLY_FILLED', '0')]],
    [/^order 1 is OPEN after it was CANCELED$/, [update(1, 1, 'CANCELED', '0'), update(2, 1, 'OPEN', '0')]],
    [/^a fill of order 1, which was CANCELED$/, [update(1, 1, 'CANCELED', '0'), fill(1, 1, '1')]],
  ];
  for (const [fault, story] of stories) assert.match(faultsOf(story).join('; '), fault);
  assert.match(faultsOf([update(1, 1, 'PARTIALLY_FILLED', '1')], true).join(), /its fills told are 0$/);
});

test('clients that trade, listen and read at once see a prefix, in order and without a gap', async (t) => {
  const { counts, faults, audit } = await readersRun({ folder, clients: 16, seconds: SECONDS, seed: 20_261_126, rate: 120 });
  t.diagnostic([...counts].sort().map(([what, times]) => `${what}: ${times}`).join(', '));
  assert.deepEqual(faults, []);
  assert.deepEqual(NEEDED.filter((what) => (counts.get(what) ?? 0) === 0), [], 'what never happened proves nothing');
  assert.ok(audit.isSound, audit.verdict);
});
