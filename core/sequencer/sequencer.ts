// Takes one command at a time: admits it, gives it a seq and a time, applies it, logs it, and writes at most one reply. Without room in the
// log or the reply ring, it leaves the command where it is and never waits.

import { MAX_OPEN_ORDERS, NEW_WALLET_LIMIT, OK } from '../errors.ts';
import { AMEND_ORDER, BATCH, CONTINUE, DOUBLE_BATCH_OPEN, DOUBLE_BATCH_POSITIONS, DOUBLE_BATCH_TRIGGERS, DOUBLE_MOST_OPEN,
  DOUBLE_MOST_POSITIONS, isSignedKind, MASS_QUOTE, PLACE_ORDER, REPLACE_ORDER, TICK,
  TICK_BYTES } from '../codec/commands.ts';
import { FLAG_ANSWERS, FLAG_IMAGE, REPLY_BYTES, REPLY_DOUBLE_NUMBERS, REPLY_WITH_IMAGE_BYTES, REPLY_WORD_BUDGET, REPLY_WORD_KIND,
  REPLY_WORD_REQUEST, REPLY_WORD_SEQ, REPLY_WORD_STATUS, REPLY_WORD_TIME, REPLY_WORD_WINDOW_END } from '../codec/reply.ts';
import { HIGH, recordKind, stampRecord, viewsOf, WORD_REQUEST, writeCaps, writeHeader, type Views } from '../codec/record.ts';
import { RECORD_BYTES } from '../limits.ts';
import { lastOpened, accountsOpened } from '../accounts/accounts.ts';
import { apply } from '../engine/apply.ts';
import { SEQ, TIME, type State } from '../engine/state.ts';
import { areHoursOver } from '../lifecycle/funding-rate.ts';
import { nextTick } from '../lifecycle/ticks.ts';
import { hasWork } from '../lifecycle/work-steps.ts';
import { UNLIMITED } from '../tiers.ts';
import { clearResult, type CommandResult } from '../trading/context.ts';
import { isTriggerOrder } from '../trading/trigger-orders.ts';
import { admit, carryBudget, type Admission } from './admission.ts';
import { SINGLE, type FollowingRecords } from './bulk-verdicts.ts';

/** `hasRoom`: the next `claim` of the largest message succeeds. `claim` returns a byte offset; `commit` publishes. */
export type OutPort = { readonly views: Views; hasRoom(): boolean; claim(bytes: number): number; commit(): void };

export type Sequencer = {
  readonly state: State; readonly admission: Admission; readonly log: OutPort; readonly own: Views;
  ticked: boolean;
};

export function createSequencer(state: State, admission: Admission, log: OutPort): Sequencer {
  return { state, admission, log, own: viewsOf(new ArrayBuffer(RECORD_BYTES)), ticked: false };
}

/** Never before the last command's time. */
function sequenceTime(state: State, now: number): number {
  return Math.max(now, state.clock[TIME]);
}

/** False: no room, nothing was done, retry later. Otherwise the reply is committed. `following` finds the rest of a bulk request. */
export function takeCommand(
  sequencer: Sequencer, views: Views, at: number, now: number, reply: OutPort, following: FollowingRecords = SINGLE,
): boolean {
  const { state, admission, log } = sequencer;
  if (!log.hasRoom() || !reply.hasRoom()) return false;
  const time = sequenceTime(state, now);
  const code = admit(state, admission, views, at, time, following);
  if (code !== OK) {
    clearResult(state.result);
    state.result.code = code;
    if (code === NEW_WALLET_LIMIT) {
      state.result.numbers[0] = admission.rules.newWallets[admission.full];
      state.result.numbers[1] = admission.full;
    }
    if (code === MAX_OPEN_ORDERS) state.result.numbers[0] = admission.mostOpen;
  } else {
    const before = accountsOpened(state.accounts);
    sequence(sequencer, views, at, time);
    if (accountsOpened(state.accounts) > before) carryBudget(state, admission, lastOpened(state.accounts), time);
  }
  writeReply(sequencer, views, at, reply, time);
  return true;
}

function sequence(sequencer: Sequencer, views: Views, at: number, time: number): void {
  const { admission, state, log } = sequencer;
  const bytes = views.u32[at >>> 2];
  const to = log.claim(bytes);
  if (to < 0) throw new RangeError('the log promised room and has none');
  const words = bytes >>> 2;
  const source = views.u32;
  const target = log.views.u32;
  for (let i = 0, a = at >>> 2, b = to >>> 2; i < words; i++) target[b + i] = source[a + i];
  stampRecord(log.views, to, state.clock[SEQ] + 1, time);
  const kind = recordKind(log.views, to);
  if ((kind === PLACE_ORDER || kind === REPLACE_ORDER) && isTriggerOrder(log.views, to)) {
    writeCaps(log.views, to, admission.mostTriggers, admission.mostPositions);
  }
  if (kind === AMEND_ORDER && admission.mostTriggers !== UNLIMITED) writeCaps(log.views, to, admission.mostTriggers, UNLIMITED);
  if (kind === MASS_QUOTE) stampCaps(log.views, to, admission);
  if (kind === BATCH) stampBatch(log.views, to, admission);
  // A command that throws must not enter the log: it would end every later start and every other node.
  apply(state, log.views, to);
  log.commit();
}

