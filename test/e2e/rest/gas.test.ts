// GET /gas-provider/{chain_id} against a stand-in for a node: exact figures, the two kinds of 404, every way in which a node can fail,
// and how often it is asked.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { GasProvider } from '../../../shell/feeds/gas-provider.ts';
import { readFees } from '../../../shell/feeds/gas-fees.ts';
import { UpstreamFailure } from '../../../shell/feeds/upstream.ts';
import { Harness } from '../../shell/api/harness.ts';
import { BAD_ANSWERS, sendJson, Upstream, type UpstreamHandler } from '../../support/upstream.ts';
import { venueOf } from './venue.ts';

const GWEI = 10n ** 9n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;
const historyOf = (bases: readonly bigint[], rewards: readonly bigint[]): object => ({
  jsonrpc: '2.0', id: 1,
  result: {
    oldestBlock: '0x10', baseFeePerGas: bases.map(hex), gasUsedRatio: rewards.map(() => 0.5), reward: rewards.map((wei) => [hex(wei)]),
  },
});
const GOOD = historyOf([10n * GWEI, 11n * GWEI, 12_345_678_901n], [GWEI, 3n * GWEI]);
const CHAIN = 998;
/** Answers which chain it is of, and all else as told. */
const ofChain = (id: string, behave: UpstreamHandler): UpstreamHandler => (question, response) => {
  if (question.method === 'eth_chainId') sendJson(response, { jsonrpc: '2.0', id: 1, result: id });
  else behave(question, response);
};
const node998 = (behave: UpstreamHandler): UpstreamHandler => ofChain('0x3e6', behave);
const good = node998((_, response) => sendJson(response, GOOD));

test('property: fees are exact, also beyond what a double holds', () => {
  const wei = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n });
  fc.assert(fc.property(fc.array(wei, { minLength: 1, maxLength: 20 }), wei, (rewards, base) => {
    const { base: next, priority, price, most } = readFees(historyOf([...rewards, base], rewards));
    assert.equal(next, base);
    assert.ok(rewards.includes(priority));
    // At least half of the blocks paid no more, and fewer than half paid strictly less than any lower one.
    assert.ok(rewards.filter((reward) => reward <= priority).length * 2 >= rewards.length);
    assert.ok(rewards.filter((reward) => reward >= priority).length * 2 >= rewards.length);
    assert.equal(price, base + priority);
    assert.equal(most, base + base + priority);
  }));
});

test('an answer that is not a fee history is a failure', () => {
  const result = (change: object): object => ({ jsonrpc: '2.0', id: 1, result: { ...(GOOD as { result: object }).result, ...change } });
  const bad: [unknown, RegExp][] = [
    [null, /not JSON-RPC/], [[], /not JSON-RPC/], [{}, /no result/], [{ result: null }, /no result/],
    [{ error: { code: -32601, message: 'method not found' } }, /answered with an error/],
    [{ ...GOOD, error: {} }, /answered with an error/],
    [result({ baseFeePerGas: [] }), /malformed/], [result({ baseFeePerGas: ['0x1'] }), /malformed/],
    [result({ baseFeePerGas: '0x1' }), /malformed/], [result({ reward: null }), /malformed/],
    [result({ reward: [] }), /malformed/],
    [result({ reward: [[], []] }), /hex quantity/], [result({ reward: [['0x1'], '0x1'] }), /malformed/],
    [result({ reward: [['0x1'], ['NaN']] }), /hex quantity/], [result({ reward: [['0x1'], [1]] }), /hex quantity/],
    [result({ baseFeePerGas: ['0x1', '0x2', '0x'] }), /hex quantity/], [result({ baseFeePerGas: ['0x1', '0x2', '-0x1'] }), /hex quantity/],
    [result({ baseFeePerGas: ['0x1', '0x2', `0x${'f'.repeat(65)}`] }), /hex quantity/],
    [result({ baseFeePerGas: ['0x1', '0x2', `0x${'f'.repeat(64)}`] }), /implausibly high/],
    [result({ baseFeePerGas: ['0x1', '0x2', hex(10n ** 18n)] }), /implausibly high/],
    [historyOf(Array.from({ length: 22 }, () => 1n), Array.from({ length: 21 }, () => 1n)), /malformed/],
  ];
  for (const [answer, why] of bad) {
    assert.throws(() => readFees(answer), (error) => error instanceof UpstreamFailure && why.test(error.message), String(why));
  }
  fc.assert(fc.property(fc.jsonValue(), (answer) => {
    assert.throws(() => readFees(answer), UpstreamFailure);
  }));
});

