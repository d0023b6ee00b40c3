// Every call of the published client that our interface has: the route it uses, the type its .d.ts promises, and a run that gives the
// answer something to show. At the root an answer may differ as the interface says (wire contract 0.3, rows 4 to 7).

import assert from 'node:assert/strict';
import { DAILY, LONG, Trader, type Clients, type Desk } from './desk.ts';

type Call = {
  /** The method, and what is special about this run of it. */
  readonly name: string;
  /** Method and path. */
  readonly route: string;
  readonly type: string;
  /** The type at the root, where it is another one. */
  readonly rootType?: string;
  readonly run: (clients: Clients, desk: Desk) => Promise<unknown>;
};

/** Calls of the client that our interface does not have (wire contract 2.8), with the routes that they ask for. */
export const OUTSIDE: { readonly [method: string]: string } = {
  profileRealizedPnl: 'GET /profile/realized-pnl', historicalTheosBatch: 'GET /historical-theos/batch',
  liquidationStatus: 'GET /liquidation/status', liquidationHistory: 'GET /liquidation/history',
  liquidations: 'GET /liquidations', directiveStatus: 'GET /v1/directives/{id}', withdrawalHistory: 'GET /v1/withdrawals',
  rfqStatus: 'GET /rfq/{id}', referralBinding: 'GET /referrals/binding', referralCodeByOwner: 'GET /referrals/code',
  referralCode: 'GET /referrals/code/{code}', referredWallets: 'GET /referrals/referred', transfers: 'GET /v1/transfers',
  withdrawUsdc: 'POST /withdraw/usdc', submitRfq: 'POST /rfq/request', acceptRfqQuote: 'POST /rfq/accept',
  submitStandardMarginLiquidation: 'POST /liquidation/standard-margin', createReferralCode: 'POST /referrals/code',
  setReferrer: 'POST /referrals/set-referrer',
};

/** Of these the venue serves a route of its own with another answer (extensions, listings). */
export const ANOTHER_MEANING: readonly string[] = ['GET /liquidations'];

type Rows = { readonly data?: readonly unknown[] | null | undefined };
type Update = { readonly status: string; readonly order_id?: number | null };

/** The answer, once it has a row. */
function shown<A extends Rows>(answer: A): A {
  assert.ok(answer.data!.length > 0, JSON.stringify(answer));
  return answer;
}

function acked<A extends Update>(update: A): A & { readonly order_id: number } {
  assert.equal(update.status, 'ACKED', JSON.stringify(update));
  return update as A & { readonly order_id: number };
}

function canceled<A extends { readonly success: boolean; readonly data?: Update | null }>(answer: A): A {
  assert.deepEqual([answer.success, answer.data?.status], [true, 'CANCELED'], JSON.stringify(answer));
  return answer;
}

function done<A extends { readonly success: boolean }>(answer: A): A {
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer;
}

/** A resting order of the maker; its id. */
async function rest({ exchange }: Clients, { maker }: Desk, clientId = ''): Promise<number> {
  return acked(await exchange.placeOrder(await maker.order({ clientId }))).order_id;
}

const MARKET: readonly Call[] = [
  { name: 'exchangeInfo', route: 'GET /exchange-info', type: 'info.ExchangeInfoResponse', run: ({ info }) => info.exchangeInfo() },
  { name: 'markets', route: 'GET /markets', type: 'info.MarketsResponse', run: async ({ info }) => shown(await info.markets()) },
  {
    name: 'markets, slim', route: 'GET /markets', type: 'info.MarketsSlimResponse',
    run: async ({ info }) => shown(await info.markets({ include_instruments: false })),
  },
  {
    name: 'instruments', route: 'GET /instruments', type: 'info.InstrumentsResponse', rootType: 'info.Instrument[]',
    run: ({ info }) => info.instruments({ currency: 'BTC' }),
  },
  {
    name: 'optionSummaries', route: 'GET /options-summary', type: 'info.OptionSummariesResponse', rootType: 'info.OptionSummary[]',
    run: ({ info }) => info.optionSummaries({ currency: 'BTC' }),
  },
  {
    name: 'orderbook', route: 'GET /orderbook', type: 'info.OrderbookResponse', rootType: 'info.OrderBook',
    run: ({ info }) => info.orderbook({ instrumentId: LONG }),
  },
  { name: 'trades', route: 'GET /trades', type: 'info.TradesResponse', run: async ({ info }) => shown(await info.trades({ limit: 10 })) },
  {
    name: 'trades, of an account', route: 'GET /trades', type: 'info.TradesResponse',
    run: async ({ info }, { writer }) => {
      const answer = shown(await info.trades({ account: writer.address }));
      const isOwn = ({ maker_address: maker, taker_address: taker }: { maker_address: string; taker_address: string }): boolean => (
        [maker, taker].includes(writer.address)
      );
      assert.ok(answer.data!.every(isOwn), JSON.stringify(answer));
      return answer;
    },
  },
  {
    name: 'trades, after an id', route: 'GET /trades', type: 'info.TradesResponse',
    run: async ({ info }) => {
      const answer = shown(await info.trades({ after_trade_id: 1 }));
      assert.equal(answer.data![0]!.trade_id, 2);
      return answer;
    },
  },
  {
    name: 'trade', route: 'GET /trades/{trade_id}', type: 'info.TradeResponse',
    run: async ({ info }) => info.trade({ tradeId: shown(await info.trades({ limit: 1 })).data![0]!.trade_id }),
  },
  {
    name: 'historicalTheos', route: 'GET /historical-theos', type: 'info.HistoricalTheosResponse',
    run: async ({ info }) => {
      const answer = await info.historicalTheos({ instrumentName: LONG, interval: '5m' });
      shown({ data: answer.data?.points });
      return answer;
    },
  },
];

