// The messages of the socket's streams, by channel of the venue's own table (wire contract 4.4). `seq` counts the messages of
// one stream, which is a symbol, the wallet, or the venue: it rises by one, across reconnects and restarts of the venue; that of a
// book counts its changes and may jump; rows of the options chain that changed together share one.

import type { ChainLeg, Decimal, Greeks, InstrumentType, MarginMode, Portfolio, Position, Side, Tif } from './answers.ts';
import { CHANNELS, type Channel, type ChannelName as Name } from '../../shell/ipc/channels.ts';

type Sequenced = { readonly seq: number; readonly timestamp: number };
type LevelPair = readonly [price: Decimal, size: Decimal];

/** The best 20 levels of each side as they stand, best first. */
export type OrderbookUpdate = Sequenced & {
  readonly type: 'OrderbookUpdate'; readonly symbol: string; readonly option_token_address: string | null;
  readonly bids: readonly LevelPair[]; readonly asks: readonly LevelPair[];
};
/** All levels as they stand, or with `prev_seq` those that changed since that message, size "0" for one that is gone. */
export type BookUpdate = Sequenced & {
  readonly type: 'BookUpdate'; readonly is_snapshot: boolean; readonly symbol: string; readonly prev_seq: number | null;
  readonly bids: readonly LevelPair[]; readonly asks: readonly LevelPair[];
  /** CRC-32 of the best 25 levels of each side as they then stand. */
  readonly checksum: number;
};
/** `side` is the taker's. */
export type TradeMessage = Sequenced & {
  readonly type: 'Trade'; readonly symbol: string; readonly price: Decimal; readonly size: Decimal; readonly side: 'buy' | 'sell';
  readonly trade_id: number;
};
export type IndexPriceUpdate = Sequenced & {
  readonly type: 'IndexPriceUpdate';
  readonly prices: readonly { readonly underlying: string; readonly price: Decimal; readonly timestamp: number }[];
};
/** Expiries in seconds. */
export type MarketUpdate = Sequenced & { readonly type: 'MarketUpdate'; readonly symbol: string } & (
  | {
    readonly action: 'Created' | 'Expired'; readonly strike: Decimal; readonly is_call: boolean; readonly underlying: string;
    readonly expiry: number;
  }
  | { readonly action: 'Deleted' }
);
export type OptionsChainUpdate = Sequenced & { readonly type: 'OptionsChainUpdate'; readonly currency: string; readonly expiry: number } & (
  | { readonly action: 'Upsert'; readonly row: { readonly strike: number; readonly call?: ChainLeg; readonly put?: ChainLeg } }
  | { readonly action: 'Remove'; readonly strike: number; readonly option_type: 'call' | 'put'; readonly symbol: string }
);
export type CandleUpdate = {
  readonly type: 'CandleUpdate'; readonly seq: number; readonly underlying: string; readonly resolution: string;
  readonly start_time_ms: number; readonly end_time_ms: number; readonly open: number; readonly high: number; readonly low: number;
  readonly close: number; readonly volume: number;
};
export type OrderUpdateMessage = Sequenced & {
  readonly type: 'OrderUpdate'; readonly order_id: number | null;
  readonly request: {
    readonly price: Decimal; readonly size: Decimal; readonly symbol: string; readonly side: Side; readonly tif: Tif;
    readonly client_id: string;
  };
  readonly status: 'ACKED' | 'OPEN' | 'PARTIALLY_FILLED' | 'FILLED' | 'CANCELED' | 'REJECTED'; readonly filled_size: Decimal;
  readonly reason: string | null; readonly wallet_address: string; readonly instrument_type: InstrumentType;
};
export type FillMessage = Sequenced & {
  readonly type: 'Fill'; readonly order_id: number; readonly fill_id: number; readonly trade_id: number; readonly symbol: string;
  readonly side: Side; readonly price: Decimal; readonly size: Decimal; readonly fee: Decimal; readonly is_taker: boolean;
  readonly wallet_address: string; readonly builder_code_address: string | null; readonly builder_code_fee: Decimal | null;
  readonly instrument_type: InstrumentType;
};
type Leg = Omit<Greeks, 'rho'> & { readonly iv: number | null };
type Untold<T, Names extends keyof T> = Omit<T, Names> & { readonly [name in Names]: T[name] | null };
/** Amounts beyond 2^53 millionths are null in all but the first; GET /portfolio is refused then. */
export type PortfolioUpdate = Sequenced & { readonly type: 'PortfolioUpdate' } & (
  | ({ readonly update_type: 'Initial' } & Portfolio)
  | {
    readonly update_type: 'PositionUpdate';
    readonly position: Untold<Position, 'margin_posted' | 'unrealized_pnl' | 'notional_value' | 'maintenance_margin'>;
  }
  | {
    readonly update_type: 'BalanceUpdate'; readonly total_margin_used: Decimal | null; readonly available_balance: Decimal | null;
    /** Cash. */
    readonly balance: Decimal;
  }
  | {
    readonly update_type: 'MarginUpdate'; readonly margin_mode: MarginMode; readonly total_margin_used: Decimal | null;
    readonly available_balance: Decimal | null; readonly span_margin?: Portfolio['span_margin'] | null;
    readonly margin_summary: Portfolio['margin_summary'] | null;
  }
  | {
    readonly update_type: 'GreeksUpdate'; readonly per_leg: readonly (Leg & { readonly symbol: string; readonly quantity: Decimal })[];
    readonly aggregate: Leg | null;
  }
);
export type PositionExpired = Sequenced & {
  readonly type: 'PositionExpired'; readonly wallet_address: string; readonly symbol: string; readonly position_size: Decimal;
  readonly settlement_price: Decimal; readonly settlement_value: Decimal; readonly settlement_entry_price: Decimal | null;
  readonly cost_basis: Decimal | null; readonly net_pnl: Decimal | null;
};
type LiquidationState = 'healthy' | 'pre_liquidation' | 'in_liquidation' | 'liquidated';
/** `maintenance_margin` is what equity has beyond the requirement: it may be negative. Amounts beyond 2^53 millionths are null. */
export type LiquidationStateChange = Sequenced & {
  readonly type: 'LiquidationStateChange'; readonly wallet_address: string; readonly previous_state: LiquidationState;
  readonly new_state: LiquidationState; readonly liquidation_mode: 'partial' | 'full' | null; readonly margin_mode: MarginMode;
  readonly equity: Decimal | null; readonly mm_required: Decimal | null; readonly maintenance_margin: Decimal | null;
  readonly shortfall: Decimal | null;
  readonly partial_liquidation: {
    readonly entered_at: number; readonly target_equity: Decimal | null; readonly mm_shortfall: Decimal | null;
    readonly escalation_deadline: number;
  } | null;
  readonly full_liquidation: { readonly liquidated_at: number; readonly winner: string | null; readonly bonus: Decimal | null } | null;
};

