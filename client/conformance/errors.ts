// Errors of the law that a stranger can bring about with new wallets: each must have the law's status, code and text.

import { sign } from '../src/forms.ts';
import { createPrivateKey, privateKeySigner, type OrderTerms } from '../src/main.ts';
import { ERRORS } from './law/errors.ts';
import { shown, type Answer, type Checks, type Target } from './checks.ts';
import type { World } from './world.ts';

type Probe = (world: World, target: Target) => Promise<Answer>;

const ZEROS = `0x${'00'.repeat(65)}`;
const NOBODY = `0x${'77'.repeat(20)}`;
const BIG_BODY = 1_048_577;
const DAY = 86_400_000;

/** By the condition of the law's row. */
const PROBES: Readonly<Record<string, Probe>> = {
  'the body is empty': (_, target) => target.send('POST', '/order', ''),
  'the body is not JSON': (_, target) => target.send('POST', '/order', '{'),
  'the body is encoded': (_, target) => target.send('POST', '/order', '{}', { 'content-encoding': 'br' }),
  'a required field is missing': (_, target) => target.send('POST', '/order', {}),
  'the agent was revoked': async (world, target) => {
    const { seller } = world;
    const agent = privateKeySigner(createPrivateKey());
    await seller.approveAgent(agent.address);
    await seller.revokeAgent(agent.address);
    const { body, method, path } = await sign(seller.forms.placeOrder(terms(world)), agent);
    return target.send(method, path, body);
  },
  'a signed write has an unknown field': changed({ reduceOnly: true }),
  'the admin token is wrong': (_, target) => target.send('POST', '/admin/cancel', { wallet: NOBODY }, { authorization: 'Bearer wrong' }),
  'a wallet cannot be parsed': (_, target) => target.get('/portfolio?wallet=0x12'),
  'a required parameter of a query is missing': (_, target) => target.get('/portfolio'),
  'size is a JSON number': changed({ size: 1 }),
  'price is a JSON number': changed({ price: 1 }),
  'a write to an unknown path': (_, target) => target.send('POST', '/nowhere', {}),
  'a read of an unknown path': (_, target) => target.get('/nowhere'),
  'another method': (_, target) => target.send('DELETE', '/portfolio'),
  'a body above 1 MiB': (_, target) => target.send('POST', '/order', ' '.repeat(BIG_BODY)),
  'no signer can be recovered': changed({ signature: ZEROS }),
  'a signature of another length': changed({ signature: '0x12' }),
  'the signer is neither wallet nor agent': changed({ wallet: privateKeySigner(createPrivateKey()).address }),
  'the nonce was used': async (world) => {
    const nonce = Date.now();
    await world.sent(world.seller, world.seller.forms.placeOrder(terms(world), nonce));
    return world.sent(world.seller, world.seller.forms.placeOrder({ ...terms(world), size: '0.2' }, nonce));
  },
  'price has more than 5 significant figures': ordered({ price: '1234.56' }),
  'price has more than 6 decimals': ordered({ price: '0.0000001' }),
  'price is above its bound': ordered({ price: '2000000000' }),
  'size is above its bound': ordered({ size: '2000000000' }),
  'price times size is above its bound': ordered({ size: '1000000', price: '10000' }),
  'size is zero': ordered({ size: '0' }),
  'size is negative': ordered({ size: '-1' }),
  'size is not a number': ordered({ size: 'one' }),
  'size truncates to zero': ordered({ size: '0.0000001' }),
  'price is zero': ordered({ price: '0' }),
  'price is negative': ordered({ price: '-1' }),
  'price is not a number': ordered({ price: '.5' }),
  'side is invalid': ordered({ side: 'buy' as 'Buy' }),
  'tif is invalid': ordered({ tif: 'GTC' as 'gtc' }),
  'symbol is not an option symbol': ordered({ symbol: 'BTC-20260230-100000-C' }),
  'client_id is too long': ordered({ client_id: 'x'.repeat(65) }),
  'a client id that an open order has': async (world) => {
    const client_id = `twice-${Date.now()}`;
    await world.rest(client_id);
    return world.sent(world.seller, world.seller.forms.placeOrder({ ...terms(world), client_id }));
  },
  'no book for the symbol': ordered({ symbol: `BTC-${tomorrow()}-123457-C` }),
  'route rfq_only': ordered({ route: 'rfq_only' }),
  'an order id never issued': (world) => world.sent(world.seller, world.seller.forms.cancelOrder(900_000_000_000)),
  'no order with that client id': (world) => world.sent(world.seller, world.seller.forms.cancelOrderByClientId('never')),
  'repeated cancel': async (world) => {
    const id = await world.rest();
    await world.seller.cancelOrder(id);
    return world.sent(world.seller, world.seller.forms.cancelOrder(id));
  },
  'a replace of an order that is gone': async (world) => {
    const id = await world.rest();
    await world.seller.cancelOrder(id);
    return world.sent(world.seller, world.seller.forms.replaceOrder({ ...terms(world), order_id: id }));
  },
  'reduce-only without an opposite position': (world) => (
    // The buyer is long.
    world.sent(world.buyer, world.buyer.forms.placeOrder({ ...terms(world), reduce_only: true, route: 'book_only' }))
  ),
  'revoking an unknown agent': (world) => (
    world.sent(world.seller, world.seller.forms.revokeAgent(privateKeySigner(createPrivateKey()).address))
  ),
  'an invalid username': (world) => world.sent(world.seller, world.seller.forms.setUsername('no')),
  'the margin mode is invalid': (world) => world.sent(world.seller, world.seller.forms.setMarginMode('cross' as 'standard')),
  'the margin mode while positions are open': (world) => world.sent(world.seller, world.seller.forms.setMarginMode('portfolio')),
  'more than 50 orders': many('POST', '/bulk_order', 'orders'),
  'more than 50 cancels': many('DELETE', '/bulk_order', 'cancels'),
  'more than 50 cancels by client id': many('DELETE', '/bulk_order_cloid', 'cancels'),
  'more than 50 replacements': many('PUT', '/bulk_order', 'replacements'),
  '/orderbook without id and name': (_, target) => target.get('/orderbook'),
  '/orderbook of an unknown instrument': (_, target) => target.get('/orderbook?instrument_name=BTC-20990101-1-C'),
  'greeks of an unknown instrument': (_, target) => target.get('/greeks?symbol=BTC-20990101-1-C'),
  'a limit below zero': (_, target) => target.get('/trades?limit=-1'),
  'a limit that is not a number': (_, target) => target.get('/trades?limit=ten'),
  'candles that end before they start': (_, target) => target.get('/candles?resolution=1m&start_time_ms=2&end_time_ms=1'),
  '/username without a wallet or name': (_, target) => target.get('/username'),
  '/username of an unknown name': (_, target) => target.get('/username?username=nobody_has_this_one'),
  'an unknown competition': (_, target) => target.get('/competitions/900000000'),
};

