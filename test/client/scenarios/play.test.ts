// A scenario in a venue's process, stepped through an expiry and a liquidation: twice the same to the micro, also where the process is
// killed on the way, and with amounts that follow from the file alone.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, Operator, type Strikebook } from '../../../client/src/main.ts';
import { keyOf } from '../../../client/scenarios/player.ts';
import { privateKeySigner } from '../../../client/src/signer.ts';
import type { VenueProcess } from '../../../scripts/venue-process.ts';
import { scenarioOf, valueAt } from '../../../shell/process/scenario-file.ts';
import { recoveredVenue, runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const TOKEN = 'token-of-the-scenario-test';
const SYMBOL = 'BTC-20260105-100000-C';
const FILE = {
  start: '2026-01-05T07:15:00Z', end: '47 min', step: '1 min', seed: 7,
  settings: { taker_fee: '0.05 %', mark_interval: '10 s', liquidation_interval: '5 s' },
  index: {
    BTC: { '0 s': '100000', '5 min': '100000', '10 min': '101000', '20 min': '88000', '47 min': '96000.5' }, ETH: { '0 s': '3500' },
  },
  surface: { BTC: { '0 s': { atm_vol: '0.5' }, '20 min': { atm_vol: '0.8', skew: '-0.2' } } },
  participants: [
    { name: 'tight', persona: 'tight_maker', size: '1', contracts: 24 },
    { name: 'wide', persona: 'wide_maker', size: '20', contracts: 24 },
    { name: 'momentum', persona: 'momentum_taker', size: '0.5', lookback: '2 min', threshold: '0.001' },
    { name: 'whale', persona: 'whale', size: '3', at: '2 min', symbol: SYMBOL },
    { name: 'fool', persona: 'liquidated_fool', size: '1.5', cash: '20000', at: '3 min' },
  ],
};
const START = Date.parse(FILE.start);
const MINUTE = 60_000;
const EXPIRY = START + 45 * MINUTE;
const END = START + 47 * MINUTE;

type Accounts = Record<string, { ledger: object[]; orders: object[]; positions: object[] }>;
type Scene = { readonly venue: VenueProcess; readonly operator: Operator; readonly reader: Strikebook };

async function open(t: TestContext, folder: string): Promise<Scene> {
  const file = join(folder, 'scenario.json');
  writeFileSync(file, JSON.stringify(FILE));
  const flags = ['--scenario', file, '--workers', '1', '--durability', 'normal', '--admin-token', TOKEN];
  const { venue } = await recoveredVenue(t, { data: join(folder, 'data'), flags });
  return { venue, operator: new Operator(venue.url, TOKEN, { timeoutMs: 60_000 }), reader: await connect(venue.url) };
}

/** Of the participant with this username. */
async function walletOf({ reader }: Scene, username: string): Promise<string> {
  return (await reader.get('/username', { username })).data!.wallet_address;
}

/** Everything that moved cash, what is open, and what is held, by name. */
async function accounts(scene: Scene): Promise<Accounts> {
  const all = FILE.participants.map(async ({ name }) => {
    const wallet = await walletOf(scene, name);
    const { data: ledger } = await scene.reader.get('/ledger', { wallet, limit: 1_000 });
    const { data: orders } = await scene.reader.get('/orders', { wallet, status: 'open', limit: 50 });
    const { positions } = await scene.reader.get('/portfolio', { wallet });
    return [name, {
      ledger: ledger.map(({ amount, balance, kind, symbol, time_ms: time }) => ({ amount, balance, kind, symbol, time })),
      orders: orders.map(({ filled_size: filled, price, side, size, symbol }) => ({ filled, price, side, size, symbol })),
      positions: positions.map(({ amount, entry_price: entry, symbol }) => ({ amount, entry, symbol })),
    }] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

/** Plays it to its end. */
async function played(scene: Scene): Promise<Accounts> {
  await scene.operator.stepClock(END);
  const all = await accounts(scene);
  assert.equal((await scene.venue.stop()).code, 0);
  return all;
}

/** The end of a venue that was stepped in parts and never killed. */
let unkilled: Accounts | null = null;

test('when a scenario is stepped through an expiry and a liquidation, then settlement and payouts are those of its path', async (t) => {
  const scene = await open(t, temporaryFolder(t));
  const { operator, reader } = scene;
  await operator.stepClock(START);
  const [whale, fool] = [await walletOf(scene, 'whale'), await walletOf(scene, 'fool')];
  assert.equal((await reader.get('/portfolio', { wallet: fool })).available_balance, '20000');
  await operator.stepClock(START + 4 * MINUTE);
  const held = async (wallet: string): Promise<readonly string[]> => (
    (await reader.get('/portfolio', { wallet })).positions.map(({ amount, symbol }) => `${amount} ${symbol}`)
  );
  assert.deepEqual([await held(whale), await held(fool)], [[`3 ${SYMBOL}`], ['1.5 BTC-PERP']]);

  await operator.stepClock(START + 30 * MINUTE);
  const [left = '0'] = await held(fool);
  assert.ok(Number.parseFloat(left) < 1, `liquidated: ${left}`);
  const { data: liquidations } = await reader.get('/liquidations', {});
  assert.ok(liquidations.length > 0);

  await operator.stepClock(EXPIRY);
  const index = scenarioOf('file', JSON.stringify(FILE)).index[0]!;
  // Each second of the half hour sees the price of the newest moment, except the moment's own, which still sees the one before.
  const seconds = Array.from({ length: 1_800 }, (_, at) => 15 * MINUTE + 1_000 * (at + 1));
  const samples = seconds.map((since) => valueAt(index, Math.floor((since - 1) / MINUTE) * MINUTE));
  const sum = samples.reduce((all, one) => all + BigInt(one), 0n);
  const mean = (sum * 2n + 1_800n) / 3_600n;
  const { data: [settlement] } = await reader.get('/settlements', { underlying: 'BTC' });
  assert.equal(BigInt(Math.round(Number(settlement!.price) * 1e6)), mean, 'half up, to the micro');
  assert.equal(settlement!.samples, 1_800);
  const { data: rows } = await reader.get('/ledger', { wallet: whale, limit: 1_000 });
  assert.equal(rows.find(({ kind }) => kind === 'settlement')?.amount ?? '0', '0', 'the path ends below the strike');
  assert.ok(rows.some(({ amount, kind, symbol }) => kind === 'trade' && symbol === SYMBOL && Number(amount) < 0));
  unkilled = await played(scene);
});

test('given the same file twice, when the process is killed on the way, then every account is the same to the micro', async (t) => {
  const folder = temporaryFolder(t);
  let scene = await open(t, folder);
  for (const minute of [0, 3, 25]) {
    if (minute > 0) await scene.operator.stepClock(START + minute * MINUTE);
    const stepping = scene.operator.stepClock(START + (minute + 2) * MINUTE).catch(() => undefined);
    await sleep(20 + 37 * minute);
    await scene.venue.kill();
    await stepping;
    scene = await open(t, folder);
  }
  const killed = await played(scene);
  assert.deepEqual(killed, unkilled ?? await played(await open(t, temporaryFolder(t))));
});

test('a stranger trades in a scenario between steps, and a folder of one scenario is refused to another', async (t) => {
  const folder = temporaryFolder(t);
  const scene = await open(t, folder);
  await scene.operator.stepClock(START + MINUTE);
  const stranger = await connect(scene.venue.url, { signer: privateKeySigner(keyOf(7, 'a stranger')) });
  const { filled_size: filled } = await stranger.placeOrder({ symbol: 'BTC-PERP', side: 'Buy', size: '1', price: '101000', tif: 'ioc' });
  assert.equal(Number(filled), 1);
  assert.equal((await scene.venue.stop()).code, 0);
  const file = join(folder, 'other.json');
  writeFileSync(file, JSON.stringify({ ...FILE, seed: 8 }));
  const { venue } = await recoveredVenue(t, { data: join(folder, 'data'), flags: ['--scenario', file] }).catch((error: Error) => {
    assert.match(error.message, /was not begun with this scenario/);
    return { venue: null };
  });
  assert.equal(venue, null);
});

test('played as a command, a scenario ends by itself and tells each participant\'s end, and who was refused what', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'short.json');
  const poor = { name: 'poor', persona: 'liquidated_fool', size: '4', cash: '15000', at: '1 min' };
  writeFileSync(file, JSON.stringify({ ...FILE, end: '2 min', participants: [...FILE.participants.slice(0, 3), poor] }));
  const { venue } = await runningVenue(t, { data: join(folder, 'data'), flags: ['--scenario', file, '--play'] });
  const { code, err, out } = await venue.ended;
  assert.equal(code, 0, err);
  assert.match(out, /scenario: poor: \/order is rejected: Insufficient margin: required=/);
  for (const name of ['tight', 'wide', 'momentum', 'poor']) {
    assert.match(out, new RegExp(`^${name} 0x[0-9a-f]{40}: equity [0-9.]+, positions `, 'm'));
  }
  assert.match(readFileSync(join(folder, 'data', 'scenario.json'), 'utf8'), /"since":120000,/);
});
