// What the probes share: the type of a probe, and the usual ways to make its request.

import type { Forms, OrderTerms, Strikebook, Unsigned } from '../../src/main.ts';
import type { Answer, Target } from '../checks.ts';
import type { World } from '../world.ts';

/** A text: why this venue cannot show it. */
export type Probe = (world: World, target: Target) => Promise<Answer | string>;
/** By the condition of the law's row. */
export type Probes = Readonly<Record<string, Probe>>;

export const NOBODY = `0x${'77'.repeat(20)}`;
export const ZEROS = `0x${'00'.repeat(65)}`;
const DAY_MS = 86_400_000;

export function terms({ low, symbol }: World): OrderTerms {
  return { symbol, side: 'Buy', size: '0.1', price: low };
}

export function perpTerms({ low }: World): OrderTerms {
  return { symbol: 'BTC-PERP', side: 'Buy', size: '0.001', price: low };
}

/** Signed as it is sent. */
export function ordered(change: Partial<OrderTerms>, of = terms): Probe {
  return (world) => world.sent(world.asker, world.raw.placeOrder({ ...of(world), ...change }));
}

/** Signed, changed, and sent. */
export async function altered(world: World, target: Target, unsigned: Unsigned<unknown>, change: (body: any) => object): Promise<Answer> {
  const { body, method, path } = await world.asker.sign(unsigned);
  return target.send(method, path, change(JSON.parse(body!)));
}

/** An order that was changed after it was signed. */
export function changed(change: object, of = terms): Probe {
  return (world, target) => altered(world, target, world.raw.placeOrder(of(world)), (body) => ({ ...body, ...change }));
}

/** A bulk of one order. */
export function item(change: Partial<OrderTerms>, after: object = {}): Probe {
  return (world, target) => {
    const order = world.raw.placeOrder({ ...terms(world), ...change });
    return altered(world, target, { ...order, path: '/bulk_order' }, (body) => ({ orders: [{ ...body, ...after }] }));
  };
}

export function many(method: string, path: string, list: string): Probe {
  return (_, target) => target.send(method, path, { [list]: Array.from({ length: 51 }, () => ({})) });
}

type TraderName = 'asker' | 'buyer' | 'idle' | 'seller';

/** Any other signed request. */
export function signed(by: TraderName, make: (forms: Forms, world: World) => Unsigned<unknown>): Probe {
  return (world) => {
    const trader: Strikebook = world[by];
    return world.sent(trader, make(trader.forms, world));
  };
}

export function asking(path: string): Probe {
  return (_, target) => target.get(path);
}

export function operating(method: string, path: string, body: object | ((world: World) => object)): Probe {
  return (world, target) => target.operate(method, path, typeof body === 'function' ? body(world) : body);
}

/** So many days from now, like 2026-01-30. */
export function dateIn(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

export function unlisted(): string {
  return `BTC-${dateIn(1).replaceAll('-', '')}-123457-C`;
}
