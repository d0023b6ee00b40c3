// options_chain: rows (a strike of an expiry) as in GET /options-chain, sent when a contract's text has changed. A mark tick may change
// every row of an underlying, so a queue is sent in parts. `seq` counts possible changes of the underlying's chain.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { BOOK_CHANGED, INDEX_UNDERLYING, INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED, INSTRUMENT_LISTED,
  MARKS_MOVED } from '../../../core/codec/events.ts';
import { ACTIVE, hasExpired, instrumentCount } from '../../../core/instruments/instruments.ts';
import { TIME } from '../../../core/engine/state.ts';
import { BOTH_LEGS, CALL_LEG, chainRowText, PUT_LEG } from '../../ipc/chain-row.ts';
import { chainLeg } from '../market/chain.ts';
import { number } from '../market/orderbook.ts';
import type { CurrentRecord } from '../history/rows.ts';
import { openFilter, regionsOf } from './chain-filter.ts';
import {
  CONFLATION_MS, type ChainFilter, type ChannelSource, type ChannelTopic, type GiveSnapshot, type SourceParts,
  type SnapshotOptions, type TopicKey,
} from './source.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';

export const ROWS_AT_ONCE = 50;

/** `sent`: the text last sent. `text`: of this vintage and index, '' if the book has changed. */
type Leg = { readonly slot: number; readonly symbol: string; sent: string; text: string; vintage: number; index: number };
type Row = {
  readonly underlying: number; readonly expiry: number; readonly strike: number; readonly regions: readonly string[];
  call: Leg | null; put: Leg | null;
};

export function optionsChainSource(parts: SourceParts): ChannelSource {
  const chain = new OptionsChain(parts);
  return {
    events: [MARKS_MOVED, BOOK_CHANGED, INSTRUMENT_LISTED, INSTRUMENT_EXPIRED, INSTRUMENT_DELETED],
    onEvent: (kind, f, record) => chain.onEvent(kind, f, record),
    open: (key) => openFilter(parts.state, parts.names, key),
    snapshot: (key, options, give) => chain.snapshot(key, options, give),
    end: () => chain.end(),
    isPending: () => chain.isPending,
    flush: (now) => chain.flush(now),
  };
}

