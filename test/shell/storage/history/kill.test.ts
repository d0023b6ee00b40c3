// A real process that is killed with SIGKILL at random moments while its history thread takes and commits at full speed, or while it
// holds rows that it will not commit for long. Afterwards the rows of every command up to the applied seq exist and none above, and what
// was reported as committed exists. (A kill leaves the page cache. A power cut may lose the last commits; the journal then rebuilds
// them.)

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import type { HistoryQuery } from '../../../../shell/storage/history/protocol.ts';
import { generator } from '../journal/support.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, batchOf, pageOf, walletOf } from './support.ts';

const CYCLES = process.env['STRIKEBOOK_LONG'] === '1' ? 500 : 8;
const CHILD = join(import.meta.dirname, 'child.ts');
/** A store is checked whole after each kill, so it may not grow without end. */
const CYCLES_OF_A_STORE = 8;
/** Commands in a batch, ten of which are on their way: too few to be taken before their moment, and enough to be taken at once. */
const [FEW, MANY] = [40, 200];
const ALL = { limit: 1_000_000, skip: 0 };
const WALLETS = [0, 1, 2, 3, 4].map(walletOf);
const EVERYTHING: HistoryQuery[] = [
  { name: 'trades', ...ALL }, { name: 'trades', underlying: 'BTC', ...ALL }, { name: 'trades', symbol: 'ETH-PERP', ...ALL },
  ...WALLETS.flatMap((wallet): HistoryQuery[] => [
    { name: 'fills', wallet, ...ALL }, { name: 'orders', wallet, ending: null, ...ALL },
    { name: 'orders', wallet, ending: 'canceled', ...ALL }, { name: 'payouts', wallet, ...ALL },
  ]),
];

test(`${CYCLES} kills: rows match the applied seq, and no reported commit is lost`, { timeout: CYCLES * 20_000 }, async (t) => {
  const random = generator(CYCLES);
  let folder = '';
  let told = 0;
  let most = 0;
  let uncommitted = 0;
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    if (cycle % CYCLES_OF_A_STORE === 0) [folder, told] = [temporaryFolder(t), 0];
    const isBusy = cycle % 2 === 0;
    const child = spawn(process.execPath, [CHILD, folder, String(isBusy ? MANY : FEW)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    let taken = 0;
    const underWay = new Promise<void>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [what, seq] = line.split(' ') as [string, string];
        if (what === 'taken') taken = Number(seq);
        else told = Math.max(told, Number(seq));
        if (what === (isBusy ? 'opened' : 'committed')) resolve();
      });
    });
    await Promise.race([underWay, ended]);
    await sleep(random() * (isBusy ? 400 : 1_000));
    assert.ok(child.kill('SIGKILL'), 'the child ran until it was killed');
    await ended;
    if (taken > told) uncommitted++;
    most = Math.max(most, told);
    const store = HistoryStore.open(folder, VENUE);
    assert.equal(store.notice, null);
    const { appliedSeq } = store;
    assert.ok(appliedSeq >= told, `cycle ${cycle}: told ${told}, found ${appliedSeq}`);
    const { rows } = batchOf(1, appliedSeq);
    for (const query of EVERYTHING) assert.deepEqual(store.answer(query), pageOf(rows, query), `cycle ${cycle}: ${JSON.stringify(query)}`);
    for (const row of rows.outcomes.slice(-200)) {
      assert.deepEqual(store.answer({ name: 'outcome', wallet: row.wallet, nonce: row.nonce }), [row]);
    }
    for (const { wallet, nonce } of batchOf(appliedSeq + 1, appliedSeq + 400).rows.outcomes) {
      assert.deepEqual(store.answer({ name: 'outcome', wallet, nonce }), []);
    }
    store.close();
  }
  assert.ok(most > 1_000, `only ${most} commands`);
  assert.ok(uncommitted > 0, 'no kill had anything taken and not committed');
});