/** The core knows no table of tiers, so the record tells which caps admission applied. */
function stampCaps({ f64 }: Views, at: number, { mostOpen, mostPositions }: Admission): void {
  f64[(at >>> 3) + DOUBLE_MOST_OPEN] = mostOpen;
  f64[(at >>> 3) + DOUBLE_MOST_POSITIONS] = mostPositions;
}

function stampBatch({ f64 }: Views, at: number, { mostOpen, mostPositions, mostTriggers }: Admission): void {
  f64[(at >>> 3) + DOUBLE_BATCH_OPEN] = mostOpen;
  f64[(at >>> 3) + DOUBLE_BATCH_TRIGGERS] = mostTriggers;
  f64[(at >>> 3) + DOUBLE_BATCH_POSITIONS] = mostPositions;
}

function writeReply(sequencer: Sequencer, views: Views, at: number, reply: OutPort, time: number): void {
  const { state, admission } = sequencer;
  const { result } = state;
  const { u32, f64, u8 } = reply.views;
  const bytes = result.answered > 0 ? REPLY_BYTES + 8 + result.answered * 8 : result.hasImage ? REPLY_WITH_IMAGE_BYTES : REPLY_BYTES;
  const place = reply.claim(bytes);
  if (place < 0) throw new RangeError('the reply port promised room and has none');
  const word = place >>> 2;
  u32[word] = bytes;
  const flags = result.flags | (result.hasImage ? FLAG_IMAGE : 0) | (result.answered > 0 ? FLAG_ANSWERS : 0);
  u32[word + REPLY_WORD_STATUS] = (result.code | (admission.tier << 16) | (flags << 24)) >>> 0;
  u32[word + REPLY_WORD_REQUEST] = views.u32[(at >>> 2) + WORD_REQUEST];
  u32[word + REPLY_WORD_BUDGET] = admission.left;
  u32[word + REPLY_WORD_TIME] = time >>> 0;
  u32[word + REPLY_WORD_TIME + 1] = Math.floor(time / HIGH);
  u32[word + REPLY_WORD_SEQ] = state.clock[SEQ] >>> 0;
  u32[word + REPLY_WORD_SEQ + 1] = Math.floor(state.clock[SEQ] / HIGH);
  u32[word + REPLY_WORD_WINDOW_END] = admission.windowEnd;
  u32[word + REPLY_WORD_KIND] = recordKind(views, at);
  const double = place >>> 3;
  for (let i = 0; i < 4; i++) f64[double + REPLY_DOUBLE_NUMBERS + i] = result.numbers[i];
  if (result.hasImage) u8.set(result.image, place + REPLY_BYTES);
  if (result.answered > 0) writeAnswers(f64, (place + REPLY_BYTES) >>> 3, result);
  reply.commit();
}

function writeAnswers(f64: Float64Array, double: number, { answered, answers }: CommandResult): void {
  f64[double] = answered;
  for (let i = 0; i < answered; i++) f64[double + 1 + i] = answers[i];
}

/** A due tick comes before a step of work, but not twice in a row. False: nothing due, or no room. */
export function runDue(sequencer: Sequencer, now: number): boolean {
  const { state } = sequencer;
  const time = sequenceTime(state, now);
  const isBusy = hasWork(state);
  const ticks = nextTick(state) <= time && !(isBusy && sequencer.ticked);
  if (!(ticks || isBusy) || !sequencer.log.hasRoom()) return false;
  step(sequencer, ticks, time);
  return true;
}

/** Call before taking a command, which would otherwise fall into the ended hour. False: no hour ended, or no room. */
export function endHours(sequencer: Sequencer, now: number): boolean {
  const time = sequenceTime(sequencer.state, now);
  if (!areHoursOver(sequencer.state, time) || !sequencer.log.hasRoom()) return false;
  step(sequencer, true, time);
  return true;
}

/** A tick with nothing due, so that a restart goes on at this time. False: no room. */
export function noteTime(sequencer: Sequencer, now: number): boolean {
  if (!sequencer.log.hasRoom()) return false;
  step(sequencer, true, sequenceTime(sequencer.state, now));
  return true;
}

function step(sequencer: Sequencer, ticks: boolean, time: number): void {
  sequencer.ticked = ticks;
  writeHeader(sequencer.own, 0, TICK_BYTES, ticks ? TICK : CONTINUE, 0, 0);
  sequence(sequencer, sequencer.own, 0, time);
}

export function takeVenueCommand(sequencer: Sequencer, views: Views, now: number): boolean {
  const kind = recordKind(views, 0);
  const isOwn = !isSignedKind(kind) && kind !== TICK && kind !== CONTINUE;
  if (!isOwn) throw new RangeError(`command ${kind} may not be sent by the venue itself`);
  if (!sequencer.log.hasRoom()) return false;
  sequence(sequencer, views, 0, sequenceTime(sequencer.state, now));
  return true;
}
