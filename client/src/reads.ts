// Queries of every read by path (names in braces fill the path). Reads are public and not signed. `Simulations` are reads that take a body.

import type { AnswerTo } from '../../shell/http/shapes/answers.ts';
import type { Decimal } from '../../shell/http/shapes/shape.ts';
import type { MarginMode, Side } from '../../shell/http/shapes/enums.ts';
import type { Interval, LedgerKind, Resolution } from '../../shell/ipc/enum-names.ts';

type Nothing = Readonly<Record<never, never>>;
// `min_seq`: the answer has everything up to this command; `Strikebook.seq` is the newest seen.
type AsOf = { readonly min_seq?: number };
type Page = { readonly limit?: number; readonly offset?: number };
type OfWallet = { readonly wallet: string };
type OfInstrument = { readonly instrument_id?: number; readonly instrument_name?: string };
type InTime = { readonly from_ts_ms?: number; readonly to_ts_ms?: number };
type Between = { readonly from_ms?: number; readonly to_ms?: number };
type Series = { readonly interval: Interval; readonly limit?: number };
type Span = { readonly resolution: Resolution; readonly start_time_ms: number; readonly end_time_ms: number };
type OfChain = { readonly currency: string; readonly expiry: string };

type Queries = {
  '/health': Nothing;
  '/ready': { readonly role?: 'leader' };
  '/cluster': Nothing;
  '/exchange-info': Nothing;
  // `status`: one, several separated by commas, or `all`.
  '/instruments': { readonly currency?: string; readonly status?: string };
  '/markets': { readonly include_instruments?: boolean };
  '/orderbook': OfInstrument & { readonly depth?: number };
  '/expiry-summary': OfChain & { readonly depth?: number };
  '/options-chain': OfChain & { readonly option_type?: 'call' | 'put' | 'both'; readonly side?: 'buy' | 'sell' | 'both' };
  // `expiry`: seconds since the epoch, or a date.
  '/options-summary': { readonly currency?: string; readonly kind?: string; readonly expiry?: number | string };
  '/perps': { readonly underlying?: string };
  '/funding': { readonly symbol: string };
  '/funding/history': {
    readonly symbol: string; readonly start_time_ms?: number; readonly end_time_ms?: number; readonly limit?: number;
  };
  '/funding/payments': OfWallet & Page & { readonly symbol?: string };
  '/liquidations': Page & Between;
  '/settlements': Page & { readonly underlying?: string };
  '/open-interest': { readonly underlying?: string };
  '/insurance-fund': Nothing;
  '/time': Nothing;
  '/greeks': { readonly symbol: string };
  '/candles': Span & { readonly underlying?: string };
  '/historical-theos': Series & { readonly instrument_name: string };
  '/historical-greeks': Series & { readonly instrument_name: string };
  // `price`: by default trade. Marks have candles of 5m and longer.
  '/instrument-candles': Span & { readonly instrument_name: string; readonly price?: 'mark' | 'trade' };
  '/vol-index': { readonly underlying: string };
  '/vol-index/candles': Span & { readonly underlying: string };
  '/gas-provider/{chain_id}': { readonly chain_id: number };
  // `account`: maker or taker. `after_trade_id`: returns later trades, oldest first.
  '/trades': Page & Between & {
    readonly symbol?: string; readonly underlying?: string; readonly account?: string; readonly after_trade_id?: number;
  };
  '/trades/{trade_id}': { readonly trade_id: number };
  // `order_id`: or a client id.
  '/orders/status': OfWallet & { readonly order_id: number | string };
  // One or several separated by commas; `open` and `working` are orders in the book.
  '/orders': OfWallet & Page & Between & { readonly status?: string; readonly client_id?: string };
  '/fills': OfWallet & Page & Between & { readonly kind?: 'trade' | 'all'; readonly order_id?: number };
  '/portfolio': OfWallet;
  // `simulated_orders`: a JSON list of {symbol, side, size}.
  '/portfolio/greeks': OfWallet & { readonly simulated_orders?: string };
  '/historical-pnl': OfWallet & Series;
  '/settlement-payouts': OfWallet & Page & { readonly symbol?: string; readonly ledger_applied?: boolean };
  '/ledger': OfWallet & Page & {
    readonly kind?: LedgerKind; readonly symbol?: string; readonly from_ms?: number; readonly to_ms?: number;
  };
  '/cancel-after': OfWallet;
  '/cancel-on-disconnect': OfWallet;
  '/authorized-agents': OfWallet;
  '/user-tier': OfWallet;
  '/mmp/config': OfWallet & { readonly currency?: string };
  '/profile': OfWallet;
  '/profile/trades': OfWallet & Page & InTime & { readonly symbol?: string; readonly competition_id?: number };
  '/username': { readonly wallet?: string; readonly username?: string };
  '/competitions': Page & InTime & { readonly state?: string };
  '/competitions/leaderboard': Page & {
    readonly competition_id: number; readonly sort_by?: string; readonly sort_order?: 'asc' | 'desc'; readonly wallet?: string;
  };
  '/competitions/{id}': { readonly id: number };
  '/risk/grid': OfWallet;
  // `symbols`: separated by commas.
  '/risk/inputs': OfWallet & { readonly symbols?: string };
};

/** What is not about commands. */
type OfService = '/health' | '/ready' | '/cluster' | '/time';
export type Reads = {
  readonly [P in keyof Queries]: {
    readonly query: P extends OfService ? Queries[P] : Queries[P] & AsOf; readonly answer: AnswerTo<`GET ${P}`>;
  };
};

type Leg = { readonly symbol: string; readonly side: Side; readonly size: Decimal; readonly price?: Decimal };
type Questions = {
  '/limit_iv': { readonly symbol: string; readonly iv: number; readonly side?: Side };
  '/risk/simulate/portfolio': {
    readonly wallet?: string;
    readonly positions: readonly { readonly symbol: string; readonly amount: Decimal; readonly entry_price?: Decimal }[];
    readonly balance?: Decimal; readonly margin_mode?: MarginMode;
  };
  '/risk/simulate/orders': OfWallet & { readonly orders: readonly Leg[] };
};

export type Simulations = { readonly [P in keyof Questions]: { readonly body: Questions[P]; readonly answer: AnswerTo<`POST ${P}`> } };
