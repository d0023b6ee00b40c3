// For each endpoint of the law, a request that it answers with 200 and data, in a venue where two wallets have traded, one of their
// options has settled, and a competition is running.

import assert from 'node:assert/strict';
import { perp } from '../../shell/api/perps.ts';
import {
  amend, approve, cancel, cancelByCloid, freshNonce, marginMode, mmpConfig, mmpName, order, replace, revoke,
} from '../../shell/api/requests.ts';
import type { Signer } from '../../shell/api/wallets.ts';
import { DAILY, LONG, NEXT, someone, TOKEN, type Answer, type Desk } from './desk.ts';

const EXPIRY_DATE = '2026-03-27';
const START = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;
const ADMIN = { authorization: `Bearer ${TOKEN}` };

/** What the requests ask about. */
export class World {
  readonly desk: Desk;
  readonly buyer = someone();
  readonly seller = someone();
  competition = 0;

  constructor(desk: Desk) {
    this.desk = desk;
  }

  /** Trades, then waits until the option of the day is settled. */
  async build(): Promise<void> {
    const { desk, buyer, seller } = this;
    const made = await desk.administer('/competitions', {
      name: 'First', description: 'One', rules_url: 'https://rules.test', rules_content: 'None', win_conditions: ['pnl', 'volume'],
      primary_win_condition: 'pnl', start_ts_ms: START, end_ts_ms: START + DAY_MS,
    });
    this.competition = made.body.data.id;
    await desk.trade(buyer, seller, { symbol: DAILY });
    await desk.trade(buyer, seller, { size: '2', price: '9000' });
    for (const [signer, side] of [[buyer, 'Buy'], [seller, 'Sell']] as const) {
      const taken = await desk.post('/order', perp(signer, { side, price: '100000' }));
      assert.equal(taken.body.status, 'ACKED', taken.text);
    }
    await desk.rest(buyer, { symbol: LONG, price: '100' });
    await desk.rest(seller, { symbol: LONG, side: 'Sell', price: '20000' });
    await desk.post('/mmp/config', mmpConfig(seller, { qty_limit: '100', delta_limit: '50', vega_limit: '1000' }));
    await desk.post('/approve-agent', approve(buyer, someone().address, { wallet: buyer.address }));
    await desk.leap(60);
    const price = { underlying: 'BTC', expiry: '2026-01-05', price: '101000' };
    await desk.until(async () => (await desk.post('/admin/settlement-price', price, ADMIN)).status === 200);
  }

  /** An order of a new wallet that rests. */
  async rest(clientId = ''): Promise<{ readonly signer: Signer; readonly id: number }> {
    const signer = someone();
    return { signer, id: await this.desk.rest(signer, { symbol: LONG, price: '1', client_id: clientId }) };
  }

  get(path: string): Promise<Answer> {
    return this.desk.get(path);
  }

  send(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.desk.send(method, path, body, headers);
  }
}

type Ask = (world: World) => Promise<Answer>;

function reading(path: string): Ask {
  return (world) => world.get(path);
}

function readingOf(path: string): Ask {
  return (world) => world.get(`${path}${path.includes('?') ? '&' : '?'}wallet=${world.buyer.address}`);
}

/** A signed name, of a wallet nobody knows. */
function naming(path: string, structure: 'SetUsername' | 'SubmitUsernameRequest', field: string, member: string): Ask {
  return (world) => {
    const signer = someone();
    const [name, nonce] = [`someone_${freshNonce()}`, freshNonce()];
    const signature = signer.sign(structure, { wallet: signer.address, [member]: name, nonce });
    return world.send('POST', path, { wallet: signer.address, [field]: name, nonce, signature });
  };
}

const AGENTS: { readonly [what: string]: Ask } = {
  'POST /approve-agent': (world) => world.send('POST', '/approve-agent', approve(world.buyer, someone().address)),
  'POST /revoke-agent': revoking('POST'),
  'DELETE /revoke-agent': revoking('DELETE'),
  'DELETE /revoke-all-agents': async (world) => {
    const { signer } = await world.rest();
    await world.send('POST', '/approve-agent', approve(signer, someone().address));
    const nonce = freshNonce();
    return world.send('DELETE', '/revoke-all-agents', { nonce, signature: signer.sign('RevokeAllAgents', { nonce }) });
  },
  'GET /authorized-agents': readingOf('/authorized-agents'),
};

function revoking(method: string): Ask {
  return async (world) => {
    const agent = someone().address;
    await world.send('POST', '/approve-agent', approve(world.seller, agent));
    return world.send(method, '/revoke-agent', revoke(world.seller, agent));
  };
}

