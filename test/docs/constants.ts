// The constants that a document states, against the core's: settings by their names, those fixed in the code by the declaration
// in the file that the row names, and the scenario grids row by row.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as settings from '../../core/settings.ts';
import * as units from '../../core/units.ts';
import type { Grid } from '../../core/margin/presets.ts';
import { numberOf, type Row } from './tables.ts';

const ROOT = new URL('../../', import.meta.url);
const TIMES: { readonly [unit: string]: number } = { s: units.SECOND, min: units.MINUTE, h: units.HOUR };
/** Exports of core/settings that are no settings: presets, and the unit of rates. */
const NO_SETTING = ['DENSE', 'VENUE17', 'PPM'];

/** '15 %', '10 s', '1,000,000 USDC', '0.1 contracts', '4': as the core holds it, with rates in `rate` of one. */
function valueOf(text: string, rate: number): number {
  const [, number, unit = ''] = /^(\S+)(?: (.+))?$/.exec(text)!;
  const value = numberOf(number!);
  if (unit in TIMES) return value * TIMES[unit]!;
  const scale = { '': 1, '%': rate / 100, USDC: units.USDC, contracts: units.CONTRACT }[unit] ?? assert.fail(`no unit: ${text}`);
  return Math.round(value * scale * 1e6) / 1e6;
}

/** Every setting has its row, and the default of the row. `Name` may say ` of BTC`, ` of others` for what is kept per underlying. */
export function checkSettings(rows: readonly Row[]): void {
  const values = settings.defaultSettings();
  const names = Object.entries(settings).filter(([name, value]) => typeof value === 'number' && !NO_SETTING.includes(name));
  const stated = new Set<string>();
  for (const row of rows) {
    const [, name, which] = /^(\w+)(?: of (BTC|others))?$/.exec(row.read('Name'))!;
    stated.add(name!);
    const at = (settings as { readonly [name: string]: unknown })[name!];
    if (typeof at !== 'number') {
      row.wrong.push(`${name}: no setting`);
      continue;
    }
    const said = row.read('Default');
    const value = said === 'dense' ? settings.DENSE : valueOf(said, settings.PPM);
    const slot = which === 'others' ? at + 1 : at;
    if (values[slot] !== value) row.wrong.push(`${name}: says ${said}, is ${values[slot]}`);
    row.read('Meaning');
  }
  assert.deepEqual(names.map(([name]) => name).filter((name) => !stated.has(name)), [], 'settings without a row');
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
  // Rates of perps are held in 1e-9, all others in 1e-6.
  if (actual !== valueOf(said, file.endsWith('/funding.ts') ? 1e9 : settings.PPM)) row.wrong.push(`${name}: says ${said}, is ${actual}`);
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
