// The handler of each query. The api threads have validated the parameters; what depends on the state is checked here.
// Never changes the state.

import { accountsText } from './account/accounts.ts';
import { namedAgentsText, type AgentWallets } from './account/agent-wallets.ts';
import { activeAgentsText, cancelAfterText, cancelOnDisconnectText, mmpText, usernameText } from './account/settings.ts';
import type { State } from '../../core/engine/state.ts';
import { exchangeHasher, perpSources } from '../api/auth/perp-action.ts';
import { tierBody, type TierTable } from '../http/bodies/account.ts';
import { hashText, type Head } from '../storage/journal/chain.ts';
import type { Backups } from './history/backups.ts';
import { historyBusy, ok, refused, type QueryAnswer, type GiveAnswer } from './answers.ts';
import type { DayAgoPrices } from './history/day-ago-prices.ts';
import type { Exports } from './history/exports.ts';
import type { Leaderboards } from './competitions/leaderboards.ts';
import type { TradingHistory } from './history/trading-history.ts';
import type { CandleQueries } from './candle-queries.ts';
import type { VenueHistory } from './history/venue-history.ts';
import { marketAnswers } from './market/markets.ts';
import { perpBookOf, perpMarketOf } from './market/perp-market.ts';
import { perpOfSymbol } from './market/perps.ts';
import type { GreeksCache } from './market/greeks-cache.ts';
import type { PricesByName } from './market/instruments.ts';
import type { HistoricalQueries } from './historical.ts';
import { PortfolioBodies } from './account/portfolio.ts';
import type { QueryName, QueryParameters } from '../ipc/queries.ts';
import type { Statistics } from './market/statistics.ts';
import type { StreamPublisher } from './stream-publisher.ts';
import { accountOfWallet, tierOfWallet, type Names } from './text.ts';
import type { ExchangeInfo } from '../http/shapes/service.ts';

export type ExchangeFacts = TierTable & {
  readonly chainId: number; readonly serviceName: string; readonly venue: string; readonly head: () => Head;
  /** Of this minute, as admission counts them; only a leader’s counts. */
  readonly ordersUsed: (account: number) => number;
};

type QueryParts = {
  readonly state: State; readonly names: Names; readonly greeksCache: GreeksCache; readonly statistics: Statistics;
  readonly tradingHistory: TradingHistory; readonly venueHistory: VenueHistory; readonly past: HistoricalQueries;
  readonly candles: CandleQueries; readonly dayAgo: DayAgoPrices;
  readonly competitions: Leaderboards; readonly exports: Exports; readonly streams: StreamPublisher;
  readonly exchange: ExchangeFacts; readonly backups: Backups; readonly agentWallets: AgentWallets;
  readonly time: () => number;
};

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const DOMAIN_VERSION = '1';

type Handlers = { readonly [Q in QueryName]: (parameters: QueryParameters[Q], give: GiveAnswer, api: number) => QueryAnswer | void };

export class Queries {
  readonly #parts: QueryParts;
  readonly #portfolios: PortfolioBodies;
  readonly #dayAgo: DayAgoPrices;
  readonly #handlers: Handlers;