const TRADING: { readonly [what: string]: Ask } = {
  'POST /order': (world) => world.send('POST', '/order', order(someone(), { symbol: LONG, price: '1' })),
  'PUT /order': async (world) => {
    const { signer, id } = await world.rest();
    return world.send('PUT', '/order', replace(signer, id, { symbol: LONG, price: '2' }));
  },
  'POST /amend': async (world) => {
    const { signer, id } = await world.rest();
    return world.send('POST', '/amend', amend(signer, id, { price: '2' }));
  },
  'DELETE /order': cancelling('DELETE', '/order'),
  'POST /cancel': cancelling('POST', '/cancel'),
  'DELETE /order_cloid': cancellingByCloid('DELETE', '/order_cloid'),
  'POST /cancel-by-cloid': cancellingByCloid('POST', '/cancel-by-cloid'),
  'POST /cancel-all': async (world) => {
    const { signer } = await world.rest();
    const nonce = freshNonce();
    const signature = signer.sign('CancelAll', { wallet: signer.address, scope: '', nonce });
    const answer = await world.send('POST', '/cancel-all', { wallet: signer.address, scope: '', nonce, signature });
    assert.equal(answer.body.data?.cancelled, 1, answer.text);
    return answer;
  },
  'POST /void-nonces': async (world) => {
    const signer = someone();
    const [wallet, nonce] = [signer.address, freshNonce()];
    const signature = signer.sign('VoidNonces', { wallet, upTo: nonce, nonce });
    return world.send('POST', '/void-nonces', { wallet, up_to: nonce, nonce, signature });
  },
  'POST /cancel-after': async (world) => {
    const signer = someone();
    const message = { wallet: signer.address, timeoutMs: 60_000, nonce: freshNonce() };
    const { wallet, nonce } = message;
    return world.send('POST', '/cancel-after', { wallet, timeout_ms: 60_000, nonce, signature: signer.sign('CancelAfter', message) });
  },
  'GET /cancel-after': readingOf('/cancel-after'),
  'POST /cancel-on-disconnect': async (world) => {
    const signer = someone();
    const message = { wallet: signer.address, enabled: true, graceMs: 5_000, connection: '', nonce: freshNonce() };
    const { wallet, enabled, nonce } = message;
    const signature = signer.sign('SetCancelOnDisconnect', message);
    return world.send('POST', '/cancel-on-disconnect', { wallet, enabled, grace_ms: 5_000, nonce, signature });
  },
  'GET /cancel-on-disconnect': readingOf('/cancel-on-disconnect'),
  'POST /bulk_order': (world) => world.send('POST', '/bulk_order', {
    orders: [order(someone(), { symbol: LONG, price: '1' }), order(someone(), { symbol: 'BTC-20260327-123-C', price: '1' })],
  }),
  'PUT /bulk_order': async (world) => {
    const { signer, id } = await world.rest();
    return world.send('PUT', '/bulk_order', { replacements: [replace(signer, id, { symbol: LONG, price: '2' })] });
  },
  'DELETE /bulk_order': async (world) => {
    const { signer, id } = await world.rest();
    return world.send('DELETE', '/bulk_order', { cancels: [cancel(signer, id), cancel(signer, id)] });
  },
  'PUT /bulk_amend': async (world) => {
    const { signer, id } = await world.rest();
    return world.send('PUT', '/bulk_amend', { amends: [amend(signer, id, { price: '2' })] });
  },
  'DELETE /bulk_order_cloid': async (world) => {
    const { signer } = await world.rest('mine');
    return world.send('DELETE', '/bulk_order_cloid', { cancels: [cancelByCloid(signer, 'mine')] });
  },
  'POST /limit_iv': (world) => world.send('POST', '/limit_iv', { symbol: LONG, iv: 0.5 }),
  'GET /orders': readingOf('/orders'),
  'GET /orders/status': readingOf('/orders/status?order_id=1'),
  'GET /trades': reading('/trades'),
  'GET /trades/{trade_id}': reading('/trades/1'),
};

function cancelling(method: string, path: string): Ask {
  return async (world) => {
    const { signer, id } = await world.rest();
    return world.send(method, path, cancel(signer, id));
  };
}

function cancellingByCloid(method: string, path: string): Ask {
  return async (world) => {
    const { signer } = await world.rest('mine');
    return world.send(method, path, cancelByCloid(signer, 'mine'));
  };
}

const NEW_MARKET = 'BTC-20260327-111000-C';

const MARKETS: { readonly [what: string]: Ask } = {
  'GET /instruments': reading('/instruments'),
  'GET /markets': reading('/markets'),
  'GET /orderbook': reading(`/orderbook?instrument_name=${LONG}`),
  'GET /expiry-summary': reading(`/expiry-summary?currency=BTC&expiry=${EXPIRY_DATE}`),
  'GET /options-chain': reading(`/options-chain?currency=BTC&expiry=${EXPIRY_DATE}`),
  'GET /options-summary': reading('/options-summary?currency=BTC'),
  'GET /greeks': reading(`/greeks?symbol=${LONG}`),
  'GET /candles': reading(`/candles?resolution=1m&start_time_ms=${START}&end_time_ms=${START + DAY_MS}`),
  'GET /historical-theos': reading(`/historical-theos?instrument_name=${LONG}&interval=5m`),
  'GET /exchange-info': reading('/exchange-info'),
  'POST /markets': (world) => world.send('POST', '/markets', { symbol: NEW_MARKET }, ADMIN),
  'DELETE /markets': async (world) => {
    await world.send('POST', '/markets', { symbol: NEW_MARKET }, ADMIN);
    return world.send('DELETE', '/markets', { symbol: NEW_MARKET }, ADMIN);
  },
};

