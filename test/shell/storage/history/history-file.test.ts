// The history file at opening: missing, of another venue, of another version, damaged in any page. It is used only if it is what was
// written; otherwise it is kept under another name and an empty store replaces it. Damage that is found later does the same.

import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HistoryRefusal } from '../../../../shell/storage/history/history-errors.ts';
import { appliedSeqOf, usableSeqOf } from '../../../../shell/storage/history/history-file.ts';
import { emptyRows } from '../../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { generator } from '../journal/support.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, batchOf, pageOf, queriesAbout } from './support.ts';

const END = 400;
const DONE = batchOf(1, END);
const PAGE_BYTES = 4096;

/** A folder with the rows of commands 1 .. END, closed, in one file. */
function filled(folder: string): string {
  const store = HistoryStore.open(folder, VENUE);
  store.commit([DONE]);
  store.close();
  const path = join(folder, 'history.db');
  assert.equal(fs.existsSync(`${path}-wal`), false);
  return path;
}

/** Everything the store answers is what the array says, as of the seq that it claims. */
function checkAgainst(store: HistoryStore): void {
  const { rows } = store.appliedSeq === 0 ? { rows: emptyRows() } : DONE;
  for (let seed = 0; seed < 6; seed++) {
    for (const query of queriesAbout(DONE.rows, generator(seed))) assert.deepEqual(store.answer(query), pageOf(rows, query));
  }
}

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

test('a store is found as it was left, and a deleted one starts at 0', (t) => {
  const folder = temporaryFolder(t);
  const path = filled(folder);
  const again = HistoryStore.open(folder, VENUE);
  assert.deepEqual([again.appliedSeq, again.notice], [END, null]);
  checkAgainst(again);
  again.close();
  fs.unlinkSync(path);
  const fresh = HistoryStore.open(folder, VENUE);
  assert.deepEqual([fresh.appliedSeq, fresh.notice], [0, null]);
  checkAgainst(fresh);
  fresh.close();
});

test("another venue's store is refused by name and left as it is", (t) => {
  const folder = temporaryFolder(t);
  const path = filled(folder);
  const before = fs.readFileSync(path);
  assert.throws(() => HistoryStore.open(folder, 'feedfeedfeedfeed'), (error) => (
    error instanceof HistoryRefusal && error.message === `history.db is of venue ${VENUE}, this folder of feedfeedfeedfeed`
  ));
  assert.ok(before.equals(fs.readFileSync(path)));
  assert.deepEqual(fs.readdirSync(folder), ['history.db']);
  assert.throws(() => HistoryStore.open(folder, 'not a venue'), RangeError);
});

for (const [name, spoil] of [
  ['no database at all', (path) => fs.writeFileSync(path, 'x'.repeat(10_000))],
  ['cut after its header', (path) => fs.truncateSync(path, 100)],
  ['cut in the middle', (path) => fs.truncateSync(path, Math.floor(fs.statSync(path).size / 2 / PAGE_BYTES) * PAGE_BYTES)],
  ['another applied seq', (path) => change(path, 'UPDATE meta SET applied_seq = applied_seq + 1')],
  ['another venue without its hash', (path) => change(path, "UPDATE meta SET venue = 'feedfeedfeedfeed'")],
  ['no meta row', (path) => change(path, 'DELETE FROM meta')],
  ['two meta rows', (path) => change(path, 'INSERT INTO meta SELECT * FROM meta')],
  ['no meta table', (path) => change(path, 'DROP TABLE meta')],
  ['another version', (path) => change(path, 'PRAGMA user_version=2')],
  ['an index is missing', (path) => change(path, 'DROP INDEX orders_by_id')],
  ['a trade above its end', (path) => change(path, `UPDATE trades SET seq = ${END + 1} WHERE ordinal = (SELECT max(ordinal) FROM trades)`)],
  ["another program's database", (path) => { fs.unlinkSync(path); change(path, 'CREATE TABLE meta (a); PRAGMA user_version = 1'); }],
] as [string, (path: string) => void][]) {
  test(`${name}: the file is set aside with a notice, and an empty store begins`, (t) => {
    const folder = temporaryFolder(t);
    const path = filled(folder);
    spoil(path);
    const bytes = fs.readFileSync(path);
    const store = HistoryStore.open(folder, VENUE);
    assert.equal(store.appliedSeq, 0);
    assert.match(store.notice ?? '', /^history_set_aside: history\.db cannot be used \(.+\); kept as .*history\.aside-1\.db/);
    assert.ok(bytes.equals(fs.readFileSync(join(folder, 'history.aside-1.db'))));
    assert.equal(store.commit([DONE]), END);
    checkAgainst(store);
    store.close();
    fs.writeFileSync(path, 'damaged again, and more than once');
    const second = HistoryStore.open(folder, VENUE);
    assert.match(second.notice ?? '', /history\.aside-2\.db/);
    second.close();
  });
}

