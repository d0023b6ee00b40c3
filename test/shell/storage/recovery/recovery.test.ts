// Recovery of core and journal: equal state from the journal alone, from any snapshot, past a quarantined command; refusals by name
// (another behaviour, a command that fails, a journal that ends early).

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { CANCEL_ORDER } from '../../../../core/codec/commands.ts';
import { SMALL } from '../../../../core/limits.ts';
import { defaultSettings, DEFAULT_BALANCE } from '../../../../core/settings.ts';
import { SEQ } from '../../../../core/engine/state.ts';
import { BEHAVIOUR, CODEC } from '../../../../core/version.ts';
import { recover, snapshotSections } from '../../../../shell/storage/recovery.ts';
import { CommandFailed, SnapshotMismatch, VersionMismatch } from '../../../../shell/storage/recovery-errors.ts';
import { JournalRefusal } from '../../../../shell/storage/journal/journal-errors.ts';
import { writeSnapshot } from '../../../../shell/storage/journal/snapshot-write.ts';
import { quarantineRecord } from '../../../../shell/process/venue-commands.ts';
import { hashOf } from '../../../support/venue.ts';
import { freshFolder, JournaledVenue, openWriter } from './support.ts';

/** A chain of orders that rest, cross and are cancelled, `count` commands of four wallets. */
function trade(venue: JournaledVenue, count: number, nonce: number): void {
  const { instruments } = venue.state;
  for (let i = 0; i < count; i++) {
    const slot = (i * 7) % instruments.counters[0]!;
    const contract = {
      underlying: instruments.underlying[slot] === 0 ? 'BTC' : 'ETH', expiry: instruments.expiry[slot]!,
      strike: instruments.strike[slot]!, kind: instruments.kind[slot]!,
    };
    const wallet = i % 4;
    if (i % 11 === 10) venue.send(venue.write.cancel(wallet, nonce + i, venue.state.orders.counters[0]!));
    else venue.send(venue.write.place({ ...contract, wallet, nonce: nonce + i, side: i % 2, price: 50e6 + (i % 5) * 1e6, size: 1e4 }));
    if (i % 5 === 4) venue.flush();
  }
  venue.flush();
}

function started(folder: string): JournaledVenue {
  const venue = new JournaledVenue(openWriter(folder));
  venue.open();
  venue.flush();
  return venue;
}

test('the journal alone gives the same state', () => {
  const { folder, remove } = freshFolder();
  const venue = started(folder);
  trade(venue, 300, 1);
  venue.writer.close();
  const { state, snapshotSeq } = recover({ dataFolder: folder, limits: SMALL });
  assert.equal(snapshotSeq, 0);
  assert.equal(hashOf(state), venue.hash());
  remove();
});

test('a snapshot and the journal after it give the same state, and the venue continues alike', () => {
  const { folder, remove } = freshFolder();
  const venue = started(folder);
  trade(venue, 120, 1);
  venue.snapshot(folder);
  const at = venue.seq();
  trade(venue, 120, 1_000);
  venue.writer.close();
  const { state, snapshotSeq } = recover({ dataFolder: folder, limits: SMALL });
  assert.equal(snapshotSeq, at);
  assert.equal(hashOf(state), venue.hash());
  const again = new JournaledVenue(openWriter(folder), state);
  trade(again, 60, 5_000);
  trade(new JournaledVenue(again.writer, recover({ dataFolder: folder, limits: SMALL }).state), 0, 0);
  assert.equal(hashOf(recover({ dataFolder: folder, limits: SMALL }).state), again.hash());
  again.writer.close();
  remove();
});

test('recovery stops at the requested seq and uses no snapshot beyond it', () => {
  const { folder, remove } = freshFolder();
  const venue = started(folder);
  trade(venue, 50, 1);
  const middle = venue.seq();
  const hash = venue.hash();
  trade(venue, 50, 500);
  venue.snapshot(folder);
  venue.writer.close();
  const { state } = recover({ dataFolder: folder, limits: SMALL, toSeq: middle });
  assert.equal(state.clock[SEQ], middle);
  assert.equal(hashOf(state), hash);
  remove();
});

