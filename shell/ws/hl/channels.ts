// The subscriptions of the dialect by type: what they hear of our channels, and the data they make of it. A `poll`
// asks the same as POST /hl/info again after changes; a `stream` has every message.

import type { Channel, ChannelKind } from '../../ipc/channels.ts';
import { RESOLUTIONS } from '../../ipc/enum-names.ts';
import type { Schema } from '../../http/fields.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';
import { fundingOf } from '../../api/hl-info/account.ts';
import { bookOf, CANDLE_INTERVALS, candlesOf, tradeOf } from '../../api/hl-info/market.ts';
import { fillOf } from '../../api/hl-info/orders.ts';
import { coinOf, symbolOf } from '../../api/hl-info/texts.ts';
import { OrderUpdates, systemCancelOf } from './order-updates.ts';

export type Wanted = Readonly<Record<string, any>>;
type Message = Readonly<Record<string, any>>;
export type TopicName = { readonly channel: ChannelKind; readonly key: string };

export type HlChannel = {
  readonly fields: Schema;
  readonly name?: string;
  readonly slow: Channel['slow'];
  readonly topics: (wanted: Wanted) => readonly TopicName[];
  readonly data?: (message: Message, wanted: Wanted) => unknown;
  /** A message with the same text as the last is left out. */
  readonly same?: (data: any) => unknown;
  readonly snapshot?: Asked & { readonly idsOf: (data: any) => readonly (number | string)[] };
  readonly poll?: Asked & { readonly everyMs: number };
};

type Asked = { readonly request: (wanted: Wanted, now: number) => object; readonly data: (body: any, wanted: Wanted) => unknown };

const SOON = 500;
const SECOND = 1_000;
const SLOWLY = 5_000;

const COIN_BYTES = 32;
const coin = { kind: 'text', minBytes: 1, maxBytes: COIN_BYTES } as const;
const user = { kind: 'address' } as const;
const ignored = { kind: 'ignored', optional: true } as const;

const ofCoin = (channel: ChannelKind) => ({ coin: name }: Wanted): readonly TopicName[] => [{ channel, key: symbolOf(name) }];
const ofUser = (...channels: ChannelKind[]) => ({ user: key }: Wanted): readonly TopicName[] => (
  channels.map((channel) => ({ channel, key }))
);

const allPerps = (): readonly TopicName[] => [{ channel: 'perp_ticker', key: '' }];

const numbers = (levels: readonly (readonly [string, string])[]) => levels.map(([px, sz]) => [Number(px), Number(sz)] as const);
const NOT_JOINED = { nSigFigs: null, mantissa: null };

function bookOfMessage({ timestamp, bids, asks }: Message, { coin: name }: Wanted): any {
  return bookOf(name, { timestamp, bids: numbers(bids), asks: numbers(asks) }, NOT_JOINED);
}

function polled(type: string, everyMs: number, channel: ChannelKind, data: Asked['data'], fields: Schema = {}): HlChannel {
  return {
    fields: { user, dex: ignored, ...fields }, slow: 'conflate', topics: ofUser(channel),
    poll: { everyMs, request: (wanted) => ({ type, ...wanted }), data },
  };
}

const isNative = (interval: string): boolean => Object.hasOwn(RESOLUTIONS, interval);

const candle: HlChannel = {
  fields: { coin, interval: { kind: 'choice', values: Object.keys(CANDLE_INTERVALS) } }, slow: 'close',
  topics: ({ coin: name, interval }) => [{ channel: 'candles', key: `${symbolOf(name)}:${CANDLE_INTERVALS[interval]!.from}` }],
};
const ownCandle: HlChannel = { ...candle, data: (message, { coin: name, interval }) => candlesOf(name, interval, [message as any])[0] };
const longCandle: HlChannel = {
  ...candle, slow: 'conflate',
  poll: {
    everyMs: SECOND,
    request: ({ coin: name, interval }, now) => (
      { type: 'candleSnapshot', req: { coin: name, interval, startTime: CANDLE_INTERVALS[interval]!.startOf(now) } }
    ),
    data: (candles) => candles.at(-1),
  },
};

const l2Book: HlChannel = {
  fields: {
    coin, nSigFigs: { kind: 'integer', min: 2, max: 5, optional: true }, mantissa: { kind: 'integer', min: 1, max: 5, optional: true },
    fast: ignored,
  },
  slow: 'conflate', topics: ofCoin('orderbook'), data: bookOfMessage,
};
const joinedBook: HlChannel = {
  ...l2Book,
  poll: {
    everyMs: SOON, request: ({ coin: name, nSigFigs, mantissa }) => ({ type: 'l2Book', coin: name, nSigFigs, mantissa }),
    data: (body) => body,
  },
};

const orders = new OrderUpdates();

