// The operator's settings file: valid values, the one-line error for invalid ones, what overrides it, and a venue that runs with one. A
// trade pays its fees, a preset sets its margin, and the journal has each change once.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { CONFIGURE } from '../../../core/codec/commands.ts';
import { recordKind, viewsOf } from '../../../core/codec/record.ts';
import * as settings from '../../../core/settings.ts';
import { CONTRACT, MINUTE, USDC } from '../../../core/units.ts';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { readFrames } from '../../../shell/storage/journal/read.ts';
import { parseSettings } from '../../../shell/process/settings-file.ts';
import { createWallet, signerFor, type Http } from '../../../scripts/client.ts';
import { assertSound } from '../../support/audit.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { DEFAULT_BALANCE, MARK_MIN_SIZE, MAX_POSITION, NOT_ABOVE, PRESET, SETTINGS, TAKER_FEE, VENUE17 } = settings;

const parse = (file: object): ReturnType<typeof parseSettings> => parseSettings('FILE', JSON.stringify(file), ['BTC', 'ETH']);

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof BadSetting, String(error));
    assert.doesNotMatch(error.message, /\n/);
    return error.message;
  }
  return assert.fail('it is taken');
}

test('every setting has its own place and name, and a default within its range', () => {
  const values = settings.defaultSettings();
  const numbers = settings as unknown as { readonly [name: string]: number };
  const places = SETTINGS.flatMap(({ at }) => Array.from({ length: at < PRESET ? 1 : 16 }, (_, i) => at + i)).sort((a, b) => a - b);
  assert.deepEqual(places, Array.from(values, (_, at) => at));
  for (const { at, name, usual, least, most } of SETTINGS) {
    assert.equal(numbers[name.toUpperCase()], at, name);
    assert.ok(least <= usual && usual <= most && least < most, name);
    assert.ok([usual, least, most].every(Number.isSafeInteger), name);
  }
  for (const [low, high] of NOT_ABOVE) assert.ok(values[low]! <= values[high]!);
});

test('values are numbers with a unit, as people write them', () => {
  const at = (name: keyof typeof settings, value: number): object => ({ at: settings[name], underlying: null, value });
  const cases: [object, object][] = [
    [{ taker_fee: '0.05 %' }, at('TAKER_FEE', 500)], [{ taker_fee: '0.0001%' }, at('TAKER_FEE', 1)],
    [{ fund_seed: '500,000 USDC' }, at('FUND_SEED', 500_000 * USDC)], [{ fund_seed: '0.000001 USDC' }, at('FUND_SEED', 1)],
    [{ liquidation_wait: '2 min' }, at('LIQUIDATION_WAIT', 2 * MINUTE)],
    [{ liquidation_wait: '1.5 h' }, at('LIQUIDATION_WAIT', 90 * MINUTE)],
    [{ mark_interval: '250 ms' }, at('MARK_INTERVAL', 250)], [{ shock_term: '45 d' }, at('SHOCK_TERM', 45 * 1_440 * MINUTE)],
    [{ liquidation_lot: '1 contract' }, at('LIQUIDATION_LOT', CONTRACT)], [{ index_confirmations: 5 }, at('INDEX_CONFIRMATIONS', 5)],
    [{ index_confirmations: '5' }, at('INDEX_CONFIRMATIONS', 5)], [{ shock_power_near: 0.25 }, at('SHOCK_POWER_NEAR', 250_000)],
    [{ max_position: '9,000,000,000 USDC' }, at('MAX_POSITION', 9e15)],
  ];
  for (const [file, expected] of cases) assert.deepEqual(parse(file), [expected], JSON.stringify(file));
  assert.deepEqual(parse({ preset: { ETH: 'venue17', BTC: 'dense' }, mark_min_size: { ETH: '2.5 contracts' } }), [
    { at: PRESET, underlying: 'ETH', value: VENUE17 }, { at: PRESET, underlying: 'BTC', value: 0 },
    { at: MARK_MIN_SIZE, underlying: 'ETH', value: 2_500_000 },
  ]);
  assert.deepEqual(parse({}), []);
});

test('property: a rate is accepted only if it is a whole number of parts per million', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: 4, max: 9 }), (hundredths, decimals) => {
    const scaled = String(hundredths).padStart(decimals + 1, '0');
    const text = `${scaled.slice(0, -decimals)}.${scaled.slice(-decimals)} %`;
    const parts = hundredths / 10 ** (decimals - 4);
    const file = { taker_fee: text };
    if (Number.isInteger(parts) && parts <= 10_000) assert.equal(parse(file)[0]!.value, parts, text);
    else assert.match(refusal(() => parse(file)), /taker_fee must be from 0 % to 1 %/, text);
  }));
});

