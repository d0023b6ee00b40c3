// A deterministic order flow for the benchmark of the matching core, with its expected result: the LOBBENC1 format. The same
// parameters always give the same bytes (test/bench), so figures of different days and engines are comparable.
//
// Little-endian. A header of 64 bytes: `LOBBENC1`, then u32: symbols, preload, commands, greatest order id, price levels, seed,
// expected trades, expected traded quantity (mod 2^32), expected digest; rest 0. Then records of 16 bytes, first the
// preload's (limits, never timed), then the commands': u8 type, u8 side (0 buy, 1 sell), u16 symbol, u32 price in ticks,
// u32 quantity, u32 order id. Digest: FNV-1a over (taker, maker, price, quantity) of each trade, h ^= h >>> 15 each time.
//   node bench/flow-generator.ts multi|single > FILE
// Mix: about 10 % IOC and FOK, the rest limits and cancels in balance, so that each book stays at its target depth.

type FlowOptions = {
  readonly symbols: number; readonly commands: number; readonly seed: number;
  /** Open orders that each symbol holds; 0: drawn log-uniformly from 60 to 1,000. */
  readonly target: number;
};

/** The two flows whose figures are published. */
export const STANDARD_FLOWS: Readonly<Record<string, FlowOptions>> = {
  multi: { symbols: 256, commands: 1_000_000, seed: 1, target: 0 },
  single: { symbols: 1, commands: 1_000_000, seed: 1, target: 1_000 },
};

const HEADER_BYTES = 64;
const RECORD_BYTES = 16;
const LEVELS = 4_096;
const LIMIT = 0;
const IMMEDIATE = 1;
const FILL_OR_KILL = 2;
const CANCEL = 3;
const BUY = 0;

type Order = { readonly id: number; readonly side: number; readonly price: number; quantity: number; liveAt: number };
type Book = {
  readonly target: number; middle: number; bid: number; ask: number; readonly queues: (Order[] | undefined)[]; readonly live: Order[];
};
type Draw = {
  readonly word: () => number;
  readonly share: () => number;
  readonly below: (bound: number) => number;
  /** A geometrically distributed number from 1 to `most`. */
  readonly geometric: (chance: number, most: number) => number;
};

/** xoshiro128** (Blackman and Vigna), seeded by a 32-bit mixer. */
function drawFrom(seed: number): Draw {
  const state = new Uint32Array(4);
  let mixed = seed >>> 0;
  for (let i = 0; i < 4; i++) {
    mixed = (mixed + 0x9e3779b9) >>> 0;
    let t = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    t = Math.imul(t ^ (t >>> 15), 0x735a2d97);
    state[i] = t ^ (t >>> 15);
  }
  const word = (): number => {
    let result = Math.imul(state[1]!, 5);
    result = Math.imul((result << 7) | (result >>> 25), 9);
    const shifted = state[1]! << 9;
    state[2]! ^= state[0]!;
    state[3]! ^= state[1]!;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= shifted;
    state[3] = (state[3]! << 11) | (state[3]! >>> 21);
    return result >>> 0;
  };
  const share = (): number => word() / 4_294_967_296;
  const geometric = (chance: number, most: number): number => {
    for (;;) {
      const drawn = 1 + Math.floor(Math.log(1 - share()) / Math.log(1 - chance));
      if (drawn <= most) return drawn;
    }
  };
  return { word, share, below: (bound) => Math.floor(share() * bound), geometric };
}

function openBook(draw: Draw, target: number): Book {
  const depth = target || Math.round(60 * Math.pow(1000 / 60, draw.share()));
  return { target: depth, middle: 400 + draw.below(LEVELS - 800), bid: -1, ask: LEVELS, queues: new Array<undefined>(LEVELS), live: [] };
}

function settleBests(book: Book): void {
  while (book.bid >= 0 && !book.queues[book.bid]?.length) book.bid--;
  while (book.ask < LEVELS && !book.queues[book.ask]?.length) book.ask++;
}

