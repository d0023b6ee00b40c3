// Handles operator requests from admin routes. Each is answered when its effect is durable, or at its deadline.

import { CANCEL_WALLET, DELETE_MARKET, FLAG_SURFACE_AGELESS, LIST_MARKET, SET_WALLET_MODE } from '../../core/codec/commands.ts';
import { CLOCK_BEHIND, CLOCK_MOVING, CLOCK_TOO_FAR, ENGINE_BUSY, INVALID_MARKET, OK, UNKNOWN_UNDERLYING } from '../../core/errors.ts';
import type { Views } from '../../core/codec/record.ts';
import { ACTIVE, findInstrument } from '../../core/instruments/instruments.ts';
import { ADD_MARKET, isQueued } from '../../core/lifecycle/work-queue.ts';
import { DAY } from '../../core/units.ts';
import type { ControlDone, ControlRequest } from '../api/control.ts';
import { toHex } from '../http/hex.ts';
import { BOUNDS, CLOCK_ANSWER_MS, MOST_CLOCK_STEP_DAYS, SWEEP_EVERY } from '../http/limits.ts';
import { steady, type VenueClock } from './clock.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { Config } from './config.ts';
import { underlyingNames, NO_SURFACE } from './market.ts';
import type { MainLoop } from './threads/main-loop.ts';
import type { Thread } from './threads/thread.ts';
import {
  competitionRecord, creditRecord, type CreditTerms, marketRecord, type MarketTerms, settlementRecord, surfaceRecord, tradingModeRecord,
  walletRecord,
} from './venue-commands.ts';

type OperatorCaller = { readonly api: Thread; readonly id: number; readonly until: number };
const GIVE_UP_AFTER = BOUNDS.answerMs + 2 * SWEEP_EVERY;

type RequestOfType<T> = ControlRequest & { readonly type: T };
type Named = Exclude<ControlRequest['type'], 'clock' | 'competition' | 'credit' | 'trading-mode' | 'wallet-mode' | 'cancel-wallet'>;

export function serveOperator(api: Thread, loop: MainLoop, { feed }: Pick<Config, 'feed'>): void {
  const on = <T extends ControlRequest['type']>(type: T, take: (caller: OperatorCaller, request: RequestOfType<T>) => void): void => {
    api.on<ControlRequest>(type, (request) => {
      const caller = callerOf(api, request);
      loop.whenIdle(() => take(caller, request as RequestOfType<T>));
    });
  };
  const serve = <T extends Named>(
    type: T, take: (caller: OperatorCaller, underlying: number, request: RequestOfType<T>) => void,
  ): void => on(type, (caller, request) => {
    const underlying = underlyingNames(loop.state).indexOf((request as RequestOfType<Named>).underlying);
    if (underlying < 0) reply(caller, UNKNOWN_UNDERLYING);
    else take(caller, underlying, request);
  });
  serve('index-price', (caller, underlying, { price, stale }) => {
    loop.setIndex(underlying, { price, ...NO_SURFACE }, { isAgeless: true, isStale: stale });
    waitFor(caller, () => loop.isIndexTaken(underlying), () => replyWhenMarked(caller, loop, underlying, OK));
  });
  serve('settlement-price', (caller, at, { expiry, price }) => sendCommand(caller, loop, settlementRecord(at, expiry, price)));
  const flags = feed === 'manual' ? FLAG_SURFACE_AGELESS : 0;
  serve('vol-surface', (caller, underlying, { expiry, ...shape }) => {
    if (!loop.send(surfaceRecord(underlying, expiry, shape, flags))) reply(caller, ENGINE_BUSY);
    else replyWhenMarked(caller, loop, underlying, loop.state.result.code);
  });
  serve('list-market', (caller, underlying, terms) => sendCommand(caller, loop, marketRecord(LIST_MARKET, underlying, terms), {
    isDone: () => !isQueued(loop.state.work, ADD_MARKET, underlying, terms.expiry, terms.strike, terms.kind),
    outcome: () => outcomeOfListing(loop, underlying, terms),
  }));
  serve('delete-market', (caller, underlying, terms) => sendCommand(caller, loop, marketRecord(DELETE_MARKET, underlying, terms)));
  on('trading-mode', (caller, { contract, mode, underlying: name }) => {
    const underlying = underlyingNames(loop.state).indexOf(name);
    if (name !== '' && underlying < 0) reply(caller, UNKNOWN_UNDERLYING);
    else sendCommand(caller, loop, tradingModeRecord(underlying, contract, mode));
  });
  on('wallet-mode', (caller, { mode, wallet }) => sendCommand(caller, loop, walletRecord(SET_WALLET_MODE, addressBytes(wallet), mode)));
  on('cancel-wallet', (caller, { wallet }) => sendCommand(caller, loop, walletRecord(CANCEL_WALLET, addressBytes(wallet), 0)));
  on('competition', (caller, request) => sendCommand(caller, loop, competitionRecord(request)));
  on('credit', (caller, request) => sendCredit(caller, loop, request));
}