test('a node is asked once for all who wait, again after 3 s, and a failure is kept for 3 s too', async (t) => {
  const node = await Upstream.start(t, good);
  let time = 0;
  const { signal: stop } = new AbortController();
  const provider = new GasProvider({ url: node.url, chainId: CHAIN, now: () => 1_000 + time, steady: () => time, stop });
  const [first, second] = await Promise.all([provider.estimate(), provider.estimate()]);
  assert.equal(first, second);
  assert.equal(first.time, 1_000);
  time = 2_999;
  assert.equal(await provider.estimate(), first);
  assert.equal(node.questions.length, 2);
  assert.deepEqual(node.questions[0], { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  assert.deepEqual(node.questions[1], { jsonrpc: '2.0', id: 1, method: 'eth_feeHistory', params: ['0x14', 'latest', [50]] });
  time = 3_000;
  node.behave = (_, response) => response.destroy();
  await assert.rejects(provider.estimate(), /connection failed/);
  await assert.rejects(provider.estimate(), /connection failed/);
  assert.equal(node.questions.length, 3);
  node.behave = good;
  time = 5_999;
  await assert.rejects(provider.estimate(), /connection failed/);
  assert.equal(node.questions.length, 3);
  time = 6_000;
  assert.equal((await provider.estimate()).time, 7_000);
  assert.equal(node.questions.length, 4);
});

test('a node of another or unknown chain is a failure until it answers with the right chain', async (t) => {
  const node = await Upstream.start(t, good);
  let time = 0;
  const provider = new GasProvider({ url: node.url, chainId: CHAIN, now: () => 0, steady: () => time, stop: new AbortController().signal });
  for (const [id, why] of [
    ['0x1', /the node is of chain 1, not of 998/], ['0x3e7', /of chain 999/], ['998', /does not say/], ['', /does not say/],
    ['0x20000000000003e6', /of chain 2305843009213694950/],
  ] as const) {
    node.behave = ofChain(id, good);
    await assert.rejects(provider.estimate(), why);
    time += 3_000;
  }
  assert.ok(node.questions.every(({ method }) => method === 'eth_chainId'));
  node.behave = good;
  assert.equal((await provider.estimate()).fees.base, 12_345_678_901n);
});

test('each kind of bad answer is a failure that says so and names no address', async (t) => {
  const node = await Upstream.start(t, good);
  for (const { why, behave } of BAD_ANSWERS) {
    node.behave = node998(behave);
    const { signal: stop } = new AbortController();
    const provider = new GasProvider({ url: `${node.url}?key=s3cret`, chainId: CHAIN, now: () => 0, steady: () => 0, stop });
    await assert.rejects(provider.estimate(), (error: Error) => {
      assert.ok(error instanceof UpstreamFailure);
      assert.match(error.message, why);
      assert.doesNotMatch(error.message, /s3cret|127\.0\.0\.1/);
      return true;
    });
  }
});

test('a connection that cannot be made is reported by its code, without an address', async () => {
  const told = async (url: string): Promise<string> => {
    const { signal: stop } = new AbortController();
    const provider = new GasProvider({ url, chainId: CHAIN, now: () => 0, steady: () => 0, stop });
    return provider.estimate().then(() => 'answered', ({ message }: Error) => message);
  };
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  assert.equal(await told(`http://127.0.0.1:${port}/?key=s3cret`), 'the connection failed (ECONNREFUSED)');
});

test('a venue with a node answers for its chain only, in wei, and reports when the node fails', async (t) => {
  const node = await Upstream.start(t, good);
  const http = await venueOf(t, ['--gas-rpc', node.url, '--chain-id', '998']);
  const { status, body } = await http.get('/gas-provider/998');
  const { timestamp, ...fees } = body as { timestamp: number };
  assert.equal(status, 200);
  assert.deepEqual(fees, {
    chain_id: 998, gas_price: '15345678901', base_fee_per_gas: '12345678901', max_fee_per_gas: '27691357802',
    max_priority_fee_per_gas: '3000000000',
  });
  assert.ok(Number.isSafeInteger(timestamp) && Math.abs(timestamp - Date.now()) < 60_000);
  for (const id of ['1', '0', '999', '9223372036854775807']) {
    const answer = await http.get(`/gas-provider/${id}`);
    assert.equal(answer.status, 404, id);
    assert.deepEqual(answer.body, { error: 'not_found', message: `Unsupported chain id: ${id}` });
  }
  for (const id of ['-1', 'x', '1.5', '0x3e6', '9223372036854775808']) {
    assert.equal((await http.get(`/gas-provider/${id}`)).status, 400, id);
  }

  node.behave = () => {};
  let last = await http.get('/gas-provider/998');
  while (last.status === 200) last = await http.get('/gas-provider/998');
  assert.equal(last.status, 500);
  assert.deepEqual(last.body, { error: 'internal_error', message: 'Fee estimation failed: no answer within 3000 ms' });
  node.behave = good;
  while (last.status !== 200) last = await http.get('/gas-provider/998');
  assert.equal((last.body as { chain_id: number }).chain_id, 998);
});

test('a venue without a node knows no chain', async (t) => {
  const venue = new Harness();
  t.after(() => venue.close());
  const { status, body } = await venue.get('/gas-provider/998');
  assert.equal(status, 404);
  assert.deepEqual(body, { error: 'not_found', message: 'No gas provider is configured' });
});
