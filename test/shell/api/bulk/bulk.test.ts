// Bulk requests through the whole api thread and the real core: each item is judged by itself, results come in order with the interface's
// texts, a wallet's budget is all or nothing, the records go together or not at all, and a repeated item gets its first result.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULT_LIMITS } from '../../../../core/tiers.ts';
import { BOUNDS } from '../../../../shell/http/limits.ts';
import { IN_FLIGHT } from '../../../../shell/process/wiring.ts';
import { perp } from '../perps.ts';
import { Harness, until, type Options } from '../harness.ts';
import { approve, cancel, cancelByCloid, freshNonce, order, replace } from '../requests.ts';
import { ethersSigner, nobleSigner, type Signer } from '../wallets.ts';

const maker = ethersSigner(900);
const other = nobleSigner(901);
const MOST = 50;

let venue: Harness;
let symbol: string;
before(() => {
  venue = new Harness();
  symbol = venue.calls()[0]!;
});
after(() => venue.close());

type Result = { index: number; success: boolean; data?: any; error?: string; hint?: string; replayed?: boolean };

async function results(method: string, path: string, body: object, at = venue): Promise<Result[]> {
  const answer = await at.send(method, path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body), ['results']);
  assert.deepEqual(answer.body.results.map(({ index }: Result) => index), answer.body.results.map((_: Result, at: number) => at));
  return answer.body.results as Result[];
}

const placed = (orders: readonly unknown[], at = venue) => results('POST', '/bulk_order', { orders }, at);

async function withVenue(options: Options, run: (venue: Harness, symbol: string) => Promise<void>): Promise<void> {
  const own = new Harness(options);
  try {
    await run(own, own.calls()[0]!);
  } finally {
    own.close();
  }
}

test('items of several wallets act in order, and each result is that of a single request', async () => {
  const bodies = [order(maker, { symbol, side: 'Sell', price: '200' }), order(other, { symbol, size: '0.4', price: '200' })];
  const [sold, bought] = await placed(bodies);
  assert.deepEqual([sold!.success, sold!.data.status, sold!.data.filled_size], [true, 'ACKED', 0]);
  assert.deepEqual([bought!.success, bought!.data.status, bought!.data.filled_size], [true, 'ACKED', 0.4]);
  assert.deepEqual(Object.keys(sold!), ['index', 'success', 'data']);
  const single = (await venue.post('/order', bodies[0])).body;
  assert.deepEqual(single, sold!.data);
  await results('DELETE', '/bulk_order', { cancels: [cancel(maker, sold!.data.order_id)] });
});

test('a failing item fails alone, with the interface\'s text', async () => {
  const good = () => order(maker, { symbol, tif: 'ioc' });
  const bare = good();
  const foreign = order(other, { symbol, wallet: maker.address });
  const cases: [unknown, string][] = [
    [{ ...good(), signature: `0x${'00'.repeat(65)}` }, 'Signature verification failed: no signer can be recovered'],
    [foreign, 'Unauthorized: signer not authorized for wallet'],
    [{ ...bare, price: '100.0' }, 'Signature verification failed: it was made for price 100'],
    [order(maker, { symbol, price: '100.001' }), 'Price validation failed: Price 100.001 has 6 significant figures, maximum allowed is 5'],
    [order(maker, { symbol, size: '0' }), 'Size must be greater than 0'],
    [order(maker, { symbol, price: '-1' }), 'Price must be greater than 0'],
    [order(maker, { symbol, price: '9'.repeat(65) }), 'Price must be greater than 0'],
    [order(maker, { symbol: 'BTC-1' }), 'Invalid option symbol: BTC-1'],
    [{ ...bare, size: undefined }, 'Missing required field: size'],
    [{ ...bare, client_id: undefined }, 'Missing required field: client_id'],
    [{ ...bare, price: 100 }, 'Invalid parameter: price must be a number as a string of at most 64 bytes'],
    [{ ...bare, wallet: '0x12' }, 'Invalid wallet address: wallet must be 0x and 40 hex digits'],
    [{ ...bare, signature: '0x12' }, 'Signature verification failed: signature must be 0x and 130 hex digits'],
    [perp(maker, { symbol: 'DOGE-PERP' }), 'Invalid perp symbol: DOGE-PERP'],
    ['no object', 'Each item must be a JSON object'],
    [null, 'Each item must be a JSON object'],
  ];
  const items = cases.flatMap(([item]) => [item, good()]);
  const answers = await placed(items);
  cases.forEach(([, error], i) => {
    const hint = /^(Size|Price) must be greater than 0$/.test(error) ? { hint: answers[i * 2]!.hint! } : {};
    assert.deepEqual(answers[i * 2], { index: i * 2, success: false, error, ...hint });
    assert.equal(answers[i * 2 + 1]!.data.status, 'ACKED');
  });
});