function callerOf(api: Thread, { id }: ControlRequest): OperatorCaller {
  return { api, id, until: steady() + GIVE_UP_AFTER };
}

export function serveClock(api: Thread, loop: MainLoop, steps: ClockSteps, tell: (clock: VenueClock) => Promise<void>): void {
  api.on<RequestOfType<'clock'>>('clock', (request) => {
    const caller = callerOf(api, request);
    const late = setTimeout(() => reply(caller, CLOCK_MOVING), CLOCK_ANSWER_MS);
    const answer = (code: number, seq = 0): void => {
      clearTimeout(late);
      reply(caller, code, { time: steps.time, seq });
    };
    steps.ask(() => {
      const to = request.to ?? steps.time + request.by!;
      if (to < steps.time) return answer(CLOCK_BEHIND);
      if (to > steps.time + MOST_CLOCK_STEP_DAYS * DAY) return answer(CLOCK_TOO_FAR);
      steps.begin(to, () => void tell(steps.clock).then(() => whenDurable(caller, loop, (seq) => answer(OK, seq))));
    });
  });
}

function addressBytes(wallet: string): Uint8Array {
  return Buffer.from(wallet.slice(2), 'hex');
}

/** The core skips a listing if the expiry has passed or there is no room. */
function outcomeOfListing({ state, time }: MainLoop, underlying: number, { expiry, strike, kind }: MarketTerms): number {
  const slot = findInstrument(state.instruments, underlying, expiry, strike, kind);
  if (slot >= 0 && (state.instruments.status[slot] === ACTIVE || expiry > time)) return OK;
  return expiry <= time ? INVALID_MARKET : ENGINE_BUSY;
}

type FollowUp = { readonly isDone: () => boolean; readonly outcome: () => number };
const NO_FOLLOW_UP: FollowUp = { isDone: () => true, outcome: () => OK };

function sendCommand(caller: OperatorCaller, loop: MainLoop, record: Views, { isDone, outcome } = NO_FOLLOW_UP): void {
  if (!loop.send(record)) return reply(caller, ENGINE_BUSY);
  const { time } = loop;
  const { code, numbers } = loop.state.result;
  const number = numbers[0] ?? 0;
  waitFor(caller, () => code !== OK || isDone(), () => {
    const ended = code === OK ? outcome() : code;
    whenDurable(caller, loop, (seq) => reply(caller, ended, { number, time, seq }));
  });
}

function sendCredit(caller: OperatorCaller, loop: MainLoop, terms: CreditTerms): void {
  if (!loop.send(creditRecord(terms))) return reply(caller, ENGINE_BUSY);
  const { credits, result: { code, numbers } } = loop.state;
  const row = numbers[0]!;
  const credit = code !== OK ? undefined : {
    wallet: toHex(new Uint8Array(credits.wallets.buffer, credits.wallets.byteOffset + row * 20, 20)), amount: credits.amount[row]!,
    balance: credits.balance[row]!,
  };
  const time = credit === undefined ? loop.time : credits.time[row]!;
  whenDurable(caller, loop, (seq) => reply(caller, code, { time, seq, ...(credit && { credit }) }));
}

function replyWhenMarked(caller: OperatorCaller, loop: MainLoop, underlying: number, code: number): void {
  const { time } = loop;
  const { markedAt, pending } = loop.state.valuation;
  // With a fast clock, newer marks are always pending.
  const isMarked = (): boolean => pending[underlying] === 0 || markedAt[underlying]! > time;
  waitFor(caller, isMarked, () => whenDurable(caller, loop, (seq) => reply(caller, code, { seq })));
}

function reply({ api, id }: OperatorCaller, code: number, done: Partial<ControlDone> = {}): void {
  api.post({ number: 0, time: 0, seq: 0, ...done, type: 'control-done', id, code } satisfies ControlDone);
}

function whenDurable(caller: OperatorCaller, loop: MainLoop, done: (seq: number) => void): void {
  const { seq } = loop;
  waitFor(caller, () => loop.isDurable(seq), () => done(seq));
}

function waitFor(caller: OperatorCaller, isSo: () => boolean, done: () => void): void {
  if (isSo()) done();
  else if (steady() >= caller.until) reply(caller, ENGINE_BUSY);
  else setTimeout(() => waitFor(caller, isSo, done), 1);
}
