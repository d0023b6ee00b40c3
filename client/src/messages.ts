// The messages of the socket's streams, by channel. `seq` counts the messages of one stream.

import { CHANNELS, type Channel, type ChannelKind as Name } from '../../shell/ipc/channels.ts';
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
/** Every full minute in which something changed, and at the end. */
export type CompetitionMessage = MessageIn<'competition'>;

export type Messages = { readonly [C in Exclude<Name, 'candles'>]: MessageIn<C> };
/** As written in Subscribe; candles name an underlying and a resolution. */
export type ChannelName = keyof Messages | `candles:${string}:${string}`;
export type MessageOf<C extends ChannelName> = C extends keyof Messages ? Messages[C] : CandleUpdate;
export type AnyMessage = MessageOf<ChannelName>;

const BY_TYPE: ReadonlyMap<string, Channel> = new Map(
  (CHANNELS as readonly Channel[]).flatMap((channel) => channel.messages.map((type) => [type, channel])),
);

export function channelOfType(type: unknown): Channel | undefined {
  return BY_TYPE.get(String(type));
}

/** The symbol that subscriptions select by, or ''. */
export function symbolOf(message: AnyMessage): string {
  return 'request' in message ? message.request.symbol : 'symbol' in message ? message.symbol : '';
}

export function streamOf({ key }: Channel, message: AnyMessage, wallet: string): string {
  switch (key) {
    case 'wallet': return wallet;
    case 'symbol': return symbolOf(message);
    case 'name': return 'resolution' in message ? `${message.underlying}:${message.resolution}` : '';
    case 'venue': case 'filter': return '';
  }
}

/** True if the message is a full snapshot. */
export function isFullSnapshot(message: AnyMessage): boolean {
  return message.type === 'OrderbookUpdate' || (message.type === 'BookUpdate' && message.is_snapshot)
    || (message.type === 'PortfolioUpdate' && message.update_type === 'Initial');
}