const ACCOUNT: readonly Call[] = [
  {
    name: 'portfolio', route: 'GET /portfolio', type: 'info.PortfolioResponse', rootType: 'info.Portfolio',
    run: ({ info }, { writer }) => info.portfolio({ wallet: writer.address }),
  },
  {
    name: 'portfolio, by scenarios', route: 'GET /portfolio', type: 'info.PortfolioResponse', rootType: 'info.Portfolio',
    run: ({ info }, { taker }) => info.portfolio({ wallet: taker.address }),
  },
  {
    name: 'orders', route: 'GET /orders', type: 'info.OrdersResponse',
    run: async ({ info }, { maker }) => shown(await info.orders({ wallet: maker.address })),
  },
  {
    name: 'orderStatus', route: 'GET /orders/status', type: 'info.OrderStatusResponse',
    run: async ({ info }, { maker }) => {
      const [order] = shown(await info.orders({ wallet: maker.address })).data!;
      const answer = await info.orderStatus({ wallet: maker.address, orderId: String(order!.order_id) });
      assert.equal(answer.data?.order_id, order!.order_id);
      return answer;
    },
  },
  {
    name: 'fills', route: 'GET /fills', type: 'info.FillsResponse',
    run: async ({ info }, { maker }) => shown(await info.fills({ wallet: maker.address })),
  },
  {
    name: 'historicalPnl', route: 'GET /historical-pnl', type: 'info.HistoricalPnlResponse',
    run: async ({ info }, { maker }) => {
      const answer = await info.historicalPnl({ wallet: maker.address, interval: '5m' });
      shown({ data: answer.data?.points });
      return answer;
    },
  },
  {
    name: 'settlementPayouts', route: 'GET /settlement-payouts', type: 'info.SettlementPayoutsResponse',
    run: async ({ info }, { maker }) => shown(await info.settlementPayouts({ wallet: maker.address })),
  },
  {
    name: 'profile', route: 'GET /profile', type: 'info.ProfileResponse',
    run: async ({ info }, { maker }) => done(await info.profile({ wallet: maker.address })),
  },
  {
    name: 'profileTrades', route: 'GET /profile/trades', type: 'info.ProfileTradesResponse',
    run: async ({ info }, { maker }) => shown(await info.profileTrades({ wallet: maker.address })),
  },
  {
    name: 'riskGrid', route: 'GET /risk/grid', type: 'info.RiskGridResponse',
    run: async ({ info }, { taker }) => done(await info.riskGrid({ wallet: taker.address })),
  },
  {
    name: 'authorizedAgents', route: 'GET /authorized-agents', type: 'info.AuthorizedAgentsResponse',
    run: ({ info }, { maker }) => info.authorizedAgents({ wallet: maker.address }),
  },
];

