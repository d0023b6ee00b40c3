// How much value two wallets may pass each other by their prices in a competition: a sum in total, and nothing once one address has
// signed orders for both. An approval alone proves nothing. The same from a rebuilt history and after restarts.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { OK } from '../../../core/errors.ts';
import { BUY, IOC, SELL } from '../../../core/units.ts';
import { COMPETITION_PAIR_VALUE, defaultSettings } from '../../../core/settings.ts';
import { createState } from '../../../core/engine/state.ts';
import { AGENTS_PER_WALLET, SMALL } from '../../../core/limits.ts';
import { Dealings } from '../../../shell/reader/competitions/dealings.ts';
import { emptyRows, type HistoryQuery } from '../../../shell/storage/history/protocol.ts';
import type { HistoryLink } from '../../../shell/reader/history/link.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { START, TestVenue, type VenueOptions } from '../../support/venue.ts';
import { RestartedReader, Log } from './restarted-reader.ts';
import { Bench, CALL_100, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const AGENT = 77;

type Score = { readonly volume: number; readonly adjustment: number };

/** A competition that has run for a minute, and another that begins in an hour. */
class Arena {
  readonly bench: Bench;
  readonly slot: number;

  constructor(t: TestContext, options: VenueOptions = {}) {
    this.bench = new Bench(t, { venue: new TestVenue(options).open() });
    const { venue } = this.bench;
    [this.slot] = venue.slots((one) => (
      one.expiry === CALL_100.expiry && one.strike === CALL_100.strike && one.kind === CALL_100.kind && one.underlying === 'BTC'
    )) as [number];
    for (const [start, end] of [[START, START + 5 * HOUR], [START + HOUR, START + 6 * HOUR]] as const) {
      venue.venue(venue.write.competition(start, end, 7, 0, ['Spring', '', '', '']));
    }
    this.advance(MINUTE);
  }

  get mark(): number {
    return this.bench.reader.state.valuation.mark[this.slot]!;
  }

  /** A price of five figures so many USDC above the mark. */
  above(dollars: number): number {
    return Math.round((this.mark / USDC + dollars) * 10) / 10 * USDC;
  }

  advance(ms: number): void {
    this.bench.venue.advance(ms);
    this.bench.feed();
  }

  trade(buyer: number, seller: number, price: number, size: number, signers: { buyer?: number; seller?: number } = {}): void {
    const order = (wallet: number, signer: number | undefined) => (
      { wallet, price, size: Math.round(size * ONE), ...(signer === undefined ? {} : { signer }) }
    );
    assert.equal(this.bench.place({ ...order(seller, signers.seller), side: SELL }), OK);
    assert.equal(this.bench.place({ ...order(buyer, signers.buyer), side: BUY, tif: IOC }), OK);
  }

  approve(wallet: number, agent = AGENT): void {
    const { venue } = this.bench;
    assert.equal(venue.send(venue.write.agent('approve', wallet, ++this.bench.nonce + 5_000, agent)), OK);
    this.bench.feed();
  }

  /** Sums of a wallet's scores in a competition so far, micros, and cents of volume. */
  score(wallet: number, competition = 1): Score {
    return sum(this.bench.reader.rows.rows.scores.filter((row) => row.wallet === walletText(wallet) && row.competition === competition));
  }
}

function sum(rows: readonly Score[]): Score {
  return rows.reduce((all, row) => (
    { volume: all.volume + row.volume, adjustment: all.adjustment + row.adjustment }
  ), { volume: 0, adjustment: 0 });
}

test('two wallets cannot pass each other a million in twelve orders: 1,000 USDC in total count', (t) => {
  const arena = new Arena(t);
  let given = 0;
  for (let i = 0; i < 6; i++) {
    const price = arena.above(100);
    given += (price - arena.mark) * 100;
    arena.trade(1, 2, price, 100);
  }
  assert.ok(given > 50_000 * USDC);
  // The buyer gets back all but 1,000, which the seller loses again.
  assert.equal(arena.score(1).adjustment, given - 1_000 * USDC);
  assert.equal(arena.score(2).adjustment, 1_000 * USDC - given);
  assert.ok(arena.score(1).volume > 0, 'what was traded is volume all the same');
});

test('the sum is per pair, in either direction, whoever takes; a fill at the mark uses none of it', (t) => {
  const arena = new Arena(t);
  const away = (dollars: number): number => arena.above(dollars) - arena.mark;
  arena.trade(1, 2, arena.above(50), 10);
  arena.trade(2, 1, arena.above(-40), 10);
  assert.equal(arena.score(1).adjustment, 0);
  const left = 1_000 * USDC - 10 * away(50) + 10 * away(-40);
  assert.ok(left > 0 && left < 200 * USDC);
  const [before, over] = [arena.score(1).adjustment, 10 * away(60)];
  arena.trade(1, 2, arena.above(60), 10);
  assert.equal(arena.score(1).adjustment - before, over - left);
  const other = arena.score(3).adjustment;
  arena.trade(3, 2, arena.above(60), 10);
  assert.equal(arena.score(3).adjustment, other, 'another pair has a sum of its own');
});

test('value beyond the bound per fill and the pair\'s sum is removed from the scores', (t) => {
  const arena = new Arena(t);
  const price = 4_000 * USDC;
  arena.trade(1, 2, price, 100);
  assert.equal(arena.score(1).adjustment, (price - arena.mark) * 100 - 1_000 * USDC);
});

test('the sum per pair is a setting', (t) => {
  const settings = defaultSettings();
  settings[COMPETITION_PAIR_VALUE] = 0;
  const arena = new Arena(t, { settings });
  const price = arena.above(10);
  arena.trade(1, 2, price, 1);
  assert.equal(arena.score(1).adjustment, price - arena.mark);
});

test('each competition has its own sum per pair', (t) => {
  const arena = new Arena(t);
  arena.trade(1, 2, arena.above(50), 100);
  arena.advance(HOUR);
  const price = arena.above(50);
  const away = (price - arena.mark) * 5;
  arena.trade(1, 2, price, 5);
  assert.equal(arena.score(1, 2).adjustment, 0, 'of the second one nothing has counted yet');
  assert.ok(arena.score(1, 1).adjustment >= away);
});

test('a stranger\'s approval of a maker or its agent takes nothing from the maker\'s score', (t) => {
  const arena = new Arena(t);
  arena.approve(1);
  arena.trade(2, 1, arena.above(10), 1, { seller: AGENT });
  // The stranger, wallet 3, approves the maker's agent and the maker itself, and trades with it.
  arena.approve(3);
  arena.approve(3, 1);
  const [before] = [arena.score(1)];
  arena.trade(3, 1, arena.above(10), 1, { seller: AGENT });
  assert.equal(arena.score(1).adjustment, before.adjustment);
  assert.ok(arena.score(1).volume > before.volume && arena.score(3).volume > 0);
});

test('once an agent has signed for both wallets, later fills between them do not count; earlier ones do', (t) => {
  const arena = new Arena(t);
  for (const wallet of [1, 2]) arena.approve(wallet);
  arena.trade(1, 2, arena.above(10), 1);
  arena.trade(1, 3, arena.above(10), 1, { buyer: AGENT });
  const one = arena.score(1);
  arena.trade(1, 2, arena.above(10), 1);
  assert.equal(arena.score(1).adjustment, one.adjustment, 'it has signed for one of them only');
  const before = arena.score(1);
  // An order that rests is enough: it need not trade.
  assert.equal(arena.bench.place({ wallet: 2, signer: AGENT, side: BUY, price: USDC, size: ONE }), OK);
  const price = arena.above(10);
  arena.trade(1, 2, price, 1);
  assert.deepEqual(arena.score(1), { volume: before.volume, adjustment: before.adjustment + price - arena.mark });
  const third = arena.score(1);
  arena.trade(1, 3, arena.above(10), 1);
  assert.ok(arena.score(1).volume > third.volume, 'with others all counts');
});

test('a wallet that signs for another as its agent counts as one agent of both', (t) => {
  const arena = new Arena(t);
  arena.approve(2, 1);
  arena.trade(3, 2, arena.above(1), 1, { seller: 1 });
  const before = arena.score(2).volume;
  arena.trade(1, 2, arena.above(10), 1);
  assert.equal(arena.score(2).volume, before, 'wallet 1 has signed for itself as well now');
});

test('what an agent signed before a competition, or in another one, does not count in it', (t) => {
  const arena = new Arena(t);
  for (const wallet of [1, 2]) arena.approve(wallet);
  arena.trade(1, 2, arena.above(10), 1, { buyer: AGENT, seller: AGENT });
  assert.equal(arena.score(1).volume, 0);
  arena.advance(HOUR);
  arena.trade(1, 2, arena.above(10), 1);
  assert.deepEqual([arena.score(1, 1).volume, arena.score(1, 2).volume > 0], [0, true]);
});

test('signers beyond a wallet\'s bound on agents are not remembered, and its fills count normally', (t) => {
  const arena = new Arena(t);
  const agents = Array.from({ length: AGENTS_PER_WALLET }, (_, i) => 1_000 + i);
  for (const agent of agents) {
    arena.approve(1, agent);
    assert.equal(arena.bench.place({ wallet: 1, signer: agent, side: BUY, price: USDC, size: ONE, tif: IOC }), OK);
  }
  assert.equal(arena.bench.reader.rows.rows.signers.length, AGENTS_PER_WALLET);
  arena.approve(2, 1);
  arena.trade(1, 2, arena.above(10), 1, { seller: 1 });
  assert.ok(arena.score(1).volume > 0, 'that wallet 1 has signed for both is not remembered');
  arena.approve(3, agents[0]);
  const before = arena.score(1);
  arena.trade(1, 3, arena.above(0), 1, { seller: agents[0]! });
  assert.equal(arena.score(1).volume, before.volume, 'what was remembered counts');
});

test('a refused order proves nothing', (t) => {
  const arena = new Arena(t);
  for (const wallet of [1, 2]) arena.approve(wallet);
  arena.trade(1, 2, arena.above(10), 1, { buyer: AGENT });
  const before = arena.score(1);
  assert.notEqual(arena.bench.place({ wallet: 2, signer: AGENT, side: SELL, price: arena.above(10), size: 90_000 * ONE }), OK);
  arena.trade(1, 2, arena.above(10), 1);
  assert.ok(arena.score(1).volume > before.volume);
});

/** What the venue's competitors do: some pass value on, an agent signs for two. */
function busy(t: TestContext): Arena {
  const arena = new Arena(t);
  for (const wallet of [1, 2]) arena.approve(wallet);
  for (let i = 0; i < 4; i++) {
    arena.trade(1, 2, arena.above(30), 10);
    arena.trade(3, 4, arena.above(-20), 20, {});
    if (i === 1) arena.trade(1, 4, arena.above(5), 1, { buyer: AGENT });
    if (i === 2) arena.trade(3, 2, arena.above(5), 1, { seller: AGENT });
    arena.advance(20 * MINUTE);
  }
  return arena;
}

test('a rebuilt history has the same scores at any moment', (t) => {
  const arena = busy(t);
  const again = new Bench(t, { venue: arena.bench.venue });
  assert.deepEqual(again.reader.rows.rows.scores, arena.bench.reader.rows.rows.scores);
  assert.deepEqual(again.reader.rows.rows.dealings, arena.bench.reader.rows.rows.dealings);
  assert.deepEqual(again.reader.rows.rows.signers, arena.bench.reader.rows.rows.signers);
});

test('after restarts at any moment, with the history committed or behind, the sums continue', async (t) => {
  const arena = busy(t);
  const { venue, reader } = arena.bench;
  const wanted = [1, 2, 3, 4].map((wallet) => [1, 2].map((competition) => arena.score(wallet, competition)));
  assert.ok(reader.rows.rows.dealings.length > 3 && reader.rows.rows.signers.length > 4);
  const end = venue.log.kept.length;
  for (const cuts of [[0.3], [0.5, 0.6], [0.2, 0.4, 0.6, 0.8, 0.9]]) {
    const folder = temporaryFolder(t);
    const all = venue.log.kept.slice();
    const board = async (): Promise<string> => {
      let text = '';
      let done = 0;
      for (const part of [...cuts, 1]) {
        (venue.log as { kept: Uint8Array[] }).kept = all.slice(0, Math.floor(end * part));
        const log = new Log(folder, venue, undefined, done);
        log.commit();
        log.close();
        done = log.seq;
        const restarted = await RestartedReader.begin(folder, venue, done, () => done % 2 === 0);
        text = [1, 2].map((id) => (
          restarted.answer('leaderboard', { competition_id: id, sort_order: 'desc', limit: 100, offset: 0 })
        )).join();
        if (done % 2 === 0) restarted.runHistory(restarted.reader);
        restarted.store.close();
      }
      return text;
    };
    const told = await board();
    (venue.log as { kept: Uint8Array[] }).kept = all;
    const whole = [1, 2].map((id) => {
      const { status, body } = arena.bench.answer('leaderboard', { competition_id: id, sort_order: 'desc', limit: 100, offset: 0 });
      return `${status} ${body}`;
    }).join();
    assert.equal(told, whole, `cut at ${cuts.join()}`);
  }
  assert.deepEqual([1, 2, 3, 4].map((wallet) => [1, 2].map((competition) => arena.score(wallet, competition))), wanted);
});

/** A table with room for one row of each kind, of a competition that runs. */
function small(): { dealings: Dealings; rows: ReturnType<typeof emptyRows> } {
  const state = createState(SMALL);
  state.settings.values.set(defaultSettings());
  const { competitions } = state;
  competitions.counters[0] = 1;
  competitions.start[0] = 1;
  competitions.end[0] = 1_000;
  const rows = emptyRows();
  const history = {
    ask: (_: HistoryQuery, take: (rows: readonly object[], seq: number) => void) => {
      take([], 0);
      return true;
    },
  } as unknown as HistoryLink;
  const dealings = new Dealings({ state, rows, history, most: 1 });
  dealings.isReady(500);
  assert.ok(dealings.isReady(500));
  return { dealings, rows };
}

test('when the table of pairs is full, a new pair\'s fills count at the mark, and known pairs continue', () => {
  const { dealings, rows } = small();
  const [a, b, c] = [1, 2, 3].map(walletText) as [string, string, string];
  assert.equal(dealings.count(1, [a, b], 300 * USDC, 1), 300 * USDC);
  assert.equal(dealings.count(1, [b, c], 1, 2), 0);
  assert.equal(dealings.count(1, [b, a], 900 * USDC, 3), 700 * USDC);
  assert.equal(dealings.count(1, [a, b], 1, 4), 0);
  assert.deepEqual(rows.dealings.map(({ one, other, amount }) => [one, other, amount]), [[a, b, 300 * USDC], [a, b, 700 * USDC]]);
});
