// The constants that a document states, against the core's: settings as an operator would write them, those fixed in the code
// by the declaration in the file that the row names, and the scenario grids row by row.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as settings from '../../core/settings.ts';
import { defaultSettings, SETTINGS, type Setting } from '../../core/settings.ts';
import * as units from '../../core/units.ts';
import type { Grid } from '../../core/margin/presets.ts';
import { settingValue } from '../../shell/process/settings-file.ts';
import { numberOf, type Row } from './tables.ts';

const ROOT = new URL('../../', import.meta.url);
const TIMES: { readonly [unit: string]: number } = { '': 1, s: units.SECOND, min: units.MINUTE, h: units.HOUR };

/** '30 min', '1,024': as the core holds it. */
function valueOf(text: string): number {
  const [, number, unit = ''] = /^(\S+)(?: (.+))?$/.exec(text)!;
  return numberOf(number!) * (TIMES[unit] ?? assert.fail(`no unit: ${text}`));
}

/**
 * Every setting has its row with its default and its range, as the operator's file would say them. `Name` may say ` of BTC`,
 * ` of others` for what is kept per underlying.
 */
export function checkSettings(rows: readonly Row[]): void {
  const stated = new Set<string>();
  for (const row of rows) {
    const [, constant, which] = /^(\w+)(?: of (BTC|others))?$/.exec(row.read('Name'))!;
    const setting = SETTINGS.find(({ name }) => name.toUpperCase() === constant) ?? assert.fail(`${constant}: no setting`);
    stated.add(setting.name);
    assert.equal((settings as { readonly [name: string]: unknown })[constant!], setting.at, `${constant}: its constant`);
    const slot = which === 'others' ? setting.at + 1 : setting.at;
    compare(row, 'Default', defaultSettings()[slot], row.read('Default'), setting);
    const [least = '', most = ''] = row.read('Range').split(/ to |, /);
    compare(row, 'Range', setting.least, least, setting);
    compare(row, 'Range', setting.most, most, setting);
    row.read('Meaning');
  }
  assert.deepEqual(SETTINGS.map(({ name }) => name).filter((name) => !stated.has(name)), [], 'settings without a row');
}

function compare(row: Row, column: string, actual: number | undefined, said: string, setting: Setting): void {
  if (settingValue('the table', setting, said) !== actual) row.wrong.push(`${setting.name}, ${column}: says ${said}, is ${actual}`);
}

/** A constant by its declaration: the file's own text is evaluated, so one that is not exported is found too. */
export function checkFixed(row: Row): void {
  const name = row.read('Name');
  const file = row.read('Where');
  const declaration = new RegExp(String.raw`^(?:export )?const ${name}(?:: \w+)? = ([\w. */+()-]+);$`, 'm');
  const [, text] = declaration.exec(readFileSync(new URL(file, ROOT), 'utf8')) ?? assert.fail(`${file} has no ${name}`);
  const scope = Object.entries(units).filter(([, value]) => typeof value === 'number');
  const actual = Function(...scope.map(([unit]) => unit), `return ${text}`)(...scope.map(([, value]) => value)) as number;
  const said = row.read('Value');
  if (actual !== valueOf(said)) row.wrong.push(`${name}: says ${said}, is ${actual}`);
  row.read('Meaning');
}

/** Each row of the table stands for the product of its shocks, in the order of the grid. */
export function checkGrid(rows: readonly Row[], grid: Grid): void {
  const ppm = (cell: string): number => Math.round(numberOf(cell) * 1e4);
  const stated = rows.flatMap((row) => {
    const weight = Math.round(numberOf(row.read('Weight')) * 1e6);
    const volatilities = row.read('Volatility').split('; ').map(ppm);
    return row.read('Spot').split('; ').map(ppm).flatMap((spot) => volatilities.map((volatility) => [spot, volatility, weight]));
  });
  const actual = Array.from({ length: grid.rows }, (_, at) => [grid.spot[at]!, grid.volatility[at]!, grid.weight[at]!]);
  assert.deepEqual(stated, actual);
}