export async function checkErrors(checks: Checks, target: Target, world: World): Promise<void> {
  for (const { code, status, text, when } of ERRORS) {
    const probe = PROBES[when];
    if (probe === undefined) {
      checks.skip(`error: ${when}`, 'a stranger cannot bring it about');
      continue;
    }
    const answer = await probe(world, target);
    const { body } = answer;
    const [name, told] = code === 'REJECTED' ? [body?.status, body?.reason] : code === 'FAILED' ? [code, body?.error]
      : [body?.error, body?.message];
    const isIt = answer.status === status && name === code && patternOf(text).test(String(told));
    checks.note(`error: ${when}`, isIt ? [] : [`${shown(answer)}, not ${status} ${code} "${text}"`]);
  }
}

function tomorrow(): string {
  return new Date(Date.now() + DAY).toISOString().slice(0, 10).replaceAll('-', '');
}

/** What stands in braces may be anything. */
function patternOf(text: string): RegExp {
  return new RegExp(`^${text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`);
}

function terms({ low, symbol }: World): OrderTerms {
  return { symbol, side: 'Buy', size: '0.1', price: low };
}

/** Signed as it is sent. */
function ordered(change: Partial<OrderTerms>): Probe {
  return (world) => world.sent(world.seller, world.raw.placeOrder({ ...terms(world), ...change }));
}

/** Changed after it was signed. */
function changed(change: object): Probe {
  return async (world, target) => {
    const { body } = await world.seller.sign(world.seller.forms.placeOrder(terms(world)));
    return target.send('POST', '/order', { ...JSON.parse(body!) as object, ...change });
  };
}

function many(method: string, path: string, list: string): Probe {
  return (_, target) => target.send(method, path, { [list]: Array.from({ length: 51 }, () => ({})) });
}
