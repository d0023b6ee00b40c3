// docs/MARGIN.md says what is so: every table is parsed and every number in it is computed by the core, examples through real
// commands, constants by their names. A table that no check knows may hold words only.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gridOf } from '../../core/margin/presets.ts';
import { defaultSettings, DENSE, MAKER_FEE, MARK_MIN_SIZE, PPM, PRESET, SETTLEMENT_FEE, TAKER_FEE, VENUE17 } from '../../core/settings.ts';
import { parseSettings } from '../../shell/process/settings-file.ts';
import { checkAccount, type World } from './book.ts';
import { checkFixed, checkGrid, checkSettings } from './constants.ts';
import { checkFunding, checkLiquidation, checkQuotes, checkRanking, checkScenarios, checkShockedVolatility, checkSurfaceAge,
  checkTakeover, checkTicks, checkWindow } from './runs.ts';
import { numberOf, Row, tablesOf } from './tables.ts';

const PAGE = readFileSync(new URL('../../docs/MARGIN.md', import.meta.url), 'utf8');
const TABLES = tablesOf(PAGE);
const ROWS = new Map(TABLES.filter(({ name }) => name !== '').map((table) => [table.name, table.rows.map((_, at) => new Row(table, at))]));

function rowsOf(name: string): readonly Row[] {
  return ROWS.get(name) ?? assert.fail(`the page has no table "${name}"`);
}

const [dense, venue17] = [DENSE, VENUE17].map((preset) => gridOf({ values: defaultSettings().fill(preset, PRESET, MARK_MIN_SIZE) }, 0));
const GRIDS = [dense!, venue17!] as const;

const WORLD: World = Object.fromEntries(rowsOf('The market of the examples').map((row) => [
  row.read('Underlying'), { index: numberOf(row.read('Index')), volatility: numberOf(row.read('IV')) / 100 },
]));

const each = (check: (row: Row) => void) => (rows: readonly Row[]): void => rows.forEach(check);
const standard = each((row) => checkAccount(WORLD, row, 'standard'));
const account = each((row) => checkAccount(WORLD, row, 'portfolio'));

const CHECKS: { readonly [table: string]: (rows: readonly Row[]) => void } = {
  'The market of the examples': () => assert.deepEqual(Object.keys(WORLD), ['BTC', 'ETH']),
  'One account': account,
  'Positions in standard mode': standard,
  'Open orders in standard mode': standard,
  'Taker fees in the reserves': standard,
  'Orders that are refused': account,
  'Grid of the preset dense': (rows) => checkGrid(rows, GRIDS[DENSE]),
  'Grid of the preset venue17': (rows) => checkGrid(rows, GRIDS[VENUE17]),
  'Shocked volatility': each((row) => checkShockedVolatility(WORLD, row)),
  'Some rows of one portfolio': (rows) => checkScenarios(WORLD, rows, GRIDS),
  'Positions in portfolio mode': account,
  'Open orders in portfolio mode': account,
  'Option floor': account,
  'Gamma overlay': account,
  'Two underlyings': account,
  'Quotes and the mark': each((row) => checkQuotes(WORLD, row)),
  'Age of a surface': each((row) => checkSurfaceAge(WORLD, row)),
  'Ticks of the index': checkTicks,
  'Orders while data is behind': account,
  'Closing distance': account,
  'Orders that only close': account,
  'One hour of funding': each(checkFunding),
  'One liquidation': checkLiquidation,
  'Who pays a deficit': each(checkTakeover),
  'Ranking of two holders': checkRanking,
  'The last half hour of a call': (rows) => checkWindow(rows, rowsOf('Its settlement')),
  'Its settlement': () => undefined,
  'Settings and their defaults': checkSettings,
  'Fixed in the code': each(checkFixed),
};

for (const [name, check] of Object.entries(CHECKS)) {
  test(`margin page: ${name}`, () => {
    const rows = rowsOf(name);
    assert.ok(rows.length > 0);
    check(rows);
    assert.deepEqual(rows.flatMap(({ wrong }) => wrong), []);
  });
}

test('margin page: no table, row or cell with a number is left unchecked', () => {
  const captions = TABLES.map(({ name }) => name).filter((name) => name !== '');
  assert.deepEqual(captions.filter((name) => !(name in CHECKS)), []);
  assert.equal(ROWS.size, captions.length, 'one table a caption');
  for (const { name, line, rows } of TABLES) {
    if (name === '') assert.doesNotMatch(rows.flat().join(), /\d/, `line ${line}: a number in a table without a check`);
  }
  for (const [name, rows] of ROWS) rows.forEach((row, at) => assert.deepEqual(row.left(), [], `${name}, row ${at + 1}: not looked at`));
});

test('margin page: the file of settings is one', () => {
  const [, file] = /^```json\n([^]*?)^```$/m.exec(PAGE)!;
  const given = parseSettings('the page', file!, Object.keys(WORLD));
  const rates = [MAKER_FEE, TAKER_FEE, SETTLEMENT_FEE].map((fee) => given.find(({ at }) => at === fee)!.value / PPM);
  assert.deepEqual(rates, [0.0002, 0.0005, 0.00015]);
});

test('margin page: lines are short', () => {
  const long = PAGE.split('\n').filter((line) => line.length > 120 && !line.startsWith('|'));
  assert.deepEqual(long, []);
});