test('a start with changed settings recovers with the old ones and then applies the new', () => {
  const { folder, remove } = freshFolder();
  const venue = started(folder);
  trade(venue, 20, 1);
  const values = defaultSettings();
  values[DEFAULT_BALANCE] = 5e12;
  venue.venue(venue.write.configure(values));
  trade(venue, 20, 100);
  const { state } = venue;
  const slot = 3;
  const contract = { underlying: 'BTC', expiry: state.instruments.expiry[slot]!, strike: state.instruments.strike[slot]!, kind: 0 };
  venue.send(venue.write.place({ ...contract, wallet: 77, nonce: 1, side: 0, price: 1e6, size: 1e4 }));
  venue.flush();
  venue.writer.close();
  const recovered = recover({ dataFolder: folder, limits: SMALL }).state;
  assert.equal(hashOf(recovered), venue.hash());
  const last = recovered.accounts.counters[0]! - 1;
  assert.equal(recovered.accounts.cash[last], 5e12);
  assert.equal(recovered.accounts.cash[0]! > 5e12, true);
  remove();
});

/** Appends a cancel of a wallet that has no account, signed by another: admission would never let it through. */
function appendPoison(venue: JournaledVenue): number {
  const views = venue.write.cancel(900, 1, 1, 901);
  venue.write.stamp(venue.seq() + 1, venue.now);
  venue.log.kept.push(views.u8.slice(0, views.u32[0]!));
  venue.flush();
  return venue.seq() + 1;
}

test('a command that fails when applied is named, and skipped only by a quarantine in the chain', () => {
  const { folder, remove } = freshFolder();
  const venue = started(folder);
  trade(venue, 30, 1);
  const hash = venue.hash();
  const seq = appendPoison(venue);
  assert.throws(() => recover({ dataFolder: folder, limits: SMALL }), (error) => (
    error instanceof CommandFailed && error.message.startsWith(`command ${seq} (kind ${CANCEL_ORDER}) failed when applied: `)
  ));
  const { state } = recover({ dataFolder: folder, limits: SMALL, skip: [seq] });
  assert.equal(state.clock[SEQ], seq);
  assert.notEqual(hashOf(state), hash, 'its seq is used');
  const after = new JournaledVenue(venue.writer, state);
  after.venue(quarantineRecord(seq));
  after.flush();
  trade(after, 30, 300);
  after.writer.close();
  assert.equal(hashOf(recover({ dataFolder: folder, limits: SMALL }).state), after.hash(), 'from then on the chain says so itself');
  remove();
});

test('a quarantine of one command does not skip another', () => {
  const { folder, remove } = freshFolder();
  const venue = started(folder);
  trade(venue, 10, 1);
  venue.venue(quarantineRecord(3));
  venue.flush();
  const seq = appendPoison(venue);
  venue.writer.close();
  assert.throws(() => recover({ dataFolder: folder, limits: SMALL }), (error) => error instanceof CommandFailed && error.seq === seq);
  remove();
});

for (const [name, version] of [['behaviour', { behaviour: BEHAVIOUR + 1 }], ['codec', { codec: CODEC + 1 }]] as const) {
  test(`a journal of another ${name} is refused by name, unless a snapshot is at its very end`, () => {
    const { folder, remove } = freshFolder();
    const venue = new JournaledVenue(openWriter(folder, version));
    venue.open();
    venue.flush();
    trade(venue, 20, 1);
    assert.throws(() => recover({ dataFolder: folder, limits: SMALL }), (error) => (
      error instanceof VersionMismatch && error.message.includes(`${name} ${Object.values(version)[0]}`)
      // This one is the older, where an upgrade was taken back.
      && error.message.includes('start the version that wrote it and stop it cleanly')
    ));
    writeSnapshot(folder, { ...venue.snapshotHead(folder), ...version }, snapshotSections(venue.state));
    venue.writer.close();
    const { state } = recover({ dataFolder: folder, limits: SMALL });
    assert.equal(hashOf(state), venue.hash());
    const next = new JournaledVenue(openWriter(folder), state);
    trade(next, 20, 900);
    next.writer.close();
    assert.equal(hashOf(recover({ dataFolder: folder, limits: SMALL }).state), next.hash());
    remove();
  });
}

