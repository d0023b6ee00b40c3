// A venue and the reference model side by side: every drawn command goes to both, and then replies, fills, ends of orders and the state of
// both are compared (compare.ts). The only place that uses the types of both.

import assert from 'node:assert/strict';
import * as errors from '../../core/errors.ts';
import * as S from '../../core/settings.ts';
import { FLAG_MMP_TRIGGERED } from '../../core/codec/reply.ts';
import * as E from '../../core/codec/events.ts';
import type { Views } from '../../core/codec/record.ts';
import { checked, MAX_UNDERLYINGS } from '../../core/limits.ts';
import { movementsOf } from '../../core/ledger/movements.ts';
import { AGELESS, DECLARED_STALE } from '../../core/valuation/valuation.ts';
import { runDue } from '../../core/sequencer/sequencer.ts';
import { Random } from '../sim/random.ts';
import { accountTotal } from '../support/raw.ts';
import { ANSWER_CODE, ANSWER_NUMBERS, ANSWER_PRICED, ANSWER_STATUS } from '../../core/codec/quote-answers.ts';
import { TestVenue, WIDE } from '../support/venue.ts';
import { assertSameState } from './compare.ts';
import { Generator } from './draw.ts';
import { marketOf, readIndex, rulesOf, versionOf } from './given.ts';
import type { Mix } from './mixes.ts';
import { recordOf, type Action } from './write.ts';
import { byTime, fillOf, inOrder, paymentOf } from './told.ts';
import { Model } from './model.ts';
import type { Fill } from './matching.ts';
import { MILLION, sizeOf } from './money.ts';
import { intrinsicOf, settlementFee } from './positions.ts';
import { MARKET_MAKER, move, PORTFOLIO, positionIn, type Answer, type Command, type Hour, type Order, type Payment,
  type Row } from './terms.ts';

const LIMITS = checked({ ...WIDE, mmpFills: 16_384, mmpConfigs: 64, credits: 1_024 });
/** Codes of replies and of ends of orders by their names in core/errors. */
const named = (ends: boolean): Map<number, string> => new Map(Object.entries(errors)
  .filter(([name]) => name.startsWith('DONE_') === ends).map(([name, code]) => [code, name.replace('DONE_', '')]));
export const CODES = named(false);
const ENDS = named(true);
const KINDS = ['opening', 'trade', 'fee', 'funding', 'settlement', 'settlement_fee', 'liquidation_fee', 'takeover', 'deleveraging',
  'credit'];
const STATUSES = ['UNCHANGED', 'REDUCED', 'OPEN', 'REMOVED', 'REJECTED'];
/** From one nonce of a page or a cancel to the next: unused ones lie between. */
const NONCES = 4;
const WORDS_OF_ADDRESS = 5;

/**
 * From the events of the venue: ends of orders, trades, orders that fired, wallets whose deadline was met, underlyings with new marks,
 * and what messages about quotes did to them.
 */
type Told = {
  ends: { id: number; reason: string }[]; fills: Fill[]; fired: number[]; met: number[]; switched: Set<number>; quoted: string[];
};

export class Twin {
  readonly venue: TestVenue;
  readonly model: Model;
  readonly histogram = new Map<string, number>();
  protected readonly random: Random;
  protected readonly mix: Mix;
  protected readonly generator: Generator;
  private readonly settings = S.defaultSettings();
  /** Wallets by the number of their account. */
  private readonly wallets: number[] = [];
  protected readonly told: Told = { ends: [], fills: [], fired: [], met: [], switched: new Set(), quoted: [] };
  private readonly settlementPrices = new Map<string, bigint>();
  /** Sum of payouts of each settled contract; 0 once all are paid. */
  private readonly payouts = new Map<number, bigint>();
  private inHand: Command | null = null;
  private nonce = 0;
  /** Rows of the account ledger that are not compared yet, by account. */
  private readonly rows = new Map<number, Row[]>();
  private readonly payments = new Map<number, Payment[]>();
  /** Hours of each perp. */
  private readonly hours = new Map<number, Hour[]>();
  private readonly nonces = new Set<number>();
  private listed = 0;
  private version = '';