const CHANNELS: Readonly<Record<string, HlChannel>> = {
  allMids: {
    fields: { dex: ignored }, slow: 'conflate', topics: allPerps,
    poll: { everyMs: SOON, request: () => ({ type: 'allMids' }), data: (mids) => ({ mids }) },
  },
  activeAssetCtx: {
    fields: { coin }, slow: 'conflate', topics: ofCoin('perp_ticker'),
    poll: {
      everyMs: SOON, request: () => ({ type: 'metaAndAssetCtxs' }),
      data: ([{ universe }, contexts], { coin: name }) => ({
        coin: name, ctx: contexts[universe.findIndex((asset: { name: string }) => asset.name === name)],
      }),
    },
  },
  bbo: {
    fields: { coin }, slow: 'conflate', topics: ofCoin('orderbook'),
    data: (message, wanted) => {
      const { coin: name, time, levels: [bids, asks] } = bookOfMessage(message, wanted);
      return { coin: name, time, bbo: [bids[0] ?? null, asks[0] ?? null] };
    },
    same: ({ bbo }) => bbo,
  },
  trades: {
    fields: { coin }, slow: 'close', topics: ofCoin('trades'),
    data: (message) => {
      const trade = message as Required<MessageNamed<'Trade'>>;
      return [tradeOf(trade, trade.side === 'buy')];
    },
    snapshot: {
      request: ({ coin: name }) => ({ type: 'recentTrades', coin: name }), data: (trades) => trades,
      idsOf: (trades) => trades.map(({ tid }: { tid: number }) => tid),
    },
  },
  activeAssetData: polled('activeAssetData', SECOND, 'portfolio', (data) => data, { coin }),
  clearinghouseState: polled('clearinghouseState', SECOND, 'portfolio', (clearinghouseState, { user: wallet }) => (
    { dex: '', user: wallet, clearinghouseState }
  )),
  openOrders: polled('frontendOpenOrders', SECOND, 'order_updates', (orders, { user: wallet }) => ({ dex: '', user: wallet, orders })),
  webData2: polled('webData2', SLOWLY, 'portfolio', (data) => data),
  spotState: {
    fields: { user, isPortfolioMargin: ignored, ignorePortfolioMargin: ignored }, slow: 'conflate', topics: () => [],
    snapshot: {
      request: (wanted) => ({ type: 'spotClearinghouseState', ...wanted }), idsOf: () => [],
      data: (spotState, { user: wallet }) => ({ user: wallet, spotState }),
    },
  },
  notification: { fields: { user }, slow: 'close', topics: () => [] },
  orderUpdates: {
    fields: { user }, slow: 'close', topics: ofUser('order_updates'),
    data: (message) => {
      const update = orders.update(message as MessageNamed<'OrderUpdate'>);
      return update && [update];
    },
  },
  userHistoricalOrders: {
    fields: { user }, slow: 'close', topics: ofUser('order_updates'),
    data: (message, { user: wallet }) => {
      const update = orders.state(message as MessageNamed<'OrderUpdate'>);
      return update && { user: wallet, orderHistory: [update] };
    },
    snapshot: {
      request: (wanted) => ({ type: 'historicalOrders', ...wanted }), idsOf: () => [],
      data: (orderHistory, { user: wallet }) => ({ isSnapshot: true, user: wallet, orderHistory }),
    },
  },
  userFills: {
    fields: { user, aggregateByTime: ignored }, slow: 'close', topics: ofUser('fills'),
    data: (message, { user: wallet }) => {
      const fills = fillsOf(message);
      return fills && { user: wallet, fills };
    },
    snapshot: {
      request: (wanted) => ({ type: 'userFills', ...wanted }), idsOf: ({ fills }) => fills.map(({ tid }: { tid: number }) => tid),
      data: (fills, { user: wallet }) => ({ isSnapshot: true, user: wallet, fills }),
    },
  },
  userFundings: {
    fields: { user }, slow: 'close', topics: ofUser('portfolio'),
    data: (message, { user: wallet }) => {
      const funding = fundingOfMessage(message);
      return funding && { user: wallet, fundings: [funding] };
    },
    snapshot: {
      request: (wanted) => ({ type: 'userFunding', ...wanted }),
      idsOf: ({ fundings }) => fundings.map((row: { time: number; coin: string }) => `${row.time} ${row.coin}`),
      data: (rows, { user: wallet }) => ({
        isSnapshot: true, user: wallet, fundings: rows.map(({ time, delta: { type: _, ...delta } }: any) => ({ time, ...delta })),
      }),
    },
  },
  userEvents: {
    fields: { user }, name: 'user', slow: 'close', topics: ofUser('fills', 'order_updates', 'portfolio'),
    data: (message) => {
      if (message['type'] === 'Fill') {
        const fills = fillsOf(message);
        return fills && { fills };
      }
      if (message['type'] === 'OrderUpdate') {
        const cancelled = systemCancelOf(message as MessageNamed<'OrderUpdate'>);
        return cancelled && { nonUserCancel: [cancelled] };
      }
      const funding = fundingOfMessage(message);
      return funding && { funding };
    },
  },
};

export function channelOf(subscription: Readonly<Record<string, unknown>>): HlChannel | null {
  const { type, nSigFigs, interval } = subscription;
  if (type === 'l2Book') return (nSigFigs ?? null) === null ? l2Book : joinedBook;
  if (type === 'candle') return isNative(String(interval)) ? ownCandle : longCandle;
  return typeof type === 'string' && Object.hasOwn(CHANNELS, type) ? CHANNELS[type]! : null;
}

function fillsOf(message: Message): object[] | undefined {
  const fill = message as Required<MessageNamed<'Fill'>>;
  return coinOf(fill.symbol) === null ? undefined : [fillOf(fill)];
}

function fundingOfMessage(message: Message): object | undefined {
  const update = message as MessageNamed<'PortfolioUpdate'>;
  return update.type === 'PortfolioUpdate' && update.update_type === 'FundingUpdate' ? fundingOf(update, update.timestamp) : undefined;
}