  constructor(parts: QueryParts) {
    this.#parts = parts;
    const { state, names, statistics, tradingHistory, venueHistory, past, competitions, exports, backups } = parts;
    this.#portfolios = new PortfolioBodies(state, names);
    this.#dayAgo = parts.dayAgo;
    const { markets, ...market } = marketAnswers({ state, names, statistics, greeksCache: parts.greeksCache, time: parts.time });
    this.#handlers = {
      ...market, ...ofWallets(parts),
      // These refuse margin data whenever GET /portfolio does (decision 4.3).
      riskGrid: (parameters) => this.#unavailable(parameters.wallet) ?? market.riskGrid(parameters),
      simulateOrders: (parameters) => this.#unavailable(parameters.wallet) ?? market.simulateOrders(parameters),
      riskInputs: (parameters) => this.#unavailable(parameters.wallet) ?? market.riskInputs(parameters),
      markets: (parameters, give) => this.#withDayAgo(give, (prices) => markets(parameters, prices)),
      perpMarket: ({ wallet }, give) => this.#withDayAgo(give, (dayAgo) => (
        ok(JSON.stringify(perpMarketOf({ state, names, statistics, dayAgo, time: parts.time() }, wallet ?? null)))
      )),
      perpBook: (parameters) => perpBook(parts, parameters),
      orders: (parameters, give) => tradingHistory.orders(parameters, bodyTo(give)),
      orderStatus: (parameters, give) => tradingHistory.orderStatus(parameters, bodyTo(give)),
      trades: (parameters, give) => {
        const fault = tradingHistory.tradesFault(parameters);
        if (fault === null) tradingHistory.trades(parameters, bodyTo(give));
        else give(refused('bare', 'invalid_parameter', fault));
      },
      trade: ({ id }, give) => tradingHistory.trade(id, (row) => {
        if (row === undefined) give(refused('bare', 'not_found', `Trade not found: ${id}`));
        else bodyTo(give)(row && JSON.stringify({ success: true, data: row }));
      }),
      fills: (parameters, give) => tradingHistory.fills(parameters, bodyTo(give)),
      payouts: (parameters, give) => tradingHistory.payouts(parameters, bodyTo(give)),
      ledger: (parameters, give) => tradingHistory.ledger(parameters, bodyTo(give)),
      fundingHistory: (parameters, give) => venueHistory.hours(parameters, give),
      fundingPayments: (parameters, give) => venueHistory.payments(parameters, give),
      liquidations: (parameters, give) => venueHistory.liquidations(parameters, give),
      settlements: (parameters, give) => venueHistory.settlements(parameters, give),
      historicalPnl: (parameters, give) => past.pnl(parameters, give),
      historicalTheos: (parameters, give) => past.theos(parameters, give),
      historicalGreeks: (parameters, give) => past.greeks(parameters, give),
      candles: (parameters, give) => parts.candles.ofIndex('index', parameters, give),
      instrumentCandles: (parameters, give) => parts.candles.ofInstrument(parameters, give),
      volIndex: ({ underlying }) => parts.candles.volIndex(underlying),
      volIndexCandles: (parameters, give) => parts.candles.ofIndex('vol_index', parameters, give),
      export: (parameters, give) => exports.part(parameters, give),
      exportEnd: ({ source, id }) => ok(exports.end(source, id)),
      competitions: (parameters) => ok(competitions.list(parameters)),
      competition: ({ id }) => competitions.one(id),
      leaderboard: (parameters, give) => competitions.leaderboard(parameters, give),
      profile: ({ wallet }, give) => past.profile(wallet, give),
      portfolio: ({ wallet }) => this.#portfolio(wallet),
      agents: ({ wallet }) => ok(activeAgentsText(state, wallet, this.#parts.time())),
      tier: ({ wallet }) => this.#tier(wallet),
      ...backups.handlers,
      accounts: (parameters) => ok(accountsText(state, names, parameters)),
      username: (parameters) => {
        const body = usernameText(state, names, parameters);
        return body === null ? refused('api', 'not_found', 'No username found') : ok(body);
      },
      mmp: (parameters) => {
        const body = mmpText(state, names, parameters, parts.time());
        return body === null ? refused('bare', 'invalid_parameter', `Unknown currency: ${parameters.currency}`) : ok(body);
      },
      cancelAfter: ({ wallet }) => ok(cancelAfterText(state, wallet)),
      cancelOnDisconnect: ({ wallet }) => ok(cancelOnDisconnectText(state, wallet)),
      exchange: () => this.#exchange(),
      order: (parameters, give) => tradingHistory.order(parameters, bodyTo(give)),
      outcome: (parameters, give) => tradingHistory.outcome(parameters, bodyTo(give)),
      subscribe: (options, give, api) => parts.streams.subscribe(api, options, parts.time(), give),
      unsubscribe: ({ topic, count }, _, api) => this.#unsubscribe(api, topic, count),
    };
  }

  answer<Q extends QueryName>(api: number, name: Q, parameters: QueryParameters[Q], give: GiveAnswer): void {
    const answer = this.#handlers[name](parameters, give, api);
    if (answer !== undefined) give(answer);
  }

  #withDayAgo(give: GiveAnswer, answer: (prices: PricesByName) => QueryAnswer): void {
    if (!this.#dayAgo.ask((prices) => give(answer(prices)))) bodyTo(give)(null);
  }

  #portfolio(wallet: string): QueryAnswer {
    const body = this.#portfolios.body(wallet, this.#parts.time());
    return typeof body === 'string' ? refused('api', 'margin_unavailable', body) : ok(body);
  }

  #unavailable(wallet: string): QueryAnswer | null {
    const fault = this.#portfolios.fault(wallet);
    return fault === null ? null : refused('api', 'margin_unavailable', fault);
  }

  #tier(wallet: string): QueryAnswer {
    const { state } = this.#parts;
    const tier = tierOfWallet(state, wallet);
    return ok(tierBody(wallet, tier, this.#parts.exchange));
  }

  #exchange(): QueryAnswer {
    const { exchange } = this.#parts;
    const { chainId, serviceName, venue } = exchange;
    const head = exchange.head();
    const perps = this.#parts.names.underlyings().map((underlying, asset) => ({ asset, symbol: `${underlying}-PERP`, underlying }));
    const { name, version, chainId: perpChain } = exchangeHasher.domain;
    return ok(JSON.stringify({
      exchange_address: ZERO_ADDRESS, chain_id: chainId, signing_domain: { name: serviceName, version: DOMAIN_VERSION },
      perp_signing_domain: { name, version, chain_id: perpChain }, perp_source: perpSources({ name: serviceName })[0]!,
      venue_id: venue, head_seq: head.seq, head_hash: hashText(head.hash), perp_assets: perps,
    } satisfies ExchangeInfo));
  }

  #unsubscribe(api: number, topic: number, count: number): QueryAnswer {
    const isEnded = this.#parts.streams.unsubscribe(api, topic, count);
    return isEnded ? ok('{}') : refused('bare', 'not_found', `No subscription to topic ${topic}`);
  }
}

function bodyTo(give: GiveAnswer): (body: string | null) => void {
  return (body) => give(body === null ? historyBusy('bare') : ok(body));
}

function perpBook({ state, time }: QueryParts, { underlying, depth }: QueryParameters['perpBook']): QueryAnswer {
  const slot = perpOfSymbol(state, `${underlying}-PERP`);
  if (slot < 0) return refused('bare', 'not_found', `Perp not found: ${underlying}`);
  return ok(JSON.stringify(perpBookOf(state, slot, depth, time())));
}

function ofWallets({ agentWallets, exchange, state, time }: QueryParts): Pick<Handlers, 'agentOf' | 'namedAgents' | 'ordersUsed'> {
  return {
    ordersUsed: ({ wallet }) => {
      const account = accountOfWallet(state, wallet);
      return ok(JSON.stringify({ used: account < 0 ? 0 : exchange.ordersUsed(account) }));
    },
    agentOf: ({ signer }) => ok(agentWallets.answer(signer, time())),
    namedAgents: ({ wallet }) => ok(namedAgentsText(state, wallet, time())),
  };
}
