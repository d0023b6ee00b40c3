// The messages of the socket's streams, by channel (wire contract 4.4). `seq` counts the messages of one stream, which is a
// symbol of a public channel or the wallet of a private one: it rises by one, across reconnects and restarts of the venue.

import type { Decimal, InstrumentType, Side, Tif } from './answers.ts';

type Sequenced = { readonly seq: number; readonly timestamp: number };

/** The best 20 levels of each side as they stand, best first. */
export type OrderbookUpdate = Sequenced & {
  readonly type: 'OrderbookUpdate'; readonly symbol: string; readonly bids: readonly (readonly [price: Decimal, size: Decimal])[];
  readonly asks: readonly (readonly [price: Decimal, size: Decimal])[];
};
/** `side` is the taker's. */
export type TradeMessage = Sequenced & {
  readonly type: 'Trade'; readonly symbol: string; readonly price: Decimal; readonly size: Decimal; readonly side: 'buy' | 'sell';
  readonly trade_id: number;
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

export type Messages = {
  readonly orderbook: OrderbookUpdate; readonly trades: TradeMessage; readonly order_updates: OrderUpdateMessage;
  readonly fills: FillMessage;
};
export type ChannelName = keyof Messages;
export type AnyMessage = Messages[ChannelName];

/** Which channel a message belongs to, by its type. */
export const CHANNEL_OF: Readonly<Record<string, ChannelName | undefined>> = {
  OrderbookUpdate: 'orderbook', Trade: 'trades', OrderUpdate: 'order_updates', Fill: 'fills',
};

export function symbolOf(message: AnyMessage): string {
  return message.type === 'OrderUpdate' ? message.request.symbol : message.symbol;
}
