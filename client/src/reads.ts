// table: what can be read, by the path it is read at: the query (names in braces fill the path) and the answer. Wallets are
// public: no read is signed. `Simulations` are reads too, whose question is a body.

import type {
  Api, CancelAfterData, CancelOnDisconnectData, CandlesData, Competition, Decimal, ExchangeInfo, Fill, GasData, GreeksData, Instrument,
  Leaderboard, LimitIvData, List, Market, MarginMode, MmpConfigData, One, OptionSummary, OptionsChain, Order, OrderBook, Paged, Payout,
  PnlData, Portfolio, PortfolioGreeks, Profile, Ready, RiskGrid, Side, TheosData, TierAnswer, Trade, UsernameAnswer,
} from './answers.ts';

type Page = { readonly limit?: number; readonly offset?: number };
type OfWallet = { readonly wallet: string };
type Interval = '5m' | '1h' | '1d';
type Nothing = Readonly<Record<never, never>>;
type Read<Query, Answer> = { readonly query: Query; readonly answer: Answer };

export type Reads = {
  '/health': Read<Nothing, { readonly status: string }>;
  '/ready': Read<Nothing, Ready>;
  '/exchange-info': Read<Nothing, ExchangeInfo>;
  // `status`: one, several with commas, or `all`.
  '/instruments': Read<{ readonly currency?: string; readonly status?: string }, readonly Instrument[]>;
  '/markets': Read<{ readonly include_instruments?: boolean }, List<Market>>;
  '/orderbook': Read<{ readonly instrument_id?: number; readonly instrument_name?: string; readonly depth?: number }, OrderBook>;
  '/expiry-summary': Read<
    { readonly currency: string; readonly expiry: string; readonly depth?: number },
    readonly { readonly instrument: Instrument; readonly orderbook: OrderBook }[]
  >;
  '/options-chain': Read<
    {
      readonly currency: string; readonly expiry: string; readonly option_type?: 'call' | 'put' | 'both';
      readonly side?: 'buy' | 'sell' | 'both';
    },
    OptionsChain
  >;
  // `expiry`: seconds since the epoch, or a date.
  '/options-summary': Read<
    { readonly currency?: string; readonly kind?: string; readonly expiry?: number | string }, readonly OptionSummary[]
  >;
  '/greeks': Read<{ readonly symbol: string }, Api<GreeksData>>;
  '/candles': Read<
    {
      readonly underlying?: string; readonly resolution: '1m' | '5m' | '15m' | '1h' | '4h' | '1d'; readonly start_time_ms: number;
      readonly end_time_ms: number;
    },
    Api<CandlesData>
  >;
  '/historical-theos': Read<
    { readonly instrument_name: string; readonly interval: Interval; readonly limit?: number }, Api<TheosData>
  >;
  '/gas-provider/{chain_id}': Read<{ readonly chain_id: number }, GasData>;
  // `account`: maker or taker. `after_trade_id`: those that followed it, in their order.
  '/trades': Read<
    Page & { readonly symbol?: string; readonly underlying?: string; readonly account?: string; readonly after_trade_id?: number },
    Paged<Trade>
  >;
  '/trades/{trade_id}': Read<{ readonly trade_id: number }, One<Trade>>;
  // `order_id`: or a client id.
  '/orders/status': Read<OfWallet & { readonly order_id: number | string }, One<Order | null>>;
  // `status`: one or several with commas; `open` and `working` are all that is in the book.
  '/orders': Read<OfWallet & Page & { readonly status?: string }, Paged<Order>>;
  '/fills': Read<OfWallet & Page & { readonly kind?: 'trade' | 'all' }, Paged<Fill>>;
  '/portfolio': Read<OfWallet, Portfolio>;
  // `simulated_orders`: the JSON of a list of {symbol, side, size}.
  '/portfolio/greeks': Read<OfWallet & { readonly simulated_orders?: string }, Api<PortfolioGreeks>>;
  '/historical-pnl': Read<OfWallet & { readonly interval: Interval; readonly limit?: number }, Api<PnlData>>;
  '/settlement-payouts': Read<OfWallet & Page & { readonly symbol?: string; readonly ledger_applied?: boolean }, Paged<Payout>>;
  '/cancel-after': Read<OfWallet, Api<CancelAfterData>>;
  '/cancel-on-disconnect': Read<OfWallet, Api<CancelOnDisconnectData>>;
  '/authorized-agents': Read<OfWallet, { readonly agents: readonly string[] }>;
  '/user-tier': Read<OfWallet, TierAnswer>;
  '/mmp/config': Read<OfWallet & { readonly currency?: string }, List<MmpConfigData>>;
  '/profile': Read<OfWallet, One<Profile>>;
  '/profile/trades': Read<
    OfWallet & Page & {
      readonly symbol?: string; readonly competition_id?: number; readonly from_ts_ms?: number; readonly to_ts_ms?: number;
    },
    Paged<Fill>
  >;
  '/username': Read<{ readonly wallet?: string; readonly username?: string }, UsernameAnswer>;
  '/competitions': Read<Page & { readonly state?: string; readonly from_ts_ms?: number; readonly to_ts_ms?: number }, Paged<Competition>>;
  '/competitions/leaderboard': Read<
    Page & { readonly competition_id: number; readonly sort_by?: string; readonly sort_order?: 'asc' | 'desc'; readonly wallet?: string },
    Leaderboard
  >;
  '/competitions/{id}': Read<{ readonly id: number }, One<Competition>>;
  '/risk/grid': Read<OfWallet, Api<RiskGrid>>;
};

type Asked<Body, Answer> = { readonly body: Body; readonly answer: Answer };
type Leg = { readonly symbol: string; readonly side: Side; readonly size: Decimal; readonly price?: Decimal };

export type Simulations = {
  '/limit_iv': Asked<{ readonly symbol: string; readonly iv: number; readonly side?: Side }, Api<LimitIvData>>;
  '/risk/simulate/portfolio': Asked<
    {
      readonly wallet?: string;
      readonly positions: readonly { readonly symbol: string; readonly amount: Decimal; readonly entry_price?: Decimal }[];
      readonly balance?: Decimal; readonly margin_mode?: MarginMode;
    },
    Api<RiskGrid>
  >;
  '/risk/simulate/orders': Asked<
    OfWallet & { readonly orders: readonly Leg[] },
    Api<{ readonly before: RiskGrid; readonly after: RiskGrid; readonly filled: RiskGrid }>
  >;
};
