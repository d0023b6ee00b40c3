// The messages of the socket's streams, by channel. `seq` counts the messages of one stream.

import { channelOf, CHANNELS, type Channel, type ChannelKind as Name } from '../../shell/ipc/channels.ts';
import type { MessageIn, MessageNamed } from '../../shell/http/shapes/messages.ts';

export type OrderbookUpdate = MessageNamed<'OrderbookUpdate'>;
export type BookUpdate = MessageNamed<'BookUpdate'>;
export type TradeMessage = MessageNamed<'Trade'>;
export type IndexPriceUpdate = MessageNamed<'IndexPriceUpdate'>;
export type MarketUpdate = MessageNamed<'MarketUpdate'>;
export type OptionsChainUpdate = MessageNamed<'OptionsChainUpdate'>;
export type CandleUpdate = MessageNamed<'CandleUpdate'>;
export type VolIndexUpdate = MessageNamed<'VolIndexUpdate'>;
export type FundingUpdate = MessageNamed<'FundingUpdate'>;
export type PerpTickerUpdate = MessageNamed<'PerpTickerUpdate'>;
export type OrderUpdateMessage = MessageNamed<'OrderUpdate'>;
export type FillMessage = MessageNamed<'Fill'>;
export type LedgerUpdate = MessageNamed<'LedgerUpdate'>;
export type QuotesUpdate = MessageNamed<'QuotesUpdate'>;
export type PortfolioUpdate = MessageNamed<'PortfolioUpdate'>;
export type PositionExpired = MessageNamed<'PositionExpired'>;
export type LiquidationStateChange = MessageNamed<'LiquidationStateChange'>;
/** Every full minute in which something changed, and at the end. */
export type CompetitionMessage = MessageIn<'competition'>;

export type Messages = { readonly [C in Exclude<Name, 'candles'>]: MessageIn<C> };
/** Candles name an underlying or a symbol, a resolution, and `:mark` for those of marks. */
export type ChannelName = keyof Messages | `candles:${string}:${string}`;
export type MessageOf<C extends ChannelName> = C extends keyof Messages ? Messages[C] : CandleUpdate;
export type AnyMessage = MessageOf<ChannelName>;

const BY_TYPE: ReadonlyMap<string, Channel> = new Map(
  (CHANNELS as readonly Channel[]).flatMap((channel) => channel.messages.map((type) => [type, channel])),
);

export function channelOfType(type: unknown): Channel | undefined {
  return BY_TYPE.get(String(type));
}

/** True if the channel is a stream of the wallet that its socket names. */
export function isWalletChannel(channel: ChannelName): boolean {
  return channelOf(channel)?.channel.key === 'wallet';
}

/** The symbol that subscriptions select by, or ''. */
export function symbolOf(message: AnyMessage): string {
  return 'request' in message ? message.request.symbol : 'symbol' in message ? message.symbol ?? '' : '';
}

export function streamOf({ key }: Channel, message: AnyMessage, wallet: string): string {
  switch (key) {
    case 'wallet': return wallet;
    case 'symbol': return symbolOf(message);
    case 'name': return 'resolution' in message ? candlesOf(message) : '';
    case 'venue': case 'filter': return '';
  }
}

function candlesOf({ underlying, instrument_name: symbol = underlying, resolution, price }: CandleUpdate): string {
  return price === 'mark' ? `${symbol}:${resolution}:mark` : `${symbol}:${resolution}`;
}

/** True if the message is a complete state, so that nothing before it is needed: a gap in the numbers does not matter then. */
export function isFullSnapshot(message: AnyMessage): boolean {
  return message.type === 'OrderbookUpdate' || ((message.type === 'BookUpdate' || message.type === 'QuotesUpdate') && message.is_snapshot)
    || (message.type === 'PortfolioUpdate' && message.update_type === 'Initial')
    || (message.type === 'CandleUpdate' && message.price === 'mark');
}
