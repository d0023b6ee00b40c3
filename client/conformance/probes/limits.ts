// Errors of a spent budget. The wallet is of no use for the rest of the minute, and risk simulations of this address neither.

import type { Answer } from '../checks.ts';
import { terms, type Probes } from './making.ts';

/** Of two minutes, should one end meanwhile. */
const PLACEMENTS = 122;
const SIMULATIONS = 122;

export const LIMIT_PROBES: Probes = {
  'the budget of a wallet is spent': async (world) => (
    await untilLimited(PLACEMENTS, () => world.sent(world.idle, world.idle.forms.placeOrder({ ...terms(world), tif: 'fok' })))
  ),
  'more than 60 risk simulations': async ({ symbol }, target) => (
    await untilLimited(SIMULATIONS, () => target.send('POST', '/risk/simulate/portfolio', { positions: [{ symbol, amount: '1' }] }))
  ),
};

/** The last of so many answers, or the first 429. */
async function untilLimited(most: number, ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  for (let asked = 1; asked < most && answer.status !== 429; asked++) answer = await ask();
  return answer;
}
