// options_chain: rows of the options chain, one strike of one expiry with its call and its put, as GET /options-chain shows them.
// A row is told when one of its contracts is quoted or valued otherwise than it was told last, a contract that is gone at once. What
// may have changed waits in line, and a part of the line is looked at in one go: a mark tick changes every row of an underlying.
// `seq` counts what could change the chain of the underlying, so it says how new a row is; rows that changed together share it.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { BOOK_CHANGED, INDEX_UNDERLYING, INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED, INSTRUMENT_LISTED,
  MARKS_MOVED } from '../../../core/codec/events.ts';
import { ACTIVE, hasExpired, instrumentCount } from '../../../core/instruments/instruments.ts';
import { TIME } from '../../../core/engine/state.ts';
import { partOf } from '../../http/source.ts';
import type { Asker } from '../../protocol/queries.ts';
import { chainLeg } from '../market/chain.ts';
import { number } from '../market/orderbook.ts';
import type { RecordInHand } from '../history/rows.ts';
import { isPlain, openFilter, readFilter, type ChainFilter } from './chain-filter.ts';
import { CONFLATION_MS, type Key, type Ready, type ChannelSource, type SourceParts, type Topic, type Wish } from './source.ts';

/** Rows looked at in one go, every CONFLATION_MS. */
const ROWS_AT_ONCE = 50;
/**
 * Filters in use at once, plain ones aside: each is held against each row, and strangers can make up as many as they like. A network
 * source has a part of them (partOf in shell/http/source).
 */
const MOST_FILTERS = 1_000;

/**
 * One contract: what was told of it last, and how many topics want it; how it is shown as long as its book stays as it is ('': it has
 * not), with marks of that vintage and at that index.
 */
type Leg = {
  readonly slot: number; readonly symbol: string; told: string; wanted: number; text: string; vintage: number; index: number;
};
type Row = { readonly underlying: number; readonly expiry: number; readonly strike: number; call: Leg | null; put: Leg | null };
/** `maker`: the source that asked for the filter first and has it counted until nobody listens; null: it is plain. */
type Listener = { readonly filter: ChainFilter; readonly maker: number | null; readonly topic: () => Topic | undefined };

export function optionsChainSource(parts: SourceParts): ChannelSource {
  const chain = new OptionsChain(parts);
  return {
    hears: [MARKS_MOVED, BOOK_CHANGED, INSTRUMENT_LISTED, INSTRUMENT_EXPIRED, INSTRUMENT_DELETED],
    note: (kind, f, record) => chain.note(kind, f, record),
    open: (key) => openFilter(parts.state, parts.names, key),
    stand: (key, wish, ready) => chain.stand(key, wish, ready),
    end: (key) => chain.end(key),
    isPending: () => chain.isPending,
    flush: (now) => chain.flush(now),
  };
}

