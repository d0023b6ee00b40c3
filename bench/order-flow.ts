// The benchmark of the matching core: runs a LOBBENC1 order flow through the production book and prints commands per second.
//   node bench/order-flow.ts multi|single|FILE   (default multi: the flow of 256 symbols; single: of one)
//   Timed: decoding, price key, order id index, matching, cancelling, one 48-byte event record for every accept, trade, cancel and
//   kill, and the digest of the trades. Not timed: reading the file, creating the books, the preload.
// A figure counts only if trades, quantity and digest are the expected ones; anything else throws. Buys belong to account 1, sells to 2.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cancelOrder, createBooks, hasBookRoom, restOrder } from '../core/book/books.ts';
import type { Books } from '../core/book/layout.ts';
import { canFill, nextMaker, startTaking, takeMaker, takerRemaining } from '../core/book/matching.ts';
import { findOrder, orderIdLo, orderInstrument, orderKey, orderRemaining, orderSide, releaseOrder } from '../core/book/pool.ts';
import { priceKeyOf, priceOfKey } from '../core/book/price-key.ts';
import { PRODUCTION } from '../core/limits.ts';
import { tuneRuntime } from '../shell/process/v8-flags.ts';
import { STANDARD_FLOWS } from './flow-generator.ts';
import { figure, heading, median, spread } from './machine.ts';

const LIMIT = 0;
const FILL_OR_KILL = 2;
const CANCEL = 3;
const HEADER_WORDS = 16;

const ACCEPTED = 1;
const TRADED = 2;
const CANCELLED = 3;
const KILLED = 4;

const REPETITIONS = 15;
/** One command in this many is timed separately. */
const STRIDE = 7;

/** Small enough for the ring to stay in the L1 cache. */
const RING_EVENTS = 256;
const EVENT_NUMBERS = 6;
/** Events of one command that fit behind the drain mark; the flow has at most 33 trades a command. */
const SLACK = 128;

type Flow = {
  readonly words: Uint32Array; readonly symbols: number; readonly preload: number; readonly commands: number;
  readonly trades: number; readonly quantity: number; readonly digest: number;
};

/** The event ring, 6 numbers an event: head (kind, side << 3, instrument << 4), order id, maker id, price, size, size left. */
type Events = {
  readonly numbers: Float64Array;
  count: number; written: number; trades: number; quantity: number; digest: number;
};

function generated(name: string): Buffer {
  return execFileSync(process.execPath, [fileURLToPath(new URL('flow-generator.ts', import.meta.url)), name], { maxBuffer: 2 ** 26 });
}

function readFlow(name: string): Flow {
  const bytes = STANDARD_FLOWS[name] === undefined ? readFileSync(name) : generated(name);
  if (bytes.toString('latin1', 0, 8) !== 'LOBBENC1') throw new Error(`${name} is no LOBBENC1 file`);
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return {
    words, symbols: words[2]!, preload: words[3]!, commands: words[4]!, trades: words[8]!, quantity: words[9]!, digest: words[10]!,
  };
}

function createEvents(): Events {
  const numbers = new Float64Array((RING_EVENTS + SLACK) * EVENT_NUMBERS);
  return { numbers, count: 0, written: 0, trades: 0, quantity: 0, digest: 0x811c9dc5 | 0 };
}

function writeEvent(events: Events, head: number, id: number, maker: number, price: number, size: number, left: number): void {
  const { numbers } = events;
  const at = events.count * EVENT_NUMBERS;
  events.count++;
  numbers[at] = head;
  numbers[at + 1] = id;
  numbers[at + 2] = maker;
  numbers[at + 3] = price;
  numbers[at + 4] = size;
  numbers[at + 5] = left;
}

function drainEvents(events: Events): void {
  const { numbers } = events;
  let hash = events.digest;
  for (let i = 0; i < events.count; i++) {
    const at = i * EVENT_NUMBERS;
    if ((numbers[at]! & 7) !== TRADED) continue;
    const size = numbers[at + 4]!;
    hash = mix(mix(mix(mix(hash, numbers[at + 1]! | 0), numbers[at + 2]! | 0), numbers[at + 3]! | 0), size | 0);
    events.trades++;
    events.quantity += size;
  }
  events.digest = hash;
  events.written += events.count;
  events.count = 0;
}

function mix(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, 0x01000193);
  return product ^ (product >>> 15);
}

function playCancel(books: Books, events: Events, id: number): void {
  const slot = findOrder(books, id, 0);
  if (slot < 0) throw new Error(`order ${id} is not open`);
  const head = CANCELLED | (orderSide(books, slot) << 3) | (orderInstrument(books, slot) << 4);
  writeEvent(events, head, id, 0, priceOfKey(orderKey(books, slot)), orderRemaining(books, slot), 0);
  cancelOrder(books, slot);
}

