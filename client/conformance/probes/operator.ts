// What the operator's requests refuse, and what the operator makes the engine refuse. Asked with the admin token; the market is the
// run's own and goes, the wallet is the run's own.

import type { OrderTerms } from '../../src/main.ts';
import { shown, type Answer, type Target } from '../checks.ts';
import type { World } from '../world.ts';
import { dateIn, NOBODY, operating, terms, unlisted, type Probe, type Probes } from './making.ts';

const FAR = 'BTC-20990102-100000-C';

const REFUSED: Probes = {
  'blocking an unknown wallet': operating('POST', '/admin/block', { wallet: NOBODY, mode: 'blocked' }),
  'an invalid tier': operating('POST', '/user-tier', { wallet: NOBODY, tier: 'vip' }),
  'a market that exists': operating('POST', '/markets', ({ symbol }) => ({ symbol })),
  'deleting a market with open interest': operating('DELETE', '/markets', ({ symbol }) => ({ symbol })),
  'deleting an unknown market': operating('DELETE', '/markets', () => ({ symbol: unlisted() })),
  'a market that has expired': operating('POST', '/markets', { symbol: 'BTC-20200103-10000-C' }),
  'a market that expires in more than 3,660 days': operating('POST', '/markets', { symbol: FAR }),
  'a competition with invalid terms': operating('POST', '/competitions', {
    name: 'Never', win_conditions: ['pnl'], primary_win_condition: 'pnl', start_ts_ms: 2, end_ts_ms: 1,
  }),
  'a surface out of range': surface({ atm_vol: '5.1' }),
  'a surface of an unlisted expiry': surface({ atm_vol: '0.5', expiry: '2020-01-03' }),
  'a settlement price that no expiry waits for': operating('POST', '/admin/settlement-price', {
    underlying: 'BTC', expiry: dateIn(1), price: '100000',
  }),
};

const REJECTED: Probes = {
  'an order in a cancel-only market': halted('cancel_only'),
  'an order in a halted market': halted('halted'),
  'the wallet\'s own order in a deleted market': async (world, target) => {
    const { operated } = world;
    const symbol = await listed(world, target);
    const { order_id: id } = await operated.placeOrder({ ...terms(world), symbol });
    await act(target, 'DELETE', '/markets', { symbol });
    return world.sent(operated, operated.forms.cancelOrder(id ?? 0));
  },
  'an opening order of a wallet that may only close': restricted('close_only'),
  'an order of a blocked wallet': restricted('blocked'),
  'tier1 sells beyond its long position': async (world, target) => {
    const { operated, symbol, high } = world;
    await world.buy(operated);
    await act(target, 'POST', '/user-tier', { wallet: operated.wallet, tier: 'tier1' });
    const answer = await order(world, { symbol, side: 'Sell', size: '1', price: high });
    await act(target, 'POST', '/user-tier', { wallet: operated.wallet, tier: 'default' });
    return answer;
  },
  'cash is zero': async (world, target) => {
    const { operated } = world;
    // Opens the account.
    await order(world, { ...terms(world), tif: 'fok' });
    const { available_balance: cash } = await operated.get('/portfolio', { wallet: operated.wallet });
    await credit(target, operated.wallet, `-${cash}`);
    const answer = await order(world, terms(world));
    await credit(target, operated.wallet, cash);
    return answer;
  },
};

export const OPERATOR_PROBES: Probes = { ...REFUSED, ...REJECTED };

/** Some feeds set them, and then nobody else may. */
function surface(terms: object): Probe {
  return async (_, target) => {
    const answer = await target.operate('POST', '/admin/vol-surface', { underlying: 'BTC', ...terms });
    return answer.status === 409 ? 'the feed of the venue sets surfaces' : answer;
  };
}

function order(world: World, of: OrderTerms): Promise<Answer> {
  return world.sent(world.operated, world.operated.forms.placeOrder(of));
}

function credit(target: Target, wallet: string, amount: string): Promise<void> {
  return act(target, 'POST', '/admin/credit', { wallet, amount, reason: 'conformance', id: `${Date.now()}_${amount.replace('.', '_')}` });
}

/** A step of the operator on the way to a refusal. */
async function act(target: Target, method: string, path: string, body: object): Promise<void> {
  const answer = await target.operate(method, path, body);
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${shown(answer)}`);
}

/** A market that nobody else has. */
async function listed(world: World, target: Target): Promise<string> {
  const symbol = world.newMarket();
  await act(target, 'POST', '/markets', { symbol });
  return symbol;
}

function halted(mode: string): Probe {
  return async (world, target) => {
    const symbol = await listed(world, target);
    try {
      await act(target, 'POST', '/admin/halt', { scope: symbol, mode });
      return await order(world, { ...terms(world), symbol });
    } finally {
      await target.operate('POST', '/admin/halt', { scope: symbol, mode: 'open' });
      await target.operate('DELETE', '/markets', { symbol });
    }
  };
}

function restricted(mode: string): Probe {
  return async (world, target) => {
    const { wallet } = world.operated;
    await act(target, 'POST', '/admin/block', { wallet, mode });
    const answer = await order(world, terms(world));
    await act(target, 'POST', '/admin/block', { wallet, mode: 'open' });
    return answer;
  };
}