class OptionsChain {
  readonly #parts: SourceParts;
  readonly #rows = new Map<string, Row>();
  readonly #bySlot = new Map<number, Row>();
  readonly #waiting = new Set<Row>();
  #flushedAt = -Infinity;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  get isPending(): boolean {
    return this.#waiting.size > 0;
  }

  onEvent(kind: number, f: Float64Array, { time }: CurrentRecord): void {
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

  snapshot({ filter }: TopicKey, { time }: SnapshotOptions, give: GiveSnapshot): void {
    if (this.#parts.topics.byKey.size === 0) this.#listAll(time);
    const messages: string[] = [];
    for (const row of this.#rows.values()) {
      const legs = legsOf(row).filter((leg) => isWanted(filter!, row, leg, this.#parts));
      if (legs.length === 0) continue;
      // Sent first, or this subscriber would get the pending change again.
      if (this.#waiting.delete(row)) this.#publish(row);
      const texts = legs.map((leg) => this.#text(leg));
      legs.forEach((leg, at) => this.#show(row, leg, texts[at]!));
      const { before, after } = this.#around(row, time);
      messages.push(`${before}${legs.map((leg, at) => this.#legText(leg, texts[at]!)).join('')}${after}`);
    }
    give({ seq: null, messages });
  }

  end(): void {
    if (this.#parts.topics.byKey.size > 0) return;
    this.#rows.clear();
    this.#bySlot.clear();
    this.#waiting.clear();
  }

  flush(now: number): void {
    if (now - this.#flushedAt < CONFLATION_MS) return;
    this.#flushedAt = now;
    let left = ROWS_AT_ONCE;
    for (const row of this.#waiting) {
      if (left-- === 0) return;
      this.#waiting.delete(row);
      this.#publish(row);
    }
  }

  #publish(row: Row): void {
    const { state, topics } = this.#parts;
    const to = this.#topicsOf(row);
    if (to.length === 0) return this.#forgetSent(row);
    let changed = 0;
    for (const leg of legsOf(row)) {
      const text = this.#text(leg);
      if (leg.sent !== text) changed |= this.#bitOf(leg);
      leg.sent = text;
    }
    if (changed === 0) return;
    const { call, put } = row;
    const texts = {
      ...this.#around(row, state.clock[TIME]!), ...(call !== null && { call: this.#legText(call, call.sent) }),
      ...(put !== null && { put: this.#legText(put, put.sent) }),
    };
    const message = chainRowText({ ...this.#headOf(row), call: call?.symbol ?? null, put: put?.symbol ?? null, changed }, texts);
    topics.sendOnce(to, state.streams.chains[row.underlying]!, Buffer.from(message));
  }

  #topicsOf({ regions }: Row): readonly ChannelTopic[] {
    const { byKey } = this.#parts.topics;
    return regions.flatMap((region) => byKey.get(region) ?? []);
  }

  #headOf({ underlying, expiry }: Row): { readonly underlying: string; readonly expiry: number } {
    return { underlying: this.#parts.names.underlying(underlying), expiry };
  }

  #around(row: Row, time: number): { readonly before: string; readonly after: string } {
    const { state, names } = this.#parts;
    const before = `{"type":"OptionsChainUpdate","action":"Upsert","currency":"${names.underlying(row.underlying)}",`
      + `"expiry":${row.expiry / 1_000},"row":{"strike":${number(row.strike)}`;
    return { before, after: `},"timestamp":${time},"seq":${state.streams.chains[row.underlying]!}}` };
  }

  #legText({ slot }: Leg, text: string): string {
    return `,"${typeOf(this.#parts.state.instruments.kind[slot]!)}":${text}`;
  }

  #bitOf({ slot }: Leg): number {
    return this.#parts.state.instruments.kind[slot] === CALL ? CALL_LEG : PUT_LEG;
  }

  #remove(slot: number, time: number): void {
    const { state: { instruments, streams }, topics } = this.#parts;
    const row = this.#bySlot.get(slot);
    const leg = row === undefined ? undefined : legsOf(row).find((one) => one.slot === slot);
    if (row === undefined || leg === undefined) return;
    const seq = streams.chains[row.underlying]!;
    const type = typeOf(instruments.kind[slot]!);
    const head = this.#headOf(row);
    const message = JSON.stringify({
      type: 'OptionsChainUpdate', action: 'Remove', currency: head.underlying, expiry: row.expiry / 1_000,
      strike: row.strike / 1e6, option_type: type, symbol: leg.symbol, timestamp: time, seq,
    } satisfies MessageNamed<'OptionsChainUpdate'>);
    const legs = { call: type === 'call' ? leg.symbol : null, put: type === 'put' ? leg.symbol : null };
    const body = chainRowText({ ...head, ...legs, changed: BOTH_LEGS }, { before: message });
    topics.sendOnce(this.#topicsOf(row), seq, Buffer.from(body));
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
    const row: Row = this.#rows.get(keyOf(place))
      ?? { ...place, regions: regionsOf(names.underlying(place.underlying), place.expiry), call: null, put: null };
    row[typeOf(instruments.kind[slot]!)] = { slot, symbol: names.symbol(slot), sent: '', text: '', vintage: 0, index: 0 };
    this.#rows.set(keyOf(row), row);
    this.#bySlot.set(slot, row);
    this.#wait(row);
  }

  #wait(row: Row): void {
    if (this.#topicsOf(row).length > 0) this.#waiting.add(row);
    else this.#forgetSent(row);
  }

  #forgetSent(row: Row): void {
    for (const leg of legsOf(row)) leg.sent = '';
  }

  #show(row: Row, leg: Leg, text: string): void {
    if (leg.sent === text) return;
    const isFirst = leg.sent === '' || this.#topicsOf(row).length === 0;
    leg.sent = isFirst ? text : '';
    if (!isFirst) this.#waiting.add(row);
  }

  #text(leg: Leg): string {
    const { state, names, greeksCache } = this.#parts;
    const underlying = state.instruments.underlying[leg.slot]!;
    const [vintage, index] = [state.valuation.vintage[underlying]!, state.valuation.index[underlying]!];
    if (leg.text !== '' && leg.vintage === vintage && leg.index === index) return leg.text;
    leg.text = chainLeg(state, names, greeksCache, leg.slot, 'both');
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