test('an item that the engine rejects is not a success, and has the reason and the message', async () => {
  const [rejected] = await placed([order(maker, { symbol, route: 'rfq_only' })]);
  assert.deepEqual([rejected!.success, rejected!.error], [false, 'RFQ is not available']);
  assert.deepEqual([rejected!.data.status, rejected!.data.reason, rejected!.data.order_id], ['REJECTED', 'RFQ is not available', null]);
});

test('of two items with one nonce only one acts', async () => {
  const nonce = freshNonce();
  const items = ['1', '2'].map((size) => order(maker, { symbol, nonce, size, tif: 'ioc' }));
  const [first, second] = await placed(items);
  assert.equal(first!.data.status, 'ACKED');
  assert.deepEqual(second, { index: 1, success: false, error: `Nonce ${nonce} already used` });
});

test('a repeated item gets its first result and has no effect', async () => {
  const bodies = [order(maker, { symbol, tif: 'ioc' }), order(maker, { symbol, tif: 'ioc' })];
  const first = await placed(bodies);
  const seq = venue.core.seq();
  const again = await placed([...bodies, order(maker, { symbol, tif: 'ioc' })]);
  assert.deepEqual(again.slice(0, 2), first.map((result) => ({ ...result, replayed: true })));
  assert.equal(again[2]!.replayed, undefined);
  assert.equal(venue.core.seq(), seq + 1);
});

test('a nonce above 2^53 keeps its digits everywhere', async () => {
  const nonce = 18_446_744_073_709_551_610n;
  const body = order(maker, { symbol, nonce, tif: 'ioc' });
  const text = `{"orders":[${JSON.stringify({ ...body, nonce: 0 }).replace('"nonce":0', `"nonce":${nonce}`)}]}`;
  const answer = await (await fetch(`${venue.url}/bulk_order`, { method: 'POST', body: text })).text();
  assert.ok(answer.includes('"status":"ACKED"') && answer.includes(`"nonce":${nonce},`), answer);
});

test('a bulk has 1 to 50 items', async () => {
  const paths: [string, string, string][] = [
    ['POST', '/bulk_order', 'orders'], ['PUT', '/bulk_order', 'replacements'], ['DELETE', '/bulk_order', 'cancels'],
    ['DELETE', '/bulk_order_cloid', 'cancels'],
  ];
  for (const [method, path, field] of paths) {
    const over = await venue.send(method, path, { [field]: new Array(MOST + 1).fill({}) });
    assert.deepEqual([over.status, over.body], [400, { error: 'invalid_parameter', message: `Too many ${field}: 51, maximum is 50` }]);
    for (const items of [[], 'x', {}]) {
      const none = await venue.send(method, path, { [field]: items });
      const message = `Invalid parameter: ${field} must be a list of 1 to 50 items`;
      assert.deepEqual([none.status, none.body], [400, { error: 'invalid_parameter', message }]);
    }
    const missing = await venue.send(method, path, {});
    assert.deepEqual([missing.status, missing.body.error], [400, 'missing_field']);
    assert.equal((await results(method, path, { [field]: new Array(MOST).fill({}) })).length, MOST);
  }
});

test('cancels by id and client id work for open orders; done, unknown and foreign ones are refused', async () => {
  const bodies = ['one', 'two', 'three'].map((id) => order(maker, { symbol, client_id: id }));
  const [one, two] = (await placed(bodies)).map(({ data }) => data.order_id as number);
  const by = await results('DELETE', '/bulk_order', { cancels: [cancel(maker, one!), cancel(other, two!), cancel(maker, one!)] });
  assert.deepEqual(by.map(({ success, error }) => [success, error]), [
    [true, undefined], [false, `Order not found for cancellation: ${two}`], [false, `Order ${one} was already cancelled`],
  ]);
  assert.deepEqual([by[0]!.data.status, by[0]!.data.order_id, by[2]!.data.status], ['CANCELED', one, 'REJECTED']);
  const cloids = await results('DELETE', '/bulk_order_cloid', { cancels: ['three', 'four', 'two'].map((id) => cancelByCloid(maker, id)) });
  assert.deepEqual(cloids.map(({ success, error }) => [success, error]), [
    [true, undefined], [false, 'Order not found for cancellation: four'], [true, undefined],
  ]);
});

