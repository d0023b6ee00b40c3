// Errors of the law that new wallets can bring about, some with the admin token: each must have the law's status, code and text.

import { ERRORS, type ErrorRow } from './law/errors.ts';
import { shown, type Answer, type Checks, type Target } from './checks.ts';
import { LIMIT_PROBES } from './probes/limits.ts';
import { OPERATOR_PROBES } from './probes/operator.ts';
import { ORDER_PROBES } from './probes/orders.ts';
import { REQUEST_PROBES } from './probes/requests.ts';
import type { Probe } from './probes/making.ts';
import type { World } from './world.ts';

const STRANGERS = { ...REQUEST_PROBES, ...ORDER_PROBES };

/** `withLimits`: spends budgets too, last of all. */
export async function checkErrors(checks: Checks, target: Target, world: World, withLimits: boolean): Promise<void> {
  const limits = ERRORS.filter(({ when }) => when in LIMIT_PROBES);
  for (const row of [...ERRORS.filter((one) => !limits.includes(one)), ...limits]) {
    const probe = probeOf(row, { withToken: target.hasToken, withLimits });
    if (typeof probe === 'string') checks.skip(`error: ${row.when}`, probe);
    else await check(checks, row, () => probe(world, target));
  }
}

type Means = { readonly withToken: boolean; readonly withLimits: boolean };

/** A text: why it is not asked. */
function probeOf({ shown: elsewhere, when }: ErrorRow, { withToken, withLimits }: Means): Probe | string {
  if (when in OPERATOR_PROBES) return withToken ? OPERATOR_PROBES[when]! : 'needs --token';
  if (when in LIMIT_PROBES) return withLimits ? LIMIT_PROBES[when]! : 'needs --limits';
  return STRANGERS[when] ?? (elsewhere?.double === undefined ? 'would disturb others' : `needs ${elsewhere.double}`);
}

/** A step on the way may be refused too. */
async function check(checks: Checks, row: ErrorRow, ask: () => ReturnType<Probe>): Promise<void> {
  try {
    const answer = await ask();
    if (typeof answer === 'string') checks.skip(`error: ${row.when}`, answer);
    else checkError(checks, row, answer);
  } catch (error) {
    checks.note(`error: ${row.when}`, [`cannot be asked: ${(error as Error).message}`]);
  }
}

function checkError(checks: Checks, { code, status, text, when }: ErrorRow, answer: Answer): void {
  const isIt = answer.status === status && codeOf(code, answer) === code && patternOf(text).test(String(textOf(code, answer)));
  checks.note(`error: ${when}`, isIt ? [] : [`${shown(answer)}, not ${status} ${code} "${text}"`]);
}

function codeOf(code: string, { body }: Answer): string | undefined {
  if (code === 'REJECTED' || code === 'ACKED') return body?.status;
  if (code === 'FAILED' || code === 'ITEM') return code;
  return body?.error;
}

function textOf(code: string, { body }: Answer): unknown {
  switch (code) {
    case 'REJECTED': case 'ACKED': return body?.reason;
    case 'FAILED': return body?.error;
    case 'ITEM': return body?.results?.[0]?.error;
    default: return body?.message;
  }
}

/** What stands in braces may be anything. */
function patternOf(text: string): RegExp {
  return new RegExp(`^${text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`);
}
