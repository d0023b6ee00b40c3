// Private streams over a run with everything that moves an account: trades, funding, settlements, liquidations, takeovers. Every stream
// is gapless, fills come before FILLED, the streamed portfolio equals the read one, and resuming returns the same messages, from history
// and memory, by this reader and a rebuilt one.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { fillSeq, orderUpdateSeq, portfolioSeq } from '../../../core/account-streams.ts';
import { FOK, GTC, HOUR, IOC, MINUTE, SECOND } from '../../../core/units.ts';
import { PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { accountOfWallet } from '../../../shell/reader/text.ts';
import { generator } from '../storage/journal/support.ts';
import { Bench, walletText, type Sent } from '../reader/support.ts';
import { AttackedVenue } from '../../e2e/redteam/attacked-venue.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const WALLETS = [0, 1, 2, 3, 4, 5];
const FUND = `0x${Buffer.from('strikebook insurance').toString('hex')}`;
const KEYS = [...WALLETS.map(walletText), FUND];
const CHANNELS = ['order_updates', 'fills', 'portfolio', 'liquidation', 'competition'] as const;
const RESUMED = ['order_updates', 'fills', 'liquidation', 'competition'] as const;
const SEED = 1;
const STEPS = 600;
/** Steps between two days that pass at once, and with them an expiry; in the middle the price goes off. */
const EPOCH = 200;

type Message = Sent['message'];
type Standing = { topic: number; seq: number; messages: Message[] };
type Stream = { readonly channel: string; readonly key: string; readonly topic: number; readonly from: number };

const json = (message: unknown): string => JSON.stringify(message);

function subscribe(bench: Bench, channel: string, key: string, from?: number): Standing {
  const { status, body } = bench.answer('subscribe', { channel, key, ...(from === undefined ? {} : { from_seq: from }) });
  assert.equal(status, 200, body);
  return JSON.parse(body) as Standing;
}

/** All that follows `from`, part by part. */
function resume(bench: Bench, channel: string, key: string, from: number): Message[] {
  const messages: Message[] = [];
  for (let at = from; ;) {
    const part = subscribe(bench, channel, key, at);
    messages.push(...part.messages);
    at += part.messages.length;
    if (part.topic !== 0) return messages;
  }
}

class Life {
  readonly attacked = new AttackedVenue({ rules: { rated: false } });
  readonly bench: Bench;
  readonly streams: Stream[];
  readonly sent: Sent[] = [];
  readonly #random: () => number;

  constructor(t: TestContext, seed: number) {
    this.#random = generator(seed);
    this.attacked.enter(0, 1, 2);
    this.bench = new Bench(t, { venue: this.attacked });
    this.streams = KEYS.flatMap((key) => CHANNELS.map((channel) => {
      const { topic, seq } = subscribe(this.bench, channel, key);
      return { channel, key, topic, from: seq };
    }));
    const { now } = this.attacked;
    for (const [end, primary] of [[now + 4 * MINUTE, 0], [now + 100 * HOUR, 1]] as const) {
      this.attacked.venue(this.attacked.write.competition(now, end, 7, primary, [`by ${primary}`, '', '', '']));
    }
    // The others and the fund are listened to before they have an account.
    this.attacked.enter(3, 4, 5);
  }

  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  step(): void {
    const { attacked, bench } = this;
    const index = attacked.state.valuation.index[0]! / 1e6;
    const wallet = this.below(WALLETS.length);
    const slot = this.below(2) === 0 ? attacked.perp : this.#option();
    const price = Math.max(1, attacked.mark(slot) / 1e6 * (0.97 + this.below(7) / 100));
    switch (this.below(11)) {
      case 0: attacked.index(Math.round(index * (0.96 + this.below(9) / 100))); break;
      case 1: attacked.advance(SECOND * (1 + this.below(4))); break;
      case 2: attacked.send(attacked.write.marginMode(wallet, attacked.next(), this.below(2) === 0 ? PORTFOLIO : STANDARD)); break;
      case 3: attacked.send(attacked.write.cancelAll(wallet, attacked.next())); break;
      default: attacked.place(wallet, this.below(2), figures(price), 1 + this.below(slot === attacked.perp ? 200 : 60), {
        slot, tif: [GTC, GTC, IOC, FOK][this.below(4)]!,
      });
    }
    bench.feed();
    if (this.below(5) === 0) bench.commit();
    this.sent.push(...bench.sent.splice(0));
  }

  /** A price goes off by a fifth and stays there: whoever is in debt is liquidated. */
  crash(): void {
    const { attacked } = this;
    attacked.index(Math.round(attacked.state.valuation.index[0]! / 1e6 * (this.below(2) === 0 ? 0.8 : 1.25)));
    for (let second = 0; second < 100; second++) attacked.advance(SECOND);
  }

  /** One of the first expiry that is still to come, about at the money. */
  #option(): number {
    const { attacked } = this;
    const index = attacked.state.valuation.index[0]!;
    const live = attacked.slots((one) => one.underlying === 'BTC' && one.expiry > attacked.now && one.strike > 0);
    const away = (slot: number): number => attacked.contract(slot).expiry + Math.abs(attacked.contract(slot).strike - index) / 1e3;
    return live.reduce((best, slot) => (away(slot) < away(best) ? slot : best));
  }

  of({ topic }: Stream): Sent[] {
    return this.sent.filter((one) => one.topic === topic);
  }
}

