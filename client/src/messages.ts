// The messages of the socket's streams, by channel of the venue's own table. `seq` counts the messages of one stream.

import { CHANNELS, type Channel, type ChannelName as Name } from '../../shell/ipc/channels.ts';
import type { MessageIn, MessageNamed } from '../../shell/http/shapes/messages.ts';

export type OrderbookUpdate = MessageNamed<'OrderbookUpdate'>;
export type BookUpdate = MessageNamed<'BookUpdate'>;
export type TradeMessage = MessageNamed<'Trade'>;
export type IndexPriceUpdate = MessageNamed<'IndexPriceUpdate'>;
export type MarketUpdate = MessageNamed<'MarketUpdate'>;
export type OptionsChainUpdate = MessageNamed<'OptionsChainUpdate'>;
export type CandleUpdate = MessageNamed<'CandleUpdate'>;
export type OrderUpdateMessage = MessageNamed<'OrderUpdate'>;
export type FillMessage = MessageNamed<'Fill'>;
export type PortfolioUpdate = MessageNamed<'PortfolioUpdate'>;
export type PositionExpired = MessageNamed<'PositionExpired'>;
export type LiquidationStateChange = MessageNamed<'LiquidationStateChange'>;
/** At every full minute in which something changed, and at the end. */
export type CompetitionMessage = MessageIn<'competition'>;

export type Messages = { readonly [C in Exclude<Name, 'candles'>]: MessageIn<C> };
/** As it is written in Subscribe: that of candles names an underlying and a resolution. */
export type ChannelName = keyof Messages | `candles:${string}:${string}`;
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