test('a snapshot with another state layout is refused by name: a section added, missing or of another type', () => {
  const { folder, remove } = freshFolder();
  const venue = new JournaledVenue(openWriter(folder));
  venue.open();
  trade(venue, 20, 1);
  const head = venue.snapshotHead(folder);
  const sections = snapshotSections(venue.state);
  const changed = [
    ['orders.gone', [...sections, { ...sections[0]!, name: 'orders.gone' }]],
    ['orders.details', sections.filter(({ name }) => name !== 'orders.details')],
    ['clock', sections.map((one) => (one.name === 'clock' ? { ...one, type: 'i32' as const, elements: one.elements * 2 } : one))],
  ] as const;
  for (const [name, written] of changed) {
    writeSnapshot(folder, { ...head, behaviour: BEHAVIOUR - 1 }, written);
    assert.throws(() => recover({ dataFolder: folder, limits: SMALL }), (error) => (
      error instanceof SnapshotMismatch && error.message.includes(`(section ${name})`)
      && error.message.includes(`behaviour ${BEHAVIOUR - 1}`)
    ));
  }
  venue.writer.close();
  remove();
});

test('a snapshot beyond the journal\'s end is refused by name', () => {
  const { folder, remove } = freshFolder();
  const { folder: other, remove: removeOther } = freshFolder();
  const venue = started(folder);
  trade(venue, 20, 1);
  venue.writer.close();
  const longer = started(other);
  trade(longer, 60, 1);
  longer.snapshot(other);
  longer.writer.close();
  moveSnapshots(other, folder);
  assert.throws(() => recover({ dataFolder: folder, limits: SMALL }), (error) => (
    error instanceof JournalRefusal && /ends at seq/.test(error.message)
  ));
  remove();
  removeOther();
});

test('counters that start just below 2^31 and 2^32 recover and continue', () => {
  for (const edge of [2 ** 31, 2 ** 32]) {
    const { folder, remove } = freshFolder();
    const venue = started(folder);
    for (let i = 0; i < 3; i++) venue.state.orders.counters[i] = edge - 20;
    venue.snapshot(folder);
    trade(venue, 120, 1);
    assert.ok(venue.state.orders.counters[0]! > edge);
    venue.writer.close();
    const { state } = recover({ dataFolder: folder, limits: SMALL });
    assert.equal(hashOf(state), venue.hash());
    remove();
  }
});

test('a process killed at random moments loses no command that it reported durable', async () => {
  const { folder, remove } = freshFolder();
  let reported = 0;
  for (let cycle = 0; cycle < 6; cycle++) {
    const child = spawn(process.execPath, [new URL('./child.ts', import.meta.url).pathname, folder, String(cycle)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    let isOver = false;
    const closed = once(child, 'close').then(() => { isOver = true; });
    // A later cycle may die within its recovery; the first ones must get to work, however slow the machine is.
    while (cycle < 3 && text.split('\n').length < 20) {
      assert.ok(!isOver, `cycle ${cycle}: the child ended by itself`);
      await Promise.race([once(child.stdout, 'data'), closed]);
    }
    setTimeout(() => child.kill('SIGKILL'), 100 + ((cycle * 2_654_435_761) % 700));
    await closed;
    const lines = text.split('\n').slice(0, -1).map((line) => line.split(' '));
    for (const [seq] of lines) reported = Math.max(reported, Number(seq));
    const { state } = recover({ dataFolder: folder, limits: SMALL });
    assert.ok(state.clock[SEQ]! >= reported, `cycle ${cycle}: reported ${reported}, recovered ${state.clock[SEQ]}`);
    for (const [seq, hash] of lines) {
      if (Number(seq) !== state.clock[SEQ]) continue;
      assert.equal(hashOf(state), hash, `state at ${seq}`);
    }
  }
  assert.ok(reported > 100, `only ${reported} commands were made`);
  remove();
});

function moveSnapshots(from: string, to: string): void {
  cpSync(join(from, 'snapshots'), join(to, 'snapshots'), { recursive: true });
}