function forget({ live }: Book, order: Order): void {
  const last = live.pop()!;
  if (last === order) return;
  live[order.liveAt] = last;
  last.liveAt = order.liveAt;
}

function cancel(book: Book, order: Order): void {
  const queue = book.queues[order.price]!;
  queue.splice(queue.indexOf(order), 1);
  forget(book, order);
  settleBests(book);
}

function available({ queues, bid, ask }: Book, side: number, price: number): number {
  const step = side === BUY ? 1 : -1;
  let sum = 0;
  for (let at = side === BUY ? ask : bid; at >= 0 && at < LEVELS && (price - at) * step >= 0; at += step) {
    for (const order of queues[at] ?? []) sum += order.quantity;
  }
  return sum;
}

function levelAt({ queues, bid, ask }: Book, side: number, k: number): number {
  const step = side === BUY ? 1 : -1;
  let last = side === BUY ? ask : bid;
  let left = k;
  for (let at = last; at >= 0 && at < LEVELS; at += step) {
    if (!queues[at]?.length) continue;
    last = at;
    if (--left === 0) break;
  }
  return last;
}

/** Draws the commands, applies them to simple books of its own, and records both. */
class Generator {
  readonly bytes: Buffer;
  readonly #draw: Draw;
  readonly #books: Book[];
  readonly #cumulative: Float64Array;
  #at = HEADER_BYTES;
  #nextId = 1;
  #isMeasured = false;
  #trades = 0;
  #quantity = 0;
  #digest = 0x811c9dc5;

  constructor({ symbols, commands, seed, target }: FlowOptions) {
    this.#draw = drawFrom(seed);
    this.#books = Array.from({ length: symbols }, () => openBook(this.#draw, target));
    let sum = 0;
    this.#cumulative = Float64Array.from(this.#books, (book) => (sum += book.target));
    this.bytes = Buffer.alloc(HEADER_BYTES + RECORD_BYTES * (sum + commands));
    this.#preload();
    this.#isMeasured = true;
    for (let n = 0; n < commands; n++) this.#command();
    this.bytes.write('LOBBENC1', 0, 'latin1');
    const header = [symbols, sum, commands, this.#nextId - 1, LEVELS, seed >>> 0, this.#trades, this.#quantity >>> 0, this.#digest];
    header.forEach((value, i) => this.bytes.writeUInt32LE(value, 8 + 4 * i));
  }

  #preload(): void {
    const order = this.#books.flatMap((book, symbol) => new Array<number>(book.target).fill(symbol));
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.#draw.below(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    for (const symbol of order) this.#newLimit(symbol);
  }

