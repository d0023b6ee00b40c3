// The file of `--rate-limits`, which replaces values of the table of tiers. A wrong value is refused like any setting.

import { readFileSync } from 'node:fs';
import { DEFAULT_LIMITS, UNLIMITED, type TierLimits } from '../../core/tiers.ts';
import { TIERS } from '../ipc/enum-names.ts';
import { BadSetting } from './bad-setting.ts';
import { isObject } from './json-object.ts';

const COLUMNS = ['orders', 'cancels', 'requests', 'quotes', 'openOrders', 'positions'] as const;

/** The file is like {"market_maker": {"orders": 100000, "positions": -1}}; -1 is unlimited. */
export function readTable(path: string): readonly TierLimits[] {
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new BadSetting(`--rate-limits must be on, off or a JSON file; ${path}: ${(error as Error).message}`);
  }
  if (!isObject(given)) throw new BadSetting(`${path} must hold an object by tier, like {"market_maker": {"orders": 100000}}`);
  for (const [tier, row] of Object.entries(given)) {
    if (!(TIERS as readonly string[]).includes(tier)) throw new BadSetting(`${path}: "${tier}" is not a tier (${TIERS.join(', ')})`);
    if (!isObject(row)) throw new BadSetting(`${path}: ${tier} must be an object of ${COLUMNS.join(', ')}`);
  }
  return TIERS.map((tier, at) => replaceRow(path, tier, DEFAULT_LIMITS[at]!, (given[tier] ?? {}) as Record<string, unknown>));
}

function replaceRow(path: string, tier: string, row: TierLimits, given: Record<string, unknown>): TierLimits {
  const out: Record<string, number> = { ...row };
  for (const [name, value] of Object.entries(given)) {
    const known = (COLUMNS as readonly string[]).includes(name);
    if (!known || !Number.isInteger(value) || (value as number) < UNLIMITED || (value as number) > 1_000_000_000) {
      throw new BadSetting(`${path}: ${tier}.${name} must be one of ${COLUMNS.join(', ')} with an integer from -1 to 1000000000`);
    }
    out[name] = value as number;
  }
  return out as TierLimits;
}
