// Options and perps (strike and expiry 0), one row per contract (decision 2.1). The slot numbers its book, mark and holdings; the published
// id is a counter from 1. When rows run out, settled contracts' rows are reused. Strike in price units, expiry ms.

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section, uint8 } from '../columns.ts';
import { hashTwo, mixWord, finishHash, removeEntry, tableSize } from '../math/hash.ts';
import { PERP } from '../codec/commands.ts';
import { HIGH } from '../codec/record.ts';
import { MAX_UNDERLYINGS } from '../limits.ts';
import { createTradingModes, MARKET_OPEN, tradingModeSections, type TradingModes } from './trading-mode.ts';

export const ACTIVE = 1;
export const EXPIRED_PENDING_PRICE = 2;
export const SETTLED = 3;
/** The operator deleted it while nobody held it. The row stays until expiry. */
export const DELETED = 4;

const ROWS = 0;
const IDS = 1;
/** Rows of settled contracts. */
const SPENT = 2;
const NEXT_SPENT = 3;

export type Instruments = {
  readonly capacity: number;
  readonly counters: Float64Array;
  readonly id: Float64Array;
  readonly underlying: Int32Array;
  readonly expiry: Float64Array;
  readonly strike: Float64Array;
  /** PUT, CALL or PERP. */
  readonly kind: Uint8Array;
  readonly status: Uint8Array;
  readonly listedAt: Float64Array;
  /** Sum of long positions, 1e-6 contracts. */
  readonly openInterest: Float64Array;
  readonly modes: TradingModes;
  /** Index: slot of each underlying's perp, -1 if none. */
  readonly perpOf: Int32Array;
  readonly table: Int32Array;
  readonly home: (slot: number) => number;
};

export function createInstruments(capacity: number): Instruments {
  const underlying = int32(capacity);
  const expiry = float64(capacity);
  const strike = float64(capacity);
  const kind = uint8(capacity);
  return {
    capacity, counters: float64(4), id: float64(capacity), underlying, expiry, strike, kind,
    status: uint8(capacity), listedAt: float64(capacity), openInterest: float64(capacity),
    modes: createTradingModes(capacity),
    perpOf: int32(MAX_UNDERLYINGS).fill(-1), table: int32(tableSize(capacity)).fill(-1),
    home: (slot) => hash(underlying[slot], expiry[slot], strike[slot], kind[slot]),
  };
}

export function instrumentCount(instruments: Instruments): number {
  return instruments.counters[ROWS];
}

export function hasExpired(instruments: Instruments, slot: number, time: number): boolean {
  return instruments.kind[slot] !== PERP && instruments.expiry[slot] <= time;
}

/** True until the venue has handled the instrument's expiry. */
export function isUnexpired({ status }: Instruments, slot: number): boolean {
  return status[slot] === ACTIVE || status[slot] === DELETED;
}

export function instrumentRoom({ capacity, counters }: Instruments): number {
  return capacity - counters[ROWS] + counters[SPENT];
}

function hash(underlying: number, expiry: number, strike: number, kind: number): number {
  const h = mixWord(mixWord(hashTwo(underlying, kind), expiry >>> 0), strike >>> 0);
  return finishHash(mixWord(h, Math.floor(strike / HIGH)));
}

export function findInstrument(instruments: Instruments, underlying: number, expiry: number, strike: number, kind: number): number {
  const { table } = instruments;
  const mask = table.length - 1;
  for (let at = hash(underlying, expiry, strike, kind) & mask; ; at = (at + 1) & mask) {
    const slot = table[at];
    if (slot < 0) return -1;
    if (instruments.strike[slot] === strike && instruments.expiry[slot] === expiry
      && instruments.kind[slot] === kind && instruments.underlying[slot] === underlying) return slot;
  }
}

export function addInstrument(
  instruments: Instruments, underlying: number, expiry: number, strike: number, kind: number, time: number,
): number {
  assert(findInstrument(instruments, underlying, expiry, strike, kind) < 0, 'instruments: a contract is listed once');
  const slot = takeRow(instruments);
  instruments.id[slot] = ++instruments.counters[IDS];
  instruments.underlying[slot] = underlying;
  instruments.expiry[slot] = expiry;
  instruments.strike[slot] = strike;
  instruments.kind[slot] = kind;
  instruments.status[slot] = ACTIVE;
  instruments.listedAt[slot] = time;
  instruments.modes.contract[slot] = MARKET_OPEN;
  enter(instruments, slot);
  return slot;
}

/** Nobody may hold the contract, and its book must be empty. */
export function settleInstrument({ counters, openInterest, status }: Instruments, slot: number): void {
  assert(status[slot] !== SETTLED, 'instruments: a contract is settled once');
  status[slot] = SETTLED;
  openInterest[slot] = 0;
  counters[SPENT]++;
  assert(counters[SPENT] <= counters[ROWS], 'instruments: settled contracts are some of all');
}

function takeRow({ capacity, counters, home, status, table }: Instruments): number {
  if (counters[ROWS] < capacity) return counters[ROWS]++;
  assert(counters[SPENT] > 0, 'instruments: room was checked');
  let slot = counters[NEXT_SPENT];
  while (status[slot] !== SETTLED) slot = (slot + 1) % capacity;
  counters[NEXT_SPENT] = (slot + 1) % capacity;
  counters[SPENT]--;
  const mask = table.length - 1;
  let at = home(slot) & mask;
  while (table[at] !== slot) {
    assert(table[at] >= 0, 'instruments: a contract is in the index');
    at = (at + 1) & mask;
  }
  removeEntry(table, at, home);
  return slot;
}

function enter(instruments: Instruments, slot: number): void {
  if (instruments.kind[slot] === PERP) instruments.perpOf[instruments.underlying[slot]] = slot;
  const { home, table } = instruments;
  const mask = table.length - 1;
  let at = home(slot) & mask;
  while (table[at] >= 0) at = (at + 1) & mask;
  table[at] = slot;
}

export function instrumentSections(instruments: Instruments): readonly Section[] {
  const rows = () => instruments.counters[ROWS];
  const per = (name: string, column: Section['column']): Section => ({ name: `instruments.${name}`, column, used: rows });
  return [
    fixedSection('instruments.counters', instruments.counters),
    per('id', instruments.id), per('underlying', instruments.underlying), per('expiry', instruments.expiry),
    per('strike', instruments.strike), per('kind', instruments.kind), per('status', instruments.status),
    per('listedAt', instruments.listedAt), per('openInterest', instruments.openInterest),
    ...tradingModeSections(instruments.modes, rows),
  ];
}

export function rebuildInstruments(instruments: Instruments): void {
  instruments.perpOf.fill(-1);
  instruments.table.fill(-1);
  for (let slot = 0; slot < instruments.counters[ROWS]; slot++) enter(instruments, slot);
}