test('an error is one line with the file, the setting and its valid values', () => {
  const cases: [object | string, RegExp][] = [
    ['{', /^FILE is not valid JSON: /], ['{\n "taker_fee":\n}', /^FILE is not valid JSON: /],
    ['[]', /^FILE must be an object like \{"taker_fee"/],
    ['null', /^FILE must be an object/], [{ takers_fee: '1 %' }, /^FILE: "takers_fee" is not a setting \(docs\/MARGIN\.md/],
    [{ TAKER_FEE: '1 %' }, /"TAKER_FEE" is not a setting/], [{ toString: '1 %' }, /"toString" is not a setting/],
    [{ taker_fee: 500 }, /^FILE: taker_fee must be from 0 % to 1 %, like "0 %", not 500$/],
    [{ taker_fee: '500' }, /taker_fee .*not "500"$/], [{ taker_fee: '1.01 %' }, /taker_fee .*not "1\.01 %"$/],
    [{ taker_fee: '0.00005 %' }, /taker_fee /], [{ taker_fee: '-0.01 %' }, /taker_fee /], [{ taker_fee: '0,5 %' }, /taker_fee /],
    [{ taker_fee: '5 s' }, /taker_fee /], [{ taker_fee: null }, /taker_fee .*not null$/],
    [{ taker_fee: ['1 %'] }, /taker_fee .*not \["1 %"\]$/],
    [{ liquidation_wait: 'toString' }, /^FILE: liquidation_wait must be from 0 s to 1 d, like "1 min", not "toString"$/],
    [{ liquidation_wait: '5 toString' }, /liquidation_wait/], [{ liquidation_wait: '25 h' }, /liquidation_wait/],
    [{ mark_interval: '0.0001 s' }, /mark_interval must be from 100 ms to 1 min, like "1 s"/],
    [{ index_confirmations: 2.5 }, /index_confirmations must be from 1 to 60, like "3", not 2\.5$/],
    [{ max_position: '10,00 USDC' }, /max_position/], [{ max_position: '9,000,000,001 USDC' }, /max_position .*to 9,000,000,000 USDC/],
    [{ preset: 'venue17' }, /^FILE: preset is set per underlying, like \{"BTC": "dense"\}$/],
    [{ preset: { BTC: 'venue18' } }, /^FILE: preset of "BTC" must be dense or venue17, not "venue18"$/],
    [{ preset: { BTC: 1 } }, /must be dense or venue17, not 1$/], [{ preset: { BTC: 'constructor' } }, /must be dense or venue17/],
    [{ preset: { DOGE: 'dense' } }, /^FILE: preset of "DOGE": no such underlying \(BTC, ETH\)$/],
    [{ mark_min_size: { ETH: '0 contracts' } }, /mark_min_size of "ETH" must be from 0\.000001 contracts to/],
    [{ maker_fee: '0.01 %' }, /^FILE: maker_fee \(0\.01 %\) must not be above taker_fee \(0 %\)$/],
    [{ perp_initial: '4 %' }, /^FILE: perp_maintenance \(5 %\) must not be above perp_initial \(4 %\)$/],
    [{ overlay_start: '12 h' }, /^FILE: overlay_ramp \(1 d\) must not be above overlay_start \(12 h\)$/],
  ];
  for (const [file, line] of cases) {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    assert.match(refusal(() => parseSettings('FILE', text, ['BTC', 'ETH'])), line, text);
  }
});

test('a value outside a setting\'s range is refused', () => {
  const decimals = { rate: 4, time: 0, money: 6, size: 6, count: 0, factor: 6, preset: 0 };
  const units = { rate: ' %', time: ' ms', money: ' USDC', size: ' contracts', count: '', factor: '', preset: '' };
  for (const { at, name, unit, least, most } of SETTINGS) {
    for (const value of [least - 1, most + 1]) {
      const digits = String(Math.abs(value)).padStart(decimals[unit] + 1, '0');
      const point = digits.length - decimals[unit];
      const text = `${value < 0 ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.$/, '') + units[unit];
      assert.match(refusal(() => parse({ [name]: at < PRESET ? text : { BTC: text } })), new RegExp(` ${name} .*must be `), text);
    }
  }
});

test('flags and environment override the settings file, and the file overrides the defaults', (t) => {
  const file = join(temporaryFolder(t), 'settings.json');
  writeFileSync(file, '{"default_balance": "5 USDC", "max_position": "2,000 USDC", "taker_fee": "0.05 %"}');
  const of = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): [Record<number, number>, number] => {
    const { settings: given, maxPositionUsdc } = readConfig(args, environment) as Config;
    return [Object.fromEntries(given.map(({ at, value }) => [at, value])), maxPositionUsdc];
  };
  assert.deepEqual(of([]), [{}, 100_000_000]);
  const fromFile = { [DEFAULT_BALANCE]: 5 * USDC, [MAX_POSITION]: 2_000 * USDC, [TAKER_FEE]: 500 };
  assert.deepEqual(of(['--settings', file]), [fromFile, 2_000]);
  assert.deepEqual(of([], { SETTINGS: file }), [fromFile, 2_000]);
  const both = of(['--settings', file, '--default-balance', '7'], { MAX_POSITION_USDC: '3000' });
  assert.deepEqual(both, [{ ...fromFile, [DEFAULT_BALANCE]: 7 * USDC, [MAX_POSITION]: 3_000 * USDC }, 3_000]);
});

test('a missing or invalid settings file is refused in one line that names it', (t) => {
  const file = join(temporaryFolder(t), 'settings.json');
  const refused = (): string => refusal(() => readConfig(['--settings', file], {}));
  assert.match(refused(), /^--settings: .*settings\.json/);
  writeFileSync(file, '{\n  "taker_fee": "5 %"\n}');
  assert.match(refused(), /settings\.json: taker_fee must be from 0 % to 1 %, like "0 %", not "5 %"/);
});

/** How many times the journal of a stopped venue sets the settings. */
function configured(data: string): number {
  let count = 0;
  for (const { bytes } of readFrames(data, 1)) {
    const views = viewsOf(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += views.u32[at >>> 2]!) count += Number(recordKind(views, at) === CONFIGURE);
  }
  return count;
}

type Running = { readonly http: Http; trade(): Promise<readonly string[]>; marginUsed(): Promise<string>; stop(): Promise<void> };

/** A venue with BTC at 100,000 and two wallets in portfolio mode that trade one perp, the first of them as the seller who rests. */
async function run(t: TestContext, data: string, flags: readonly string[]): Promise<Running> {
  const { venue, http } = await runningVenue(t, { data, flags: ['--workers', '1', '--feed', 'manual', ...flags] });
  const authorization = `Bearer ${readFileSync(join(data, 'admin-token'), 'utf8').trim()}`;
  const set = await http.post('/admin/index-price', { underlying: 'BTC', price: '100000' }, { authorization });
  assert.equal(set.status, 200, set.text);
  const signer = await signerFor(http);
  const wallets = [createWallet(), createWallet()] as const;
  for (const wallet of wallets) {
    const { status, text } = await http.send(signer.setMarginMode(wallet, 'portfolio'));
    assert.equal(status, 200, text);
  }
  const get = async (path: string): Promise<any> => {
    const { status, text, body } = await http.get(path);
    assert.equal(status, 200, text);
    return body;
  };
  const trade = async (): Promise<readonly string[]> => {
    for (const [at, side] of [[0, 'Sell'], [1, 'Buy']] as const) {
      const { text, body } = await http.send(signer.placeOrder(wallets[at], { symbol: 'BTC-PERP', side, size: '1', price: '100000' }));
      assert.equal((body as { status: string }).status, 'ACKED', text);
    }
    const fills = await Promise.all(wallets.map(({ address }) => get(`/fills?wallet=${address}`)));
    return fills.map(({ data: [{ fee }] }) => fee);
  };
  const marginUsed = async (): Promise<string> => (await get(`/portfolio?wallet=${wallets[0].address}`)).total_margin_used;
  const stop = async (): Promise<void> => {
    const { code, err } = await venue.stop();
    assert.equal(code, 0, err);
  };
  return { http, trade, marginUsed, stop };
}

test('a settings file sets fees and margin; a later start without it returns to the defaults', async (t) => {
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  const file = join(folder, 'settings.json');
  writeFileSync(file, '{"maker_fee": "0.02 %", "taker_fee": "0.05 %", "preset": {"BTC": "venue17"}, "default_balance": "50,000 USDC"}');
  const first = await run(t, data, ['--settings', file]);
  assert.deepEqual(await first.trade(), ['20', '50']);
  assert.equal(await first.marginUsed(), '15000');
  await first.stop();
  assert.equal(configured(data), 1);

  const same = await run(t, data, ['--settings', file]);
  await same.stop();
  assert.equal(configured(data), 1, 'nothing has changed');

  const without = await run(t, data, []);
  assert.deepEqual(await without.trade(), ['0', '0']);
  assert.equal(await without.marginUsed(), '16000');
  await without.stop();
  assert.equal(configured(data), 2);
  assertSound(data);
});
