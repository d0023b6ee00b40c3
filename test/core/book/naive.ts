// The naive order book: all open orders in order of arrival, and those of each side of each instrument, searched from the front each
// time. Obvious rather than quick; shares no code with core/book. Prices and ids are plain numbers, sums are BigInt.

export type Step = readonly [kind: 'fill' | 'self', maker: number, price: number, size: number];
export type Taken = { readonly steps: readonly Step[]; readonly left: number };
export type Taker = {
  readonly instrument: number; readonly side: number; readonly price: number; readonly size: number; readonly account: number;
};
export type Line = readonly [id: number, price: number, remaining: number];

/** What both books can do, in terms of prices and ids. Sides: 0 buy, 1 sell. */
export type AnyBook = {
  rest(order: Taker, id: number, remaining: number): void;
  cancel(id: number): boolean;
  reduce(id: number, remaining: number): boolean;
  /** At most `maxSteps` steps; own orders in the way are cancelled; `meanwhile` is cancelled after the first step. */
  take(taker: Taker, maxSteps: number, meanwhile: readonly number[]): Taken;
  canFill(taker: Taker): boolean;
  /** Best price of a side, -1 if none. */
  best(instrument: number, side: number): number;
  /** Levels of a side from the best outwards: price and resting size. */
  depth(instrument: number, side: number): readonly (readonly [price: number, size: number])[];
  /** Orders of a side in the order in which they would trade. */
  lines(instrument: number, side: number): readonly Line[];
  open(): number;
};

type Order = { id: number; instrument: number; side: number; price: number; account: number; remaining: number };

const better = (side: number, a: number, b: number): boolean => (side === 0 ? a > b : a < b);
const reaches = (taker: Taker, price: number): boolean => (taker.side === 0 ? price <= taker.price : price >= taker.price);

function linesOf(orders: readonly Order[], side: number): Line[] {
  return orders.toSorted((a, b) => (side === 0 ? b.price - a.price : a.price - b.price)).map((o) => [o.id, o.price, o.remaining]);
}

function depthOf(lines: readonly Line[]): (readonly [number, number])[] {
  const sums: [number, bigint][] = [];
  for (const [, price, remaining] of lines) {
    const last = sums.at(-1);
    if (last !== undefined && last[0] === price) last[1] += BigInt(remaining);
    else sums.push([price, BigInt(remaining)]);
  }
  return sums.map(([price, sum]) => [price, Number(sum)]);
}

function listOf(lists: Map<string, Order[]>, key: string): Order[] {
  if (!lists.has(key)) lists.set(key, []);
  return lists.get(key)!;
}

export function createNaiveBook(): AnyBook & { readonly orders: readonly Readonly<Order>[] } {
  const orders: Order[] = [];
  const sides = new Map<string, Order[]>();
  const ordersOf = (instrument: number, side: number): Order[] => listOf(sides, `${instrument}/${side}`);

  function bestOf(instrument: number, side: number): Order | undefined {
    let found: Order | undefined;
    for (const order of ordersOf(instrument, side)) {
      if (found === undefined || better(side, order.price, found.price)) found = order;
    }
    return found;
  }

  function cancel(id: number): boolean {
    const order = orders.find((each) => each.id === id);
    if (order === undefined) return false;
    for (const among of [orders, ordersOf(order.instrument, order.side)]) among.splice(among.indexOf(order), 1);
    return true;
  }

  function take(taker: Taker, maxSteps: number, meanwhile: readonly number[]): Taken {
    const steps: Step[] = [];
    let left = taker.size;
    while (left > 0 && steps.length < maxSteps) {
      const maker = bestOf(taker.instrument, 1 - taker.side);
      if (maker === undefined || !reaches(taker, maker.price)) break;
      if (maker.account === taker.account) {
        steps.push(['self', maker.id, maker.price, maker.remaining]);
        cancel(maker.id);
      } else {
        const size = Math.min(left, maker.remaining);
        steps.push(['fill', maker.id, maker.price, size]);
        left -= size;
        maker.remaining -= size;
        if (maker.remaining === 0) cancel(maker.id);
      }
      if (steps.length === 1) for (const id of meanwhile) cancel(id);
    }
    return { steps, left };
  }

  return {
    orders,
    rest({ instrument, side, price, account }, id, remaining) {
      const order = { id, instrument, side, price, account, remaining };
      for (const among of [orders, ordersOf(instrument, side)]) among.push(order);
    },
    cancel,
    reduce(id, remaining) {
      const order = orders.find((each) => each.id === id);
      if (order !== undefined) order.remaining = remaining;
      return order !== undefined;
    },
    take,
    canFill(taker) {
      let sum = 0n;
      for (const order of ordersOf(taker.instrument, 1 - taker.side)) {
        if (order.account !== taker.account && reaches(taker, order.price)) sum += BigInt(order.remaining);
      }
      return sum >= BigInt(taker.size);
    },
    best: (instrument, side) => bestOf(instrument, side)?.price ?? -1,
    depth: (instrument, side) => depthOf(linesOf(ordersOf(instrument, side), side)),
    lines: (instrument, side) => linesOf(ordersOf(instrument, side), side),
    open: () => orders.length,
  };
}