function figures(price: number): number {
  return Number(price.toPrecision(4));
}

function checkGapless(life: Life, stream: Stream): void {
  const { reader: { state } } = life.bench;
  const account = accountOfWallet(state, stream.key);
  const { accounts } = state.streams;
  const counters: Record<string, (account: number) => number> = {
    order_updates: (at) => orderUpdateSeq(accounts, at), fills: (at) => fillSeq(accounts, at),
    liquidation: (at) => accounts.liquidation[at]!,
    portfolio: (at) => portfolioSeq(accounts, at), competition: () => subscribe(life.bench, 'competition', stream.key).seq,
  };
  let last = stream.from;
  for (const { seq, message } of life.of(stream)) {
    assert.equal(message['seq'], seq);
    assert.equal(seq, ++last, `${stream.channel} of ${stream.key}: ${json(message)}`);
    assert.equal(message['wallet_address'] ?? stream.key, stream.key);
  }
  assert.equal(last, account < 0 ? 0 : counters[stream.channel]!(account), `${stream.channel} of ${stream.key} ends with its counter`);
}

/** What an order is said to have filled is what fills said before. */
function checkCause(life: Life, key: string): void {
  const topics = new Map(life.streams.filter((one) => one.key === key).map((one) => [one.topic, one.channel]));
  const filled = new Map<number, number>();
  for (const { topic, message } of life.sent) {
    const id = message['order_id'] as number;
    if (topics.get(topic) === 'fills') filled.set(id, (filled.get(id) ?? 0) + Math.round(Number(message['size']) * 1e6));
    if (topics.get(topic) !== 'order_updates' || message['status'] === 'REJECTED') continue;
    assert.equal(Math.round(Number(message['filled_size']) * 1e6), filled.get(id) ?? 0, json(message));
  }
}

type Told = { [name: string]: unknown; symbol: string; amount: string };

/** The positions that were told are those of GET /portfolio, and after new marks so are the margins. */
function checkPortfolio(life: Life, stream: Stream): void {
  const held = new Map<string, string>();
  let margin: Message = {};
  for (const { message } of life.of(stream)) {
    if (message['type'] === 'PositionExpired') held.set(message['symbol'] as string, '0');
    const { symbol, amount } = (message['position'] ?? {}) as Told;
    if (symbol !== undefined) held.set(symbol, amount);
    if (message['update_type'] === 'MarginUpdate') margin = message;
  }
  const body = life.bench.body<Record<string, unknown> & { positions: Told[] }>('portfolio', { wallet: stream.key });
  const now = new Map(body.positions.map(({ symbol, amount }) => [symbol, amount]));
  for (const [symbol, amount] of held) assert.equal(now.get(symbol) ?? '0', amount, `${symbol} of ${stream.key}`);
  if (now.size === 0) return;
  for (const name of ['total_margin_used', 'available_balance', 'margin_mode', 'margin_summary', 'span_margin']) {
    assert.deepEqual(margin[name], body[name], `${name} of ${stream.key}`);
  }
}