function playOrder(books: Books, events: Events, type: number, place: number, price: number, size: number, id: number): void {
  const side = (place >> 3) & 1;
  const instrument = place >> 4;
  const account = side + 1;
  const key = priceKeyOf(price);
  if (key < 0 || !hasBookRoom(books, 0, 0)) throw new Error(`order ${id} is refused`);
  writeEvent(events, ACCEPTED | place, id, 0, price, size, size);
  if (type === FILL_OR_KILL && !canFill(books, instrument, side, key, size, account)) {
    writeEvent(events, KILLED | place, id, 0, price, size, 0);
    return;
  }
  startTaking(books, instrument, side, key, size);
  // The loop of core/trading/taker without money. Buys and sells have one account each, so no order meets its own.
  for (let maker = nextMaker(books); maker !== 0; maker = nextMaker(books)) takeOne(books, events, TRADED | place, id, maker);
  const left = takerRemaining(books);
  if (left === 0) return;
  if (type === LIMIT) restOrder(books, instrument, side, key, account, id, left);
  else writeEvent(events, CANCELLED | place, id, 0, price, left, 0);
}

function takeOne(books: Books, events: Events, head: number, id: number, maker: number): void {
  const resting = orderRemaining(books, maker);
  takeMaker(books, maker);
  const left = orderRemaining(books, maker);
  writeEvent(events, head, id, orderIdLo(books, maker), priceOfKey(orderKey(books, maker)), resting - left, left);
  if (left === 0) releaseOrder(books, maker);
}

function fillRing(books: Books, events: Events, words: Uint32Array, from: number, to: number): number {
  let at = from;
  while (at < to && events.count < RING_EVENTS) {
    const head = words[at]!;
    const type = head & 0xff;
    if (type === CANCEL) playCancel(books, events, words[at + 3]!);
    else playOrder(books, events, type, ((head >> 5) & 8) | ((head >>> 16) << 4), words[at + 1]!, words[at + 2]!, words[at + 3]!);
    at += 4;
  }
  return at;
}

function play(books: Books, events: Events, words: Uint32Array, from: number, to: number): void {
  let at = from;
  while (at < to) {
    at = fillRing(books, events, words, at, to);
    drainEvents(events);
  }
}

function prepare(flow: Flow): { books: Books; events: Events } {
  const books = createBooks({ ...PRODUCTION, instruments: Math.max(flow.symbols, 1) });
  const before = createEvents();
  play(books, before, flow.words, HEADER_WORDS, HEADER_WORDS + flow.preload * 4);
  return { books, events: createEvents() };
}

function checkResult(flow: Flow, events: Events): void {
  const { trades, quantity, digest } = events;
  if (trades !== flow.trades || quantity % 4_294_967_296 !== flow.quantity || digest >>> 0 !== flow.digest) {
    throw new Error(`not the expected result: trades ${trades} of ${flow.trades}, digest ${digest} for ${flow.digest}`);
  }
}

function timeRun(flow: Flow): { seconds: number; events: number } {
  const { books, events } = prepare(flow);
  const from = HEADER_WORDS + flow.preload * 4;
  const start = process.hrtime.bigint();
  play(books, events, flow.words, from, from + flow.commands * 4);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  checkResult(flow, events);
  return { seconds, events: events.written };
}

function timeCommands(flow: Flow, stride: number): Float64Array {
  const { books, events } = prepare(flow);
  const first = HEADER_WORDS + flow.preload * 4;
  const samples = new Float64Array(Math.floor(flow.commands / stride));
  for (let i = 0; i < samples.length; i++) {
    const from = first + i * stride * 4;
    const rest = from + (stride - 1) * 4;
    play(books, events, flow.words, from, rest);
    const start = process.hrtime.bigint();
    fillRing(books, events, flow.words, rest, rest + 4);
    samples[i] = Number(process.hrtime.bigint() - start);
  }
  play(books, events, flow.words, first + samples.length * stride * 4, first + flow.commands * 4);
  checkResult(flow, events);
  return samples.sort();
}

function run(file: string): void {
  const flow = readFlow(file);
  const name = basename(file, '.bin');
  const runs = Array.from({ length: REPETITIONS }, () => timeRun(flow));
  const rates = runs.map(({ seconds }) => flow.commands / seconds);
  const samples = timeCommands(flow, STRIDE);
  heading(`${name}: symbols ${flow.symbols}, commands ${flow.commands}, events ${runs[0]!.events}; fresh books each run; `
    + 'trades, quantity and digest as expected');
  figure(`${name}, cold`, rates[0]!, 'commands/s', 'first run of the process, compiling included');
  figure(`${name}, median`, median(rates), 'commands/s', `median of ${REPETITIONS} runs`);
  figure(`${name}, best`, Math.max(...rates), 'commands/s');
  spread(`${name}, one command`, samples, 'ns', `every ${STRIDE}th, warm, clock included`);
}

tuneRuntime();
run(process.argv[2] ?? 'multi');