const ORDERS: readonly Call[] = [
  {
    name: 'placeOrder', route: 'POST /order', type: 'exchange.PlaceOrderResponse', rootType: 'Root<exchange.PlaceOrderResponse>',
    run: async ({ exchange }, { maker }) => acked(await exchange.placeOrder(await maker.order())),
  },
  {
    name: 'placeOrder, reduce-only', route: 'POST /order', type: 'exchange.PlaceOrderResponse',
    rootType: 'Root<exchange.PlaceOrderResponse>',
    run: async ({ exchange }, { taker }) => acked(await exchange.placeOrder(await taker.reduceOnlyOrder())),
  },
  {
    name: 'placeOrder, rejected', route: 'POST /order', type: 'exchange.PlaceOrderResponse', rootType: 'Root<exchange.PlaceOrderResponse>',
    run: async ({ exchange }, { maker }) => {
      const update = await exchange.placeOrder(await maker.reduceOnlyOrder({ side: 'Buy' }));
      assert.deepEqual([update.status, update.reason], ['REJECTED', 'Reduce-only order would increase position']);
      return update;
    },
  },
  {
    name: 'replaceOrder', route: 'PUT /order', type: 'exchange.ReplaceOrderResponse', rootType: 'Root<exchange.ReplaceOrderResponse>',
    run: async (clients, desk) => (
      acked(await clients.exchange.replaceOrder(await desk.maker.replacement(await rest(clients, desk), { price: '101' })))
    ),
  },
  {
    name: 'replaceOrder, reduce-only', route: 'PUT /order', type: 'exchange.ReplaceOrderResponse',
    rootType: 'Root<exchange.ReplaceOrderResponse>',
    run: async ({ exchange }, { taker }) => {
      const { order_id: id } = acked(await exchange.placeOrder(await taker.reduceOnlyOrder()));
      return acked(await exchange.replaceOrder(await taker.reduceOnlyReplacement(id, { price: '101' })));
    },
  },
  {
    name: 'cancelOrder', route: 'DELETE /order', type: 'exchange.CancelOrderResponse', rootType: 'Root<exchange.CancelOrderResponse>',
    run: async (clients, desk) => canceled(await clients.exchange.cancelOrder(await desk.maker.cancel(await rest(clients, desk)))),
  },
  {
    name: 'cancelOrderByClientId', route: 'DELETE /order_cloid', type: 'exchange.CancelOrderByClientIdResponse',
    rootType: 'Root<exchange.CancelOrderByClientIdResponse>',
    run: async (clients, desk) => {
      await rest(clients, desk, 'mine');
      return canceled(await clients.exchange.cancelOrderByClientId(await desk.maker.cancelByClientId('mine')));
    },
  },
  {
    name: 'bulkCancelOrders', route: 'DELETE /bulk_order', type: 'exchange.BulkCancelOrdersResponse',
    rootType: 'Root<exchange.BulkCancelOrdersResponse>',
    run: async (clients, desk) => {
      const cancels = [await desk.maker.cancel(await rest(clients, desk)), await desk.maker.cancel(999_999)];
      const answer = await clients.exchange.bulkCancelOrders({ cancels });
      assert.deepEqual(answer.results.map(({ index, success }) => [index, success]), [[0, true], [1, false]]);
      return answer;
    },
  },
  {
    name: 'bulkCancelOrdersByClientId', route: 'DELETE /bulk_order_cloid', type: 'exchange.BulkCancelOrdersByClientIdResponse',
    rootType: 'Root<exchange.BulkCancelOrdersByClientIdResponse>',
    run: async (clients, desk) => {
      await rest(clients, desk, 'one of two');
      const cancels = [await desk.maker.cancelByClientId('one of two'), await desk.maker.cancelByClientId('nobody’s')];
      const answer = await clients.exchange.bulkCancelOrdersByClientId({ cancels });
      assert.deepEqual(answer.results.map(({ index, success }) => [index, success]), [[0, true], [1, false]]);
      return answer;
    },
  },
];

const PEOPLE: readonly Call[] = [
  {
    name: 'approveAgent', route: 'POST /approve-agent', type: 'exchange.ApproveAgentResponse',
    run: async ({ exchange }, { maker }) => done(await exchange.approveAgent(await maker.approval(new Trader().address))),
  },
  {
    name: 'revokeAgent', route: 'DELETE /revoke-agent', type: 'exchange.RevokeAgentResponse',
    run: async ({ exchange }, { maker }) => {
      const agent = new Trader().address;
      await exchange.approveAgent(await maker.approval(agent));
      return done(await exchange.revokeAgent(await maker.revocation(agent)));
    },
  },
  {
    name: 'revokeAllAgents', route: 'DELETE /revoke-all-agents', type: 'exchange.RevokeAllAgentsResponse',
    run: async ({ exchange, info }, { maker }) => {
      await exchange.approveAgent(await maker.approval(new Trader().address));
      const answer = done(await exchange.revokeAllAgents(await maker.revocationOfAll()));
      assert.deepEqual((await info.authorizedAgents({ wallet: maker.address })).agents, []);
      return answer;
    },
  },
  {
    name: 'setMarginMode', route: 'POST /margin-mode', type: 'exchange.SetMarginModeResponse',
    run: async ({ exchange }) => done(await exchange.setMarginMode(await new Trader().marginMode('portfolio'))),
  },
  {
    name: 'setSettlementPayoutsSeen', route: 'POST /settlement-payouts/seen', type: 'exchange.SetSettlementPayoutsSeenResponse',
    run: async ({ exchange, info }, { maker }) => {
      const { data } = await info.settlementPayouts({ wallet: maker.address, symbol: DAILY });
      return done(await exchange.setSettlementPayoutsSeen(await maker.seen(data.map(({ id }) => id))));
    },
  },
];

export const CALLS: readonly Call[] = [...ORDERS, ...PEOPLE, ...MARKET, ...ACCOUNT];