type OfCompetition = Sequenced & { readonly wallet_address: string; readonly competition_id: number };
type Place = { readonly rank: number; readonly pnl: Decimal; readonly volume: Decimal; readonly efficiency: Decimal };
/** At every full minute in which something changed, and at the end. `gap_metric_value`: what the next place has more. */
export type CompetitionMessage =
  | (OfCompetition & Place & { readonly type: 'CompetitionUpdate' })
  | (OfCompetition & {
    readonly type: 'CompetitionRankChange'; readonly from_rank: number; readonly to_rank: number; readonly delta_places: number;
    readonly pnl: Decimal;
  })
  | (OfCompetition & {
    readonly type: 'CompetitionGapUpdate'; readonly rank: number; readonly next_rank: number | null;
    readonly gap_metric_value: Decimal | null;
  })
  | (OfCompetition & Place & { readonly type: 'CompetitionFinalStats' | 'CompetitionFinalStanding'; readonly medal: number | null })
  | (Sequenced & {
    readonly type: 'CompetitionPnlSummary'; readonly wallet_address: string; readonly lifetime_realized_pnl: Decimal;
    readonly active_competition: (Place & {
      readonly competition_id: number; readonly competition_name: string; readonly competition_state: string; readonly medal: number | null;
    }) | null;
  });

export type Messages = {
  readonly orderbook: OrderbookUpdate; readonly book: BookUpdate; readonly trades: TradeMessage; readonly index_prices: IndexPriceUpdate;
  readonly market_updates: MarketUpdate; readonly options_chain: OptionsChainUpdate; readonly order_updates: OrderUpdateMessage;
  readonly fills: FillMessage; readonly portfolio: PortfolioUpdate | PositionExpired; readonly liquidation: LiquidationStateChange;
  readonly competition: CompetitionMessage;
};
/** As it is written in Subscribe: that of candles names an underlying and a resolution. */
export type ChannelName = (keyof Messages & Name) | `candles:${string}:${string}`;
export type MessageOf<C extends ChannelName> = C extends keyof Messages ? Messages[C] : CandleUpdate;
export type AnyMessage = MessageOf<ChannelName>;

const BY_TYPE: ReadonlyMap<string, Channel> = new Map(
  (CHANNELS as readonly Channel[]).flatMap((channel) => channel.messages.map((type) => [type, channel])),
);

/** The channel that sends messages of this type. */
export function channelOfType(type: unknown): Channel | undefined {
  return BY_TYPE.get(String(type));
}

/** What a message is about, where a subscription may choose by it: a symbol. */
export function symbolOf(message: AnyMessage): string {
  return 'request' in message ? message.request.symbol : 'symbol' in message ? message.symbol : '';
}

/** Which stream of its channel a message belongs to; `wallet` is that of the connection. */
export function streamOf({ key }: Channel, message: AnyMessage, wallet: string): string {
  switch (key) {
    case 'wallet': return wallet;
    case 'symbol': return symbolOf(message);
    case 'name': return 'resolution' in message ? `${message.underlying}:${message.resolution}` : '';
    case 'venue': case 'filter': return '';
  }
}

/** Whether it says all that those before it said. */
export function isWhole(message: AnyMessage): boolean {
  return message.type === 'OrderbookUpdate' || (message.type === 'BookUpdate' && message.is_snapshot)
    || (message.type === 'PortfolioUpdate' && message.update_type === 'Initial');
}