  constructor(seed: number, mix: Mix) {
    this.random = new Random(seed);
    this.mix = mix;
    const { random, settings } = this;
    if (mix.hasFees) {
      settings[S.MAKER_FEE] = random.pick([0, 137, 200]);
      settings[S.TAKER_FEE] = random.pick([333, 500, 1_000]);
      settings[S.SETTLEMENT_FEE] = 150;
    }
    // The model has no liquidation: accounts stay as low as they fall. The settings of a venue would not let an operator do so.
    settings[S.LIQUIDATION_FALLS] = 1e12;
    settings[S.LIQUIDATION_FALL_TIME] = 1e14;
    settings[S.LIQUIDATION_NO_WAIT] = 0;
    settings[S.PRICE_BAND] = mix.band;
    settings[S.PRICE_BAND_VOL] = 0;
    settings[S.MAX_POSITION] = mix.positionLimit * 1e6;
    settings.fill(mix.preset === 'venue17' ? S.VENUE17 : S.DENSE, S.PRESET, S.PRESET + MAX_UNDERLYINGS);
    this.venue = new TestVenue({ limits: LIMITS, settings });
    this.venue.state.events.listener = (kind, slots) => this.hear(kind, slots);
    this.venue.open(mix.btc, mix.eth);
    const world = { market: marketOf(this.venue.state, this.venue.now, this.hours), rules: rulesOf(settings) };
    this.model = new Model(world, mix.isCrowded);
    const wallets = mix.wallets === 0 ? 2 + seed % 6 : mix.wallets;
    this.generator = new Generator(random, mix, this.model, wallets);
    // The last one opens its account by its first action; of a crowd all have to be market makers.
    for (let wallet = 0; wallet < wallets - (mix.isCrowded ? 0 : 1); wallet++) this.open(wallet);
  }

  private open(wallet: number): void {
    const { mix, random } = this;
    this.play({ kind: 'configure', balance: random.pick(mix.balances), takerFee: this.settings[S.TAKER_FEE]! });
    this.play({ kind: 'cancel', wallet, id: 0 });
    if (mix.hasPortfolios && random.chance(0.7)) this.play({ kind: 'mode', wallet, mode: PORTFOLIO });
    if (mix.isCrowded) this.play({ kind: 'tier', wallet, tier: MARKET_MAKER });
  }

  step(): void {
    const { mix, model, random, venue } = this;
    const command = this.generator.draw();
    this.play(command);
    const moves = command.kind === 'wait' || command.kind === 'index' || command.kind === 'surface';
    const hasExpiring = mix.extended > 0;
    const isLate = command.kind === 'wait' && mix.switches > 0 && random.chance(hasExpiring ? 0.9 : 0.5);
    const lags = command.kind === 'index' && random.chance(mix.lags);
    const settles = !isLate && !lags && (moves || (mix.lags === 0 && random.chance(mix.isCrowded ? 0.08 : hasExpiring ? 0.25 : 0.7)));
    // What has ended in steps, or waits for its tick, is gone on both sides once the venue has caught up.
    if (settles || (!mix.isCrowded && !hasExpiring && model.ends.length > 0)) {
      this.settleVenue();
      model.settle();
    } else if (mix.isCrowded || isLate) return;
    this.refresh();
    assertSameState(venue.state, model, this.wallets);
    this.assertSameRows();
    if (!mix.isCrowded) this.assertSameEnds();
    this.told.ends = [];
    model.ends = [];
  }

  /** All work that is due, command by command; what it fires is compared with the model at once. */
  private settleVenue(): void {
    const { model, told, venue } = this;
    const busy = new Set(model.allOrders(null).filter(({ waits }) => waits !== null).map(({ wallet }) => wallet));
    told.switched.clear();
    for (;;) {
      const from = told.ends.length;
      told.fills = [];
      told.fired = [];
      told.met = [];
      told.quoted = [];
      if (!runDue(venue.sequencer, venue.now)) break;
      const ends = told.ends.slice(from);
      for (const wallet of told.met) model.meetDeadline(model.accounts.get(wallet)!);
      const isTaken = ({ id }: Order): boolean =>
        told.fired.includes(id) || ends.some((one) => one.id === id && one.reason.startsWith('refused'));
      const taken = model.waiting.filter(isTaken);
      for (const { id } of taken) model.fresh.delete(id);
      if (taken.length > 0) this.fire(ends, taken);
      const removed = told.quoted.map((event) => Number(event.split(' ')[0]));
      for (const wallet of [...told.met, ...this.endTold([...ends.map(({ id }) => id), ...removed])]) busy.add(wallet);
    }
    this.refresh();
    const late = [...told.switched].flatMap((underlying) => model.due(underlying))
      .filter((order) => !busy.has(order.wallet) && model.endOf(order) === null);
    assert.deepEqual(late.map(({ id }) => id), [], 'orders that are due and did not fire');
    model.fresh.clear();
  }