class OptionsChain {
  readonly #parts: SourceParts;
  /** All of the venue's, while somebody listens: by underlying, expiry and strike, and by slot. */
  readonly #rows = new Map<string, Row>();
  readonly #bySlot = new Map<number, Row>();
  /** Those that may have changed since they were told, in line. */
  readonly #waiting = new Set<Row>();
  readonly #listeners = new Map<string, Listener>();
  /** Of them, those that are not plain, in all and by source. */
  #made = 0;
  readonly #madeBy = new Map<number, number>();
  #flushedAt = -Infinity;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  get isPending(): boolean {
    return this.#waiting.size > 0;
  }

  note(kind: number, f: Float64Array, { time }: RecordInHand): void {
    if (kind === MARKS_MOVED) {
      for (const row of this.#rows.values()) if (row.underlying === f[INDEX_UNDERLYING]) this.#wait(row);
    } else if (kind === BOOK_CHANGED) {
      const row = this.#bySlot.get(f[INSTRUMENT]!);
      if (row === undefined) return;
      for (const leg of legsOf(row)) if (leg.slot === f[INSTRUMENT]) leg.text = '';
      this.#wait(row);
    } else if (kind === INSTRUMENT_LISTED) {
      this.#list(f[INSTRUMENT]!);
    } else {
      this.#remove(f[INSTRUMENT]!, time);
    }
  }

  stand({ key }: Key, { time, asker }: Wish, ready: Ready): void {
    if (this.#listeners.size === 0) this.#listAll(time);
    const filter = this.#listeners.get(key)?.filter ?? this.#listen(key, asker!);
    if (typeof filter === 'string') return ready(filter);
    const messages: string[] = [];
    for (const row of this.#rows.values()) {
      const legs = legsOf(row).filter((leg) => isWanted(filter, row, leg, this.#parts));
      if (legs.length === 0) continue;
      const texts = legs.map((leg) => this.#text(leg));
      legs.forEach((leg, at) => this.#show(row, leg, texts[at]!));
      messages.push(this.#upsert(row, legs, texts, time));
    }
    ready({ seq: null, messages });
  }

  /** A text says why there are too many. */
  #listen(key: string, asker: Asker): ChainFilter | string {
    const filter = readFilter(key);
    const plain = isPlain(this.#parts.state, filter, (expiry) => [...this.#rows.values()].some((row) => row.expiry === expiry));
    if (!plain) {
      const refusal = this.#make(asker);
      if (refusal !== null) return refusal;
    }
    this.#listeners.set(key, { filter, maker: plain ? null : asker.digest, topic: () => this.#parts.topics.byKey.get(key) });
    this.#count(filter, 1);
    return filter;
  }

  /** Counts one that is not plain. */
  #make({ digest, loopback }: Asker): string | null {
    const made = this.#madeBy.get(digest) ?? 0;
    const most = partOf(MOST_FILTERS, loopback);
    if (made >= most) return `Too many filters of options_chain: ${most} is the maximum of one source`;
    if (this.#made >= MOST_FILTERS) return 'Too many filters of options_chain are in use';
    this.#made++;
    this.#madeBy.set(digest, made + 1);
    return null;
  }

  #unmake(maker: number): void {
    const left = this.#madeBy.get(maker)! - 1;
    if (left === 0) this.#madeBy.delete(maker);
    else this.#madeBy.set(maker, left);
    this.#made--;
  }

  end({ key }: Key): void {
    const listener = this.#listeners.get(key);
    if (listener === undefined) return;
    this.#listeners.delete(key);
    if (listener.maker !== null) this.#unmake(listener.maker);
    if (this.#listeners.size > 0) return this.#count(listener.filter, -1);
    this.#rows.clear();
    this.#bySlot.clear();
    this.#waiting.clear();
  }

  /** Tells the next rows in line, if their time has come. */
  flush(now: number): void {
    if (now - this.#flushedAt < CONFLATION_MS) return;
    this.#flushedAt = now;
    let left = ROWS_AT_ONCE;
    for (const row of this.#waiting) {
      if (left-- === 0) return;
      this.#waiting.delete(row);
      this.#tell(row);
    }
  }

  /** To each filter the contracts that it wants, if one of them has changed; each message is made once. */
  #tell(row: Row): void {
    const { state, topics } = this.#parts;
    const legs = legsOf(row);
    const texts = legs.map((leg) => (leg.wanted > 0 ? this.#text(leg) : ''));
    const isChanged = legs.map((leg, at) => leg.wanted > 0 && leg.told !== texts[at]);
    if (!isChanged.includes(true)) return;
    legs.forEach((leg, at) => { leg.told = texts[at]!; });
    const made = new Map<string, Uint8Array>();
    for (const { filter, topic } of this.#listeners.values()) {
      const to = topic();
      const wanted = legs.map((leg) => isWanted(filter, row, leg, this.#parts));
      if (to === undefined || !wanted.some((is, at) => is && isChanged[at])) continue;
      const which = wanted.join();
      let message = made.get(which);
      if (message === undefined) {
        const isTold = (_: unknown, at: number): boolean => wanted[at]!;
        message = Buffer.from(this.#upsert(row, legs.filter(isTold), texts.filter(isTold), state.clock[TIME]!));
        made.set(which, message);
      }
      topics.send(to, state.streams.chains[row.underlying]!, message);
    }
  }

  #upsert(row: Row, legs: readonly Leg[], texts: readonly string[], time: number): string {
    const { state, names } = this.#parts;
    const parts = legs.map(({ slot }, at) => `,"${typeOf(state.instruments.kind[slot]!)}":${texts[at]!}`);
    return `{"type":"OptionsChainUpdate","action":"Upsert","currency":"${names.underlying(row.underlying)}","expiry":${row.expiry / 1_000},`
      + `"row":{"strike":${number(row.strike)}${parts.join('')}},"timestamp":${time},"seq":${state.streams.chains[row.underlying]!}}`;
  }

  /** The contract has come to an end: whoever was told of it is told. */
  #remove(slot: number, time: number): void {
    const { state: { instruments, streams }, names, topics } = this.#parts;
    const row = this.#bySlot.get(slot);
    const leg = row === undefined ? undefined : legsOf(row).find((one) => one.slot === slot);
    if (row === undefined || leg === undefined) return;
    const seq = streams.chains[row.underlying]!;
    const type = typeOf(instruments.kind[slot]!);
    const message = Buffer.from(JSON.stringify({
      type: 'OptionsChainUpdate', action: 'Remove', currency: names.underlying(row.underlying), expiry: row.expiry / 1_000,
      strike: row.strike / 1e6, option_type: type, symbol: leg.symbol, timestamp: time, seq,
    }));
    for (const { filter, topic } of this.#listeners.values()) {
      const to = topic();
      if (to !== undefined && isWanted(filter, row, leg, this.#parts)) topics.send(to, seq, message);
    }
    row[type] = null;
    this.#bySlot.delete(slot);
    if (row.call !== null || row.put !== null) return;
    this.#rows.delete(keyOf(row));
    this.#waiting.delete(row);
  }

  #listAll(time: number): void {
    const { instruments } = this.#parts.state;
    const rows = instrumentCount(instruments);
    for (let slot = 0; slot < rows; slot++) {
      if (instruments.status[slot] === ACTIVE && !hasExpired(instruments, slot, time)) this.#list(slot);
    }
  }

  #list(slot: number): void {
    const { state: { instruments }, names } = this.#parts;
    if (instruments.kind[slot] === PERP) return;
    const place = { underlying: instruments.underlying[slot]!, expiry: instruments.expiry[slot]!, strike: instruments.strike[slot]! };
    const row: Row = this.#rows.get(keyOf(place)) ?? { ...place, call: null, put: null };
    const leg: Leg = { slot, symbol: names.symbol(slot), told: '', wanted: 0, text: '', vintage: 0, index: 0 };
    for (const { filter } of this.#listeners.values()) if (isWanted(filter, row, leg, this.#parts)) leg.wanted++;
    row[typeOf(instruments.kind[slot]!)] = leg;
    this.#rows.set(keyOf(row), row);
    this.#bySlot.set(slot, row);
    this.#wait(row);
  }

  /** A topic wants contracts, or wants them no more. */
  #count(filter: ChainFilter, by: 1 | -1): void {
    for (const row of this.#rows.values()) {
      for (const leg of legsOf(row)) {
        if (!isWanted(filter, row, leg, this.#parts)) continue;
        leg.wanted += by;
        if (leg.wanted === 0) leg.told = '';
      }
    }
  }

  #wait(row: Row): void {
    if (legsOf(row).some(({ wanted }) => wanted > 0)) this.#waiting.add(row);
  }

  /** The contract is shown to one more; if the others have not seen it so, and would not, they are told of it too. */
  #show(row: Row, leg: Leg, text: string): void {
    if (this.#waiting.has(row) || leg.told === text) return;
    const isNew = leg.told === '';
    leg.told = isNew ? text : '';
    if (!isNew) this.#waiting.add(row);
  }

  /** How the contract is shown now: made once for all who ask, until something that it shows has changed. */
  #text(leg: Leg): string {
    const { state, names, measures } = this.#parts;
    const underlying = state.instruments.underlying[leg.slot]!;
    const [vintage, index] = [state.valuation.vintage[underlying]!, state.valuation.index[underlying]!];
    if (leg.text !== '' && leg.vintage === vintage && leg.index === index) return leg.text;
    leg.text = chainLeg(state, names, measures, leg.slot, 'both');
    leg.vintage = vintage;
    leg.index = index;
    return leg.text;
  }
}

function legsOf({ call, put }: Row): Leg[] {
  return [call, put].filter((leg) => leg !== null);
}

function isWanted(filter: ChainFilter, { underlying, expiry }: Row, { slot, symbol }: Leg, { state, names }: SourceParts): boolean {
  if (filter.expiry !== null && filter.expiry !== expiry) return false;
  if (filter.type !== null && filter.type !== typeOf(state.instruments.kind[slot]!)) return false;
  return filter.symbols === null || filter.symbols.has(symbol) || filter.symbols.has(names.underlying(underlying));
}

function typeOf(kind: number): 'call' | 'put' {
  return kind === CALL ? 'call' : 'put';
}

function keyOf({ underlying, expiry, strike }: { underlying: number; expiry: number; strike: number }): string {
  return `${underlying} ${expiry} ${strike}`;
}