  #command(): void {
    const { share, word, geometric } = this.#draw;
    const symbol = this.#pick();
    const book = this.#books[symbol]!;
    if (share() < 0.01) {
      const step = word() & 1 ? 1 : -1;
      book.middle = Math.max(200, Math.min(LEVELS - 200, book.middle + step * geometric(0.7, 4)));
    }
    const kind = share();
    if (kind < 0.1 && book.ask < LEVELS && book.bid >= 0) {
      if (kind < 0.02) this.#fillOrKill(symbol);
      else this.#immediate(symbol);
      return;
    }
    // Feedback keeps the depth at its target.
    const lack = (book.target - book.live.length) / (0.1 * book.target + 5);
    if (share() < 0.5 + 0.5 * Math.max(-1, Math.min(1, lack)) || book.live.length === 0) this.#newLimit(symbol);
    else this.#cancelOne(symbol);
  }

  #pick(): number {
    const drawn = this.#draw.share() * this.#cumulative.at(-1)!;
    let low = 0;
    let high = this.#cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cumulative[middle]! > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #lot(): number {
    return this.#draw.geometric(0.08, 100);
  }

  #newLimit(symbol: number): void {
    const book = this.#books[symbol]!;
    const side = this.#draw.word() & 1;
    const distance = this.#draw.geometric(0.1, 50);
    const price = Math.max(1, Math.min(LEVELS - 2, side === BUY ? book.middle - distance : book.middle + distance));
    const size = this.#lot();
    const id = this.#nextId++;
    this.#write(LIMIT, side, symbol, price, size, id);
    const quantity = this.#match(book, id, side, price, size);
    if (quantity === 0) return;
    const order = { id, side, price, quantity, liveAt: book.live.length };
    (book.queues[price] ??= []).push(order);
    book.live.push(order);
    if (side === BUY) book.bid = Math.max(book.bid, price);
    else book.ask = Math.min(book.ask, price);
  }

  #immediate(symbol: number): void {
    const book = this.#books[symbol]!;
    const { side, price, id } = this.#taker(book);
    const kind = this.#draw.share();
    const size = kind < 0.75 ? this.#draw.geometric(0.25, 100) : kind < 0.96 ? this.#lot() : Math.min(available(book, side, price), 200);
    this.#write(IMMEDIATE, side, symbol, price, size, id);
    this.#match(book, id, side, price, size);
  }

  #fillOrKill(symbol: number): void {
    const book = this.#books[symbol]!;
    const { side, price, id } = this.#taker(book);
    const there = available(book, side, price);
    const size = this.#draw.share() < 0.5 ? Math.min(there, this.#draw.geometric(0.2, 100)) : there + this.#lot();
    this.#write(FILL_OR_KILL, side, symbol, price, size, id);
    if (there >= size) this.#match(book, id, side, price, size);
  }

  #taker(book: Book): { side: number; price: number; id: number } {
    const side = this.#draw.word() & 1;
    const level = 1 + this.#draw.below(3);
    return { side, price: levelAt(book, side, level), id: this.#nextId++ };
  }

  #cancelOne(symbol: number): void {
    const book = this.#books[symbol]!;
    const order = book.live[this.#draw.below(book.live.length)]!;
    this.#write(CANCEL, order.side, symbol, order.price, 0, order.id);
    cancel(book, order);
  }

  #match(book: Book, id: number, side: number, price: number, size: number): number {
    let left = size;
    while (left > 0) {
      const best = side === BUY ? book.ask : book.bid;
      if (best < 0 || best >= LEVELS || (side === BUY ? best > price : best < price)) break;
      const queue = book.queues[best]!;
      const maker = queue[0]!;
      const traded = Math.min(left, maker.quantity);
      left -= traded;
      maker.quantity -= traded;
      if (this.#isMeasured) this.#note(id, maker.id, best, traded);
      if (maker.quantity > 0) continue;
      queue.shift();
      forget(book, maker);
      settleBests(book);
    }
    return left;
  }

  #note(taker: number, maker: number, price: number, quantity: number): void {
    this.#trades++;
    this.#quantity += quantity;
    for (const value of [taker, maker, price, quantity]) {
      const product = Math.imul(this.#digest ^ value, 0x01000193) >>> 0;
      this.#digest = (product ^ (product >>> 15)) >>> 0;
    }
  }

  #write(type: number, side: number, symbol: number, price: number, quantity: number, id: number): void {
    const { bytes } = this;
    bytes[this.#at] = type;
    bytes[this.#at + 1] = side;
    bytes.writeUInt16LE(symbol, this.#at + 2);
    [price, quantity, id].forEach((value, i) => bytes.writeUInt32LE(value, this.#at + 4 + 4 * i));
    this.#at += RECORD_BYTES;
  }
}

export function generateFlow(options: FlowOptions): Buffer {
  return new Generator(options).bytes;
}

if (import.meta.main) {
  const options = STANDARD_FLOWS[process.argv[2] ?? ''];
  if (options === undefined) throw new Error(`usage: node bench/flow-generator.ts ${Object.keys(STANDARD_FLOWS).join('|')} > FILE`);
  process.stdout.write(generateFlow(options));
}