  /** A step that fires so many orders as the venue took, of one underlying, within the bounds of a step. */
  private fire(ends: Told['ends'], taken: readonly Order[]): void {
    const { model, told } = this;
    this.refresh();
    model.fills = [];
    model.fired = [];
    const at = model.ends.length;
    const killed = new Set(ends.filter(({ reason }) => reason === 'FOK_KILLED').map(({ id }) => id));
    model.fire(model.world.market.contracts[taken[0]!.slot]!.underlying, taken.length, killed);
    assert.deepEqual(told.fired, model.fired, 'orders that fire, in their order');
    assert.deepEqual(told.fills, model.fills, 'fills of orders that fire');
    this.assertEnds(ends.filter(({ id }) => !this.hasStepOf(id)), model.ends.slice(at));
  }

  private hasStepOf(id: number): boolean {
    const order = this.model.byId(id);
    return order !== undefined && this.model.whyOver(order) !== null;
  }

  /** Orders that had ended and are removed in steps. */
  private endTold(ids: readonly number[]): number[] {
    const { model } = this;
    const over = ids.map((id) => model.byId(id)).filter((order) => order !== undefined && model.whyOver(order) !== null) as Order[];
    for (const order of over) model.end(order, model.whyOver(order)!);
    return over.map(({ wallet }) => wallet);
  }

  /** The present command as text, and the venue's reply. */
  last(): string {
    const { code, numbers } = this.venue.state.result;
    return `${JSON.stringify(this.inHand, (_, value) => (typeof value === 'bigint' ? String(value) : value))} was ${code}, ${numbers}`;
  }

  /** One command to both. */
  protected play(command: Command): void {
    const { mix, model, venue } = this;
    this.inHand = command;
    this.told.fills = [];
    model.fills = [];
    const from = this.told.ends.length;
    this.told.quoted = [];
    model.quoted = [];
    if ('nonce' in command) command.nonce = this.nonceOf(command.nonce);
    const code = this.send(command);
    model.world.market.now = venue.now;
    const isKilled = this.told.ends.at(-1)?.reason === 'FOK_KILLED';
    const isPending = (command.kind === 'cancelAll' || command.kind === 'cancelQuotes') && venue.state.result.numbers[1] === 1;
    const ended = [...this.told.ends.slice(from).map(({ id }) => id), ...this.told.quoted.map((event) => Number(event.split(' ')[0]))];
    const answer = model.apply(command, { code, isKilled, isPending, ended: new Set(ended) });
    this.count(`command ${command.kind}`);
    if (answer !== null) {
      this.count(`${command.kind} ${answer.code}`);
      this.assertSameAnswer(code, answer);
      assert.deepEqual(this.told.fills, model.fills, 'fills');
      if (!mix.isCrowded) assert.deepEqual([...this.told.quoted].sort(), [...model.quoted].sort(), 'events of quotes');
      if (command.kind === 'massQuote' && answer.code === 'OK') this.assertSameAnswers();
    }
    this.refresh();
  }

  /** What became of the sides of a page. */
  private assertSameAnswers(): void {
    const { answers, answered } = this.venue.state.result;
    const lines: string[] = [];
    for (let at = 0; at < answered;) {
      const first = answers[at++]!;
      const status = first & ANSWER_STATUS;
      const numbers = status === E.QUOTE_REJECTED ? Array.from({ length: ANSWER_NUMBERS }, () => answers[at++]!)
        : [answers[at++]!, ...((first & ANSWER_PRICED) !== 0 ? [answers[at++]!] : [])];
      const code = status === E.QUOTE_REJECTED ? ` ${CODES.get(Math.floor(first / ANSWER_CODE))}` : '';
      lines.push(`${STATUSES[status]}${code} ${numbers.join(' ')}`);
    }
    const expected = this.model.answers.map(({ id, numbers, price, status }) => (status.startsWith('REJECTED')
      ? `${status} ${[0, 1, 2].map((i) => numbers?.[i] ?? 0n).join(' ')}` : `${status} ${id}${price === undefined ? '' : ` ${price}`}`));
    assert.deepEqual(lines, expected, 'answers of a page');
  }