/** What was told at the end of the first competition is its board for ever; before, every rank has followed from the one before. */
function checkCompetition(life: Life, stream: Stream): void {
  const { data } = life.bench.body<{ data: Record<string, unknown>[] }>('leaderboard', {
    competition_id: 1, sort_order: 'desc', limit: 100, offset: 0,
  });
  const row = data.find(({ wallet }) => wallet === stream.key);
  const ranks = new Map<unknown, unknown>();
  const finals: unknown[] = [];
  for (const { message } of life.of(stream)) {
    const { type, competition_id: id } = message;
    const { rank, pnl, volume, efficiency, medal } = message;
    if (type === 'CompetitionUpdate') {
      const before = ranks.get(id) ?? rank;
      ranks.set(id, rank);
      if (before !== rank) ranks.set(`from ${String(id)}`, before);
    }
    if (type === 'CompetitionRankChange') {
      assert.deepEqual([message['from_rank'], message['to_rank']], [ranks.get(`from ${String(id)}`), ranks.get(id)]);
      assert.equal(message['delta_places'], Number(message['from_rank']) - Number(message['to_rank']));
    }
    if (type === 'CompetitionFinalStats' || type === 'CompetitionFinalStanding') finals.push({ rank, pnl, volume, efficiency, medal });
  }
  const { rank, pnl, volume, efficiency, medal } = row ?? {};
  assert.deepEqual(finals, row === undefined ? [] : Array(2).fill({ rank, pnl, volume, efficiency, medal }), stream.key);
}

test('over a run with every kind of event, all private streams are gapless, true and resume exactly', (t) => {
  const kinds = new Map<string, number>();
  const life = new Life(t, SEED);
  const { bench, attacked, streams } = life;
  const copy = temporaryFolder(t);
  for (let i = 0; i < STEPS; i++) {
    life.step();
    if (i === STEPS / 2) {
      bench.commit();
      cpSync(bench.folder, copy, { recursive: true });
    }
    if (i % EPOCH === EPOCH / 2) life.crash();
    if (i % EPOCH === EPOCH - 1) attacked.advance(24 * HOUR);
  }
  attacked.index(attacked.state.valuation.index[0]! / 1e6 + 1);
  attacked.advance(SECOND);
  bench.feed();
  life.sent.push(...bench.sent.splice(0));
  for (const stream of streams) checkGapless(life, stream);
  for (const key of KEYS) checkCause(life, key);
  for (const stream of streams) {
    if (stream.channel === 'portfolio') checkPortfolio(life, stream);
    if (stream.channel === 'competition') checkCompetition(life, stream);
  }
  const others = [{}, { folder: copy }].map((more) => new Bench(t, { venue: attacked, ...more }));
  for (const other of others) other.commit();
  for (const { channel, key, from, topic } of streams) {
    if (!RESUMED.some((one) => one === channel)) continue;
    const live = life.of({ channel, key, from, topic }).map(({ message }) => json(message));
    for (const after of [from, from + life.below(live.length + 1), from + live.length]) {
      const expected = live.slice(after - from);
      assert.deepEqual(resume(bench, channel, key, after).map(json), expected, `${channel} of ${key} after ${after}`);
      for (const other of others) {
        assert.deepEqual(resume(other, channel, key, after).map(json), expected, 'from a history made again, and one gone on with');
      }
    }
  }
  for (const { message } of life.sent) {
    const kind = String(message['update_type'] ?? message['new_state'] ?? message['status'] ?? message['type']);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  t.diagnostic(json(Object.fromEntries(kinds)));
  for (const kind of ['PositionUpdate', 'BalanceUpdate', 'MarginUpdate', 'GreeksUpdate', 'PositionExpired', 'pre_liquidation',
    'in_liquidation', 'liquidated', 'CompetitionUpdate', 'CompetitionRankChange', 'CompetitionGapUpdate',
    'CompetitionPnlSummary', 'CompetitionFinalStats', 'Fill', 'FILLED', 'PARTIALLY_FILLED', 'REJECTED', 'CANCELED', 'OPEN', 'ACKED']) {
    assert.ok(kinds.has(kind), `nothing told ${kind}`);
  }
});
