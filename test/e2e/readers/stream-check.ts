// Checks what one wallet receives on `fills` and `order_updates` over successive connections, by the interface alone: no gap in a stream,
// repeats equal byte for byte, no order ahead of its fills, none after its end. Sizes are integers of 1e-6 contracts. Shares nothing with
// the venue.

type Message = Readonly<Record<string, any>>;
type Stream = { last: number; /** The newest messages, by their seq. */ readonly texts: Map<number, string> };
type Order = { fills: number; told: number };

const ENDS = new Set(['FILLED', 'CANCELED', 'REJECTED', 'EXPIRED']);
/** Messages and ended orders that are remembered: a stream is taken up a few messages back. */
const REMEMBERED = 500;

export function microsOf(text: string | number): number {
  return Math.round(Number(text) * 1e6);
}

export class StreamCheck {
  /** Messages told for the first time, and again. */
  fills = 0;
  updates = 0;
  again = 0;
  /** From a connection that takes up both streams, one has everything before the other begins: an order may be behind its fills. */
  isResumed = false;
  /** By symbol, what the fills told sum up to. */
  readonly positions = new Map<string, number>();
  readonly #streams = { Fill: { last: 0, texts: new Map() } as Stream, OrderUpdate: { last: 0, texts: new Map() } as Stream };
  readonly #orders = new Map<number, Order>();
  readonly #ended = new Map<number, string>();
  readonly #fault: (text: string) => void;

  constructor(fault: (text: string) => void) {
    this.#fault = fault;
  }

  lastSeq(type: 'Fill' | 'OrderUpdate'): number {
    return this.#streams[type].last;
  }

  /** Orders that were told of and have not ended. */
  get open(): readonly number[] {
    return [...this.#orders.keys()];
  }

  take(message: Message, text: string): void {
    if (message['type'] !== 'Fill' && message['type'] !== 'OrderUpdate') return;
    if (!this.#isNew(this.#streams[message['type'] as 'Fill' | 'OrderUpdate'], message['seq'] as number, text)) return;
    if (message['type'] === 'Fill') this.#fill(message);
    else this.#update(message);
  }

  #isNew(stream: Stream, seq: number, text: string): boolean {
    if (seq <= stream.last) {
      const before = stream.texts.get(seq);
      if (before !== undefined && before !== text) this.#fault(`told otherwise: ${before} and then ${text}`);
      this.again++;
      return false;
    }
    if (seq !== stream.last + 1) this.#fault(`after seq ${stream.last} comes ${text}`);
    stream.last = seq;
    stream.texts.set(seq, text);
    stream.texts.delete(seq - REMEMBERED);
    return true;
  }

  #fill({ order_id: id, symbol, side, size }: Message): void {
    this.fills++;
    const units = microsOf(size);
    if (this.#ended.has(id)) this.#fault(`a fill of order ${id}, which was ${this.#ended.get(id)}`);
    this.#order(id).fills += units;
    this.positions.set(symbol, (this.positions.get(symbol) ?? 0) + (side === 'Buy' ? units : -units));
  }

  #update({ order_id: id, status, filled_size: size }: Message): void {
    this.updates++;
    // Of an order that was refused.
    if (id === null) return;
    if (this.#ended.has(id)) this.#fault(`order ${id} is ${status} after it was ${this.#ended.get(id)}`);
    const order = this.#order(id);
    const units = microsOf(size);
    if (units < order.told) this.#fault(`order ${id} had ${order.told} filled and has ${units}`);
    order.told = units;
    const isEnd = ENDS.has(status);
    // An order's end has all its fills before it, however its streams were taken up.
    const isRight = isEnd || !this.isResumed ? units === order.fills : units <= order.fills;
    if (!isRight) this.#fault(`order ${id} is ${status} with ${units} filled, its fills told are ${order.fills}`);
    if (!isEnd) return;
    this.#orders.delete(id);
    this.#ended.set(id, status);
    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.keys().next().value!);
  }

  #order(id: number): Order {
    let order = this.#orders.get(id);
    if (order === undefined) this.#orders.set(id, order = { fills: 0, told: 0 });
    return order;
  }
}