test('a replace gives a new id, and for an order that is gone nothing is placed', async () => {
  const [first] = await placed([order(maker, { symbol })]);
  const old = first!.data.order_id as number;
  const replacements = [
    replace(maker, old, { symbol, price: '90' }), replace(maker, old, { symbol, price: '80' }), replace(maker, 9_999_999, { symbol }),
    replace(maker, old, { symbol: 'BTC-X' }),
  ];
  const answers = await results('PUT', '/bulk_order', { replacements });
  assert.deepEqual(answers.map(({ success, error }) => [success, error]), [
    [true, undefined], [false, `Order ${old} was already cancelled`], [false, 'Order not found for cancellation: 9999999'],
    [false, answers[3]!.error],
  ]);
  assert.match(answers[3]!.error!, /^Failed to parse symbol: /);
  assert.notEqual(answers[0]!.data.order_id, old);
});

test('perp items and items signed by an agent work', async () => {
  const agent = ethersSigner(903);
  assert.equal((await venue.post('/approve-agent', approve(maker, agent.address, { wallet: maker.address }))).body.success, true);
  const [own, agents, option] = await placed([
    perp(maker, { price: '90000' }), perp(agent, { price: '90000', wallet: maker.address }),
    order(agent, { symbol, wallet: maker.address, tif: 'ioc' }),
  ]);
  assert.deepEqual([own, agents, option].map((result) => result!.data?.status), ['ACKED', 'ACKED', 'ACKED'], JSON.stringify(agents));
});

const RATED = { flags: ['--rate-limits', 'on'] };
const OUTSIDE = { network: '203.0.113.7', digest: 77, loopback: false };
const row = { ...DEFAULT_LIMITS[0]!, orders: 5 };

test('a wallet\'s budget is all or nothing, and another wallet\'s items are not affected', () => withVenue(
  { ...RATED, table: [row, row, row, row] }, async (own, at) => {
    const many = (signer: Signer, count: number) => Array.from({ length: count }, () => order(signer, { symbol: at, tif: 'ioc' }));
    const first = await own.send('POST', '/bulk_order', { orders: many(maker, 3) });
    assert.deepEqual([first.status, first.headers['x-ratelimit-limit'], first.headers['x-ratelimit-remaining']], [200, '5', '2']);
    const part = await own.send('POST', '/bulk_order', { orders: [...many(maker, 2), ...many(other, 1), ...many(maker, 1)] });
    const mixed: Result[] = part.body.results;
    assert.deepEqual([part.status, part.headers['x-ratelimit-remaining'], part.headers['retry-after']], [200, '2', undefined]);
    const limited = { success: false, error: 'rate_limit_exceeded' };
    assert.deepEqual([mixed[0], mixed[1], mixed[3]], [0, 1, 3].map((index) => ({ index, ...limited })));
    assert.equal(mixed[2]!.data.status, 'ACKED');
    const over = await own.send('POST', '/bulk_order', { orders: many(maker, 3) });
    assert.deepEqual([over.status, over.body], [429, {
      error: 'rate_limit_exceeded', message: 'Rate limit exceeded: 5 per minute', retry_after_secs: 60, limit: 5,
    }]);
    assert.deepEqual([over.headers['retry-after'], over.headers['x-ratelimit-remaining']], ['60', '2']);
    const left = await own.send('POST', '/bulk_order', { orders: many(maker, 2) });
    assert.deepEqual([left.body.results.map(({ success }: Result) => success), left.headers['x-ratelimit-remaining']], [[true, true], '0']);
    // An item that is no order of the wallet is not counted, and a cancel has a budget of its own.
    const broken = { ...order(other, { symbol: at }), signature: `0x${'00'.repeat(65)}` };
    const others = await placed([broken, ...many(other, 4)], own);
    assert.deepEqual(others.map(({ success }) => success), [false, true, true, true, true]);
    const cancels = await results('DELETE', '/bulk_order', { cancels: [cancel(maker, 1)] }, own);
    assert.match(cancels[0]!.error!, /^Order/);
  },
));

test('a full bulk of an agent\'s perp orders with either source acts in order, each charged once', () => withVenue(
  { ...RATED, table: DEFAULT_LIMITS.map((limits) => ({ ...limits, orders: MOST, openOrders: MOST })) }, async (own) => {
    const agent = ethersSigner(904);
    await own.post('/approve-agent', approve(maker, agent.address, { wallet: maker.address }));
    const orders = Array.from({ length: MOST }, (_, nth) => (
      perp(agent, { wallet: maker.address, price: '90000', size: '0.01', source: nth % 2 === 0 ? 'b' : 'Strikebook' })
    ));
    const { body, headers } = await own.send('POST', '/bulk_order', { orders });
    const ids = body.results.map(({ data, error }: Result) => data?.order_id ?? error);
    assert.deepEqual(ids, Array.from({ length: MOST }, (_, nth) => ids[0] + nth));
    assert.equal(headers['x-ratelimit-remaining'], '0');
    assert.equal((await own.send('POST', '/bulk_order', { orders: [perp(agent, { wallet: maker.address })] })).status, 429);
  },
));