test('with any page overwritten the seq is never wrong; damage that is found sets the file aside', (t) => {
  const folder = temporaryFolder(t);
  const path = filled(folder);
  const sound = fs.readFileSync(path);
  let met = 0;
  for (let at = 0; at < sound.length; at += PAGE_BYTES) {
    for (const name of fs.readdirSync(folder)) fs.unlinkSync(join(folder, name));
    const spoiled = Buffer.from(sound);
    spoiled.fill(0xa5, at, at + PAGE_BYTES);
    fs.writeFileSync(path, spoiled);
    const store = HistoryStore.open(folder, VENUE);
    assert.ok(store.appliedSeq === END || (store.appliedSeq === 0 && store.notice !== null), `page at ${at}: ${store.appliedSeq}`);
    let failure: unknown = null;
    try {
      checkAgainst(store);
    } catch (error) {
      failure = error;
    }
    if (failure === null) {
      store.close();
    } else {
      assert.ok(failure instanceof HistoryRefusal, `page at ${at}: ${String(failure)}`);
      assert.match(failure.message, /^history_set_aside: /);
      assert.throws(() => store.commit([]), /^HistoryRefusal: the history store is out of use: /);
      const next = HistoryStore.open(folder, VENUE);
      assert.equal(next.appliedSeq, 0);
      next.commit([DONE]);
      checkAgainst(next);
      next.close();
      met++;
    }
  }
  assert.ok(met > 5, `damage met in ${met} pages`);
});

test('a cut or damaged WAL leaves a committed prefix that matches its seq', (t) => {
  const folder = temporaryFolder(t);
  const store = HistoryStore.open(folder, VENUE);
  // A reader that stands still keeps every checkpoint from moving a page, so that all there is lies in the WAL. (A WAL that
  // is damaged behind a checkpoint may leave newer pages beside older ones: only the rows' source, the journal, notices that.)
  const reader = new Database(join(folder, 'history.db'), { readonly: true });
  reader.exec('BEGIN; SELECT * FROM sqlite_schema');
  for (let seq = 0; seq < END; seq += 20) store.commit([batchOf(seq + 1, seq + 20)]);
  const copies = ['history.db', 'history.db-wal'].map((name) => fs.readFileSync(join(folder, name)));
  reader.close();
  store.close();
  const wal = copies[1]!;
  const random = generator(7);
  const ends = new Set<number>();
  for (let run = 0; run < 60; run++) {
    const other = temporaryFolder(t);
    const damaged = Buffer.from(wal);
    const at = Math.floor(random() * wal.length);
    damaged[at] = damaged[at]! ^ (1 << Math.floor(random() * 8));
    fs.writeFileSync(join(other, 'history.db'), copies[0]!);
    fs.writeFileSync(join(other, 'history.db-wal'), run % 2 === 0 ? damaged : damaged.subarray(0, at));
    const opened = HistoryStore.open(other, VENUE);
    const { appliedSeq } = opened;
    const rows = appliedSeq === 0 ? emptyRows() : batchOf(1, appliedSeq).rows;
    for (const query of queriesAbout(DONE.rows, random)) assert.deepEqual(opened.answer(query), pageOf(rows, query));
    assert.equal(opened.commit([DONE]), END);
    checkAgainst(opened);
    opened.close();
    ends.add(appliedSeq);
  }
  assert.ok(ends.size > 3 && [...ends].every((seq) => seq % 20 === 0), [...ends].join());
});

test('the applied seq of any store file can be read without changing it', (t) => {
  const folder = temporaryFolder(t);
  assert.equal(appliedSeqOf(folder, VENUE), null);
  const path = filled(folder);
  const unchanged = (): number | null => {
    const before = fs.readFileSync(path);
    const seq = appliedSeqOf(folder, VENUE);
    assert.ok([null, seq].includes(usableSeqOf(folder, VENUE)));
    assert.deepEqual(fs.readFileSync(path), before);
    return seq;
  };
  assert.equal(usableSeqOf(folder, VENUE), END);
  assert.equal(unchanged(), END);
  const older = createHash('sha256').update(`history 1 ${VENUE} ${END}`).digest('hex');
  change(path, `PRAGMA user_version = 1; DROP TABLE scores; UPDATE meta SET hash = x'${older}'`);
  assert.equal(unchanged(), END);
  assert.equal(usableSeqOf(folder, VENUE), null);
  assert.throws(() => appliedSeqOf(folder, 'ffffffffffffffff'), /^HistoryRefusal: history.db is of venue /);
  change(path, 'UPDATE meta SET applied_seq = 1');
  assert.equal(unchanged(), null);
  for (const rubbish of ['', 'no database'.repeat(1_000)]) {
    fs.writeFileSync(path, rubbish);
    assert.equal(unchanged(), null);
  }
});

test('a store whose creation was killed has no seq, and is created again', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'history.db');
  const child = `
    import Database from 'better-sqlite3';
    const db = new Database(${JSON.stringify(path)});
    db.exec('PRAGMA cache_size=1; BEGIN; CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(1000000)); PRAGMA cache_spill=1');
    for (let i = 0; i < 50; i++) db.exec('INSERT INTO a VALUES (zeroblob(100000))');
    process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['--input-type=module', '-e', child], { cwd: fileURLToPath(new URL('../../../..', import.meta.url)) });
  assert.ok(fs.statSync(`${path}-journal`).size > 0);
  assert.equal(appliedSeqOf(folder, VENUE), null);
  HistoryStore.open(folder, VENUE).close();
  assert.equal(appliedSeqOf(folder, VENUE), 0);
});