  protected assertSameAnswer(code: string, { code: expected, end, mmp, numbers }: Answer): void {
    const { result } = this.venue.state;
    assert.equal(code, expected, 'answer');
    assert.deepEqual((numbers ?? []).map((_, i) => BigInt(result.numbers[i]!)), numbers ?? [], `numbers of ${code}`);
    if (end !== undefined) assert.equal(ENDS.get(result.numbers[3]!) ?? null, end, 'why the order is over');
    if (mmp !== undefined) assert.equal((result.flags & FLAG_MMP_TRIGGERED) !== 0, mmp, 'mmp_triggered');
  }

  /** The account ledger and the history of funding, row by row. */
  private assertSameRows(): void {
    this.wallets.forEach((wallet, at) => {
      const expected = this.model.accounts.get(wallet)!.rows.splice(0);
      assert.deepEqual(inOrder(this.rows.get(at) ?? []), inOrder(expected), `ledger of ${wallet}`);
      for (const { kind } of expected) this.count(`row ${kind}`);
    });
    this.rows.clear();
    this.wallets.forEach((wallet, at) => {
      const expected = this.model.accounts.get(wallet)!.payments.splice(0);
      assert.deepEqual(byTime(this.payments.get(at) ?? []), byTime(expected), `funding of ${wallet}`);
      for (const { hours } of expected) this.count(hours === 1 ? 'funding of an hour' : 'funding of several hours');
    });
    this.payments.clear();
  }

  private assertSameEnds(): void {
    for (const { reason } of this.assertEnds(this.told.ends, this.model.ends)) this.count(`done ${reason}`);
  }

  private assertEnds(ends: Told['ends'], ofModel: Model['ends']): Told['ends'] {
    const lines = (of: Told['ends']): string[] => of.map(({ id, reason }) => `${id} ${reason}`).sort();
    const told = new Map(ends.map(({ id, reason }) => [id, reason]));
    const expected = ofModel.map(({ id, or, reason }) => ({ id, reason: or.find((other) => told.get(id) === other) ?? reason }));
    assert.deepEqual(lines(ends), lines(expected), 'ends of orders');
    return expected;
  }

  /** The name of the code that the venue answers with; what the venue itself is told has none. */
  private send(command: Command): string {
    const { settings, venue } = this;
    const { write } = venue;
    if (command.kind === 'wait') venue.now += command.ms;
    else if (command.kind === 'index') {
      venue.venue(write.index(command.underlying, Number(command.price), command.isStale ? DECLARED_STALE : AGELESS));
    } else if (command.kind === 'surface') venue.venue(write.surface(command.underlying, 0, command.volatility, 0, 0, AGELESS));
    else if (command.kind === 'halt') {
      const { mode, slot, underlying } = command;
      venue.venue(write.tradingMode(mode, underlying ?? -1, slot === null ? null : venue.contract(slot)));
    } else if (command.kind === 'block') venue.venue(write.walletMode(command.wallet, command.mode));
    else if (command.kind === 'operatorCancel') venue.venue(write.cancelWallet(command.wallet));
    else if (command.kind === 'credit') {
      venue.venue(write.credit(command.wallet, Number(command.amount), command.id));
      return CODES.get(venue.state.result.code)!;
    } else if (command.kind === 'configure') {
      settings[S.DEFAULT_BALANCE] = command.balance * 1e6;
      settings[S.TAKER_FEE] = command.takerFee;
      venue.venue(write.configure(settings.slice()));
      this.model.world.rules = rulesOf(settings);
    } else return this.ask(command);
    return '';
  }

  private ask(command: Action): string {
    return this.request(recordOf(this.venue, command, 'nonce' in command ? command.nonce : this.nonceOf(0)));
  }

  protected request(views: Views): string {
    const { accounts } = this.venue.state;
    const code = CODES.get(this.venue.send(views))!;
    for (let account = this.wallets.length; account < accountTotal(this.venue.state); account++) {
      this.wallets.push(accounts.address[account * WORDS_OF_ADDRESS]! - 1);
    }
    return code;
  }

  /** A new one, or one that was left out so many before. */
  protected nonceOf(back: number): number {
    let nonce = this.nonce + Math.min(0, back * NONCES);
    while (back < 0 && this.nonces.has(nonce)) nonce--;
    if (back === 0 || nonce < 1) nonce = this.nonce += NONCES;
    this.nonces.add(nonce);
    return nonce;
  }

  /** Updates the inputs of the model. */
  protected refresh(): void {
    const { model: { world }, venue } = this;
    const version = versionOf(venue.state, this.listed);
    if (version !== this.version) world.market = marketOf(venue.state, venue.now, this.hours);
    this.version = version;
    world.market.now = venue.now;
    readIndex(venue.state, world.market);
  }

