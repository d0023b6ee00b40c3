// Conformance tests that need only a venue's address: rows of the law that new wallets can see.

import { Checks, Target } from './checks.ts';
import { checkEndpoints } from './endpoints.ts';
import { checkErrors } from './errors.ts';
import { World } from './world.ts';

type Options = {
  /** The operator's, for the rows that need it. */
  readonly token?: string | undefined;
  /** Spends the budgets of a minute too. */
  readonly limits?: boolean | undefined;
};

export async function runConformance(url: string, { token, limits }: Options, say: (line: string) => void): Promise<Checks> {
  const target = new Target(url, token ?? null);
  const checks = new Checks(say);
  const world = await World.open(target);
  checks.note('two new wallets trade', await world.build());
  await checkEndpoints(checks, target, world);
  await checkErrors(checks, target, world, limits === true);
  await world.end();
  return checks;
}