test('a repeated bulk costs its wallet only the items that are not replays', () => withVenue(
  { ...RATED, table: [row, row, row, row] }, async (own, at) => {
    const many = Array.from({ length: 4 }, (_, i) => order(maker, { symbol: at, tif: 'ioc', ...(i === 1 ? { route: 'rfq_only' } : {}) }));
    const again = async (): Promise<unknown[]> => {
      const { body, headers } = await own.send('POST', '/bulk_order', { orders: many });
      return [headers['x-ratelimit-remaining'], ...body.results.map(({ replayed, error }: Result) => replayed ?? error ?? 'acted')];
    };
    const text = 'RFQ is not available';
    assert.deepEqual(await again(), ['1', 'acted', text, 'acted', 'acted']);
    assert.deepEqual(await again(), ['0', true, text, true, true]);
    assert.deepEqual(await again(), ['0', true, 'rate_limit_exceeded', true, true]);
  },
));

test('an item that repeats another of its bulk is refunded, and the headers show it', () => withVenue(
  { ...RATED, table: [row, row, row, row] }, async (own, at) => {
    const make = (signer: Signer) => order(signer, { symbol: at, tif: 'ioc' });
    const remaining = async (orders: unknown[]): Promise<unknown> => (
      (await own.send('POST', '/bulk_order', { orders })).headers['x-ratelimit-remaining']
    );
    const [one, two] = [make(maker), make(maker)];
    assert.equal(await remaining([one, one]), '4', 'as the last item');
    assert.equal(await remaining([two, two, make(maker)]), '2', 'or before it');
    assert.equal(await remaining([make(other), make(other), make(maker), two]), '1', 'of two wallets the one that has less');
    assert.equal((await own.post('/order', make(maker))).headers['x-ratelimit-remaining'], '0');
    assert.equal(await remaining([one, make(other)]), '2', 'a replay alone is no charge');
  },
));

test('a repeated item counts as a request of its source', () => withVenue({ ...RATED, source: OUTSIDE }, async (own, at) => {
  const orders = Array.from({ length: 20 }, () => order(maker, { symbol: at, tif: 'ioc' }));
  assert.ok((await placed(orders, own)).every(({ success }) => success));
  for (let i = 1; i < BOUNDS.sourceRequests - 10; i++) assert.equal(await own.direct('GET', '/nowhere', null, OUTSIDE), 404);
  const again = await placed(orders, own);
  const limited = { success: false, error: 'rate_limit_exceeded' };
  again.forEach((result, index) => {
    if (index < 9) assert.equal(result.replayed, true);
    else assert.deepEqual(result, { index, ...limited });
  });
}));

test('while a bulk\'s items are checked, other requests are answered', () => withVenue({}, async (own, at) => {
  const orders = Array.from({ length: MOST }, () => order(maker, { symbol: at, tif: 'ioc' }));
  let isOver = false;
  const bulk = placed(orders, own).then((answers) => {
    isOver = true;
    return answers;
  });
  await until(() => own.service.waiting() > BOUNDS.checksPerTurn);
  assert.equal((await own.get('/health')).status, 200);
  assert.equal(isOver, false);
  assert.ok((await bulk).every(({ success }) => success));
}));

test('records of a bulk fit together or not at all; late items say so, and replay later', () => withVenue({}, async (own, at) => {
  const bodies = Array.from({ length: 3 }, () => order(maker, { symbol: at, tif: 'ioc' }));
  assert.equal((await own.post('/order', order(maker, { symbol: at, tif: 'ioc' }))).status, 200);
  own.isMainStuck = true;
  const single = order(maker, { symbol: at, tif: 'ioc' });
  const waiting: Promise<number>[] = [];
  while (waiting.length < IN_FLIGHT - 2) {
    waiting.push(own.direct('POST', '/order', single));
    if (waiting.length % BOUNDS.checksPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const full = await placed(bodies, own);
  assert.deepEqual(full, [0, 1, 2].map((index) => ({ index, success: false, error: 'Failed to send order to engine' })));
  const late = placed(bodies.slice(0, 2), own);
  await until(() => own.service.waiting() === IN_FLIGHT - 1);
  own.core.now += 10_000;
  own.service.sweep();
  assert.deepEqual(await late, [0, 1].map((index) => ({ index, success: false, error: 'No response from engine' })));
  await Promise.all(waiting);
  own.unstick();
  while (await own.direct('POST', '/order', single) === 503) await new Promise((resolve) => setImmediate(resolve));
  const again = await placed(bodies, own);
  assert.deepEqual(again.map(({ success, replayed }) => [success, replayed]), [[true, true], [true, true], [true, undefined]]);
}));

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