  protected hear(kind: number, slots: Float64Array): void {
    const moved = movementsOf(kind, slots, this.venue.state.instruments);
    for (const { account, instrument: slot, orderId: order, tradeId: trade, ...row } of moved) {
      const rows = this.rows.get(account) ?? [];
      this.rows.set(account, rows);
      rows.push({ kind: KINDS[row.kind]!, amount: BigInt(row.amount), balance: BigInt(row.balance), slot, order, trade });
    }
    if (kind === E.ORDER_DONE) this.told.ends.push({ id: slots[E.ORDER_ID]!, reason: reasonOf(slots[E.ORDER_REASON]!) });
    else if (kind === E.QUOTE_CHANGED) this.told.quoted.push(`${slots[E.ORDER_ID]} ${STATUSES[slots[E.ORDER_REASON]!]}`);
    else if (kind === E.ORDER_TRIGGERED) this.told.fired.push(slots[E.ORDER_ID]!);
    else if (kind === E.MARKS_MOVED) this.told.switched.add(slots[E.INDEX_UNDERLYING]!);
    else if (kind === E.SAFETY_FIRED) this.told.met.push(this.wallets[slots[E.ACCOUNT]!]!);
    else if (kind === E.FUNDING_PAID) {
      const account = slots[E.ACCOUNT]!;
      this.payments.set(account, [...this.payments.get(account) ?? [], paymentOf(slots)]);
    }
    else if (kind === E.FUNDING_RATE) {
      const slot = slots[E.INSTRUMENT]!;
      const hour = { until: slots[E.FUNDING_UNTIL]!, rate: BigInt(slots[E.FUNDING_HOURLY]!) };
      this.hours.set(slot, [...this.hours.get(slot) ?? [], hour]);
    }
    else if (kind === E.FILL) this.told.fills.push(fillOf(slots));
    else if (kind === E.SETTLEMENT_SET) {
      const [underlying, expiry, price] = [slots[E.ACCOUNT], slots[E.SETTLEMENT_EXPIRY], slots[E.SETTLEMENT_VALUE]];
      this.settlementPrices.set(`${underlying} ${expiry}`, BigInt(price!));
    } else if (kind === E.POSITION_SETTLED) this.settle(slots);
    else if (kind === E.INSTRUMENT_SETTLED) {
      const slot = slots[E.INSTRUMENT]!;
      assert.equal(this.payouts.get(slot) ?? 0n, 0n, 'payouts of a contract sum to zero (decision 2.5)');
      this.payouts.delete(slot);
    }
    if (kind === E.INSTRUMENT_LISTED || kind === E.INSTRUMENT_EXPIRED || kind === E.INSTRUMENT_SETTLED) this.listed++;
  }

  /** Each payout is within a micro of its value, since those of a contract sum to exactly zero (decision 2.5). */
  private settle(slots: Float64Array): void {
    const { model } = this;
    const slot = slots[E.SETTLED_INSTRUMENT]!;
    const account = model.accounts.get(this.wallets[slots[E.ACCOUNT]!]!)!;
    const contract = model.world.market.contracts[slot]!;
    const price = this.settlementPrices.get(`${contract.underlying} ${contract.expiry}`)!;
    const size = positionIn(account, slot);
    const value = BigInt(slots[E.SETTLED_VALUE]!);
    const fee = settlementFee(model.world, contract, size, price);
    assert.deepEqual(
      [E.SETTLED_POSITION, E.SETTLED_PRICE, E.SETTLED_FEE].map((at) => BigInt(slots[at]!)), [size, price, fee], 'settled position',
    );
    assert.ok(sizeOf(value * MILLION - size * intrinsicOf(contract, price)) < MILLION, `a payout within a micro: ${value} of ${size}`);
    this.payouts.set(slot, (this.payouts.get(slot) ?? 0n) + value);
    move(account, 'settlement', value, { slot });
    move(account, 'settlement_fee', -fee, { slot });
    account.positions.delete(slot);
    this.count('settled position');
  }

  protected count(what: string): void {
    this.histogram.set(what, (this.histogram.get(what) ?? 0) + 1);
  }
}

/** An order that fires ends with the code of its refusal. */
function reasonOf(code: number): string {
  return ENDS.get(code) ?? `refused: ${CODES.get(code)}`;
}