const ACCOUNT: { readonly [what: string]: Ask } = {
  'GET /portfolio': readingOf('/portfolio'),
  'GET /portfolio/greeks': (world) => {
    const simulated = encodeURIComponent(JSON.stringify([{ symbol: NEXT, side: 'Buy', size: '1' }]));
    return readingOf(`/portfolio/greeks?simulated_orders=${simulated}`)(world);
  },
  'GET /fills': readingOf('/fills'),
  'GET /historical-pnl': readingOf('/historical-pnl?interval=5m'),
  'GET /settlement-payouts': readingOf('/settlement-payouts'),
  'POST /settlement-payouts/seen': async (world) => {
    const { buyer } = world;
    const payouts = await readingOf('/settlement-payouts')(world);
    const ids = payouts.body.data.map(({ id }: { id: number }) => id);
    const nonce = freshNonce();
    const signature = buyer.sign('SetSettlementPayoutSeen', { wallet: buyer.address, payoutIds: ids.join(','), seen: true, nonce });
    const answer = await world.send('POST', '/settlement-payouts/seen', { wallet: buyer.address, ids, nonce, signature });
    assert.deepEqual([answer.body.requested, answer.body.affected], [1, 1], answer.text);
    return answer;
  },
  'POST /margin-mode': (world) => world.send('POST', '/margin-mode', marginMode(someone(), 'portfolio')),
  'GET /profile': readingOf('/profile'),
  'GET /profile/trades': (world) => readingOf(`/profile/trades?competition_id=${world.competition}`)(world),
  'POST /profile/username-request': naming('/profile/username-request', 'SubmitUsernameRequest', 'requested_username', 'requestedUsername'),
  'POST /username': naming('/username', 'SetUsername', 'username', 'username'),
  'GET /username': async (world) => {
    const set = await naming('/username', 'SetUsername', 'username', 'username')(world);
    return world.get(`/username?wallet=${set.body.data.wallet_address}`);
  },
};

const OTHERS: { readonly [what: string]: Ask } = {
  'GET /mmp/config': (world) => world.get(`/mmp/config?wallet=${world.seller.address}`),
  'POST /mmp/config': (world) => world.send('POST', '/mmp/config', mmpConfig(someone(), { qty_limit: '10' })),
  'DELETE /mmp/config': protecting('DELETE', '/mmp/config', 'DeleteMmpConfig'),
  'POST /mmp/reset': protecting('POST', '/mmp/reset', 'ResetMmp'),
  'GET /competitions': reading('/competitions'),
  'GET /competitions/leaderboard': (world) => (
    world.get(`/competitions/leaderboard?competition_id=${world.competition}&wallet=${world.buyer.address}`)
  ),
  'GET /competitions/{id}': (world) => world.get(`/competitions/${world.competition}`),
  'POST /competitions': (world) => world.send('POST', '/competitions', {
    name: 'Second', win_conditions: ['efficiency'], primary_win_condition: 'efficiency', start_ts_ms: START + DAY_MS,
    end_ts_ms: START + 2 * DAY_MS,
  }, ADMIN),
  'GET /user-tier': readingOf('/user-tier'),
  'POST /user-tier': (world) => world.send('POST', '/user-tier', { wallet: world.buyer.address, tier: 'default' }, ADMIN),
  'GET /risk/grid': readingOf('/risk/grid'),
  'POST /risk/simulate/portfolio': (world) => world.send('POST', '/risk/simulate/portfolio', {
    positions: [{ symbol: LONG, amount: '-1' }, { symbol: 'BTC-PERP', amount: '2', entry_price: '99000' }],
  }),
  'POST /risk/simulate/orders': (world) => world.send('POST', '/risk/simulate/orders', {
    wallet: world.buyer.address, orders: [{ symbol: LONG, side: 'Sell', size: '1', price: '9000' }],
  }),
  'GET /health': reading('/health'),
  'GET /ready': reading('/ready'),
};

function protecting(method: string, path: string, structure: 'DeleteMmpConfig' | 'ResetMmp'): Ask {
  return async (world) => {
    const signer = someone();
    await world.send('POST', '/mmp/config', mmpConfig(signer, { qty_limit: '1' }));
    return world.send(method, path, mmpName(structure, signer));
  };
}

export const ASKS: { readonly [what: string]: Ask } = { ...AGENTS, ...TRADING, ...MARKETS, ...ACCOUNT, ...OTHERS };
