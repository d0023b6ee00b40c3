// The table of the socket's channels; subscriptions, the streams of the reader and the description of the interface derive
// from it. `key` says what a subscription is made for: the wallet of the connection; a symbol (the empty key is all of them);
// the whole venue; what stands behind the colon of its name; or a filter of rows. `slow` says what happens to a client that
// does not read: `conflate` keeps the newest message of each subscription, `snapshot` sends a new snapshot when there is room
// again, `close` ends the connection, since nothing of the stream may be missing.

export type Channel = {
  readonly name: string;
  /** How it is written where that is not its name. */
  readonly written?: string;
  /** Other names it still answers to. */
  readonly older?: readonly string[];
  readonly key: 'wallet' | 'symbol' | 'venue' | 'name' | 'filter';
  /** Fields of Subscribe that choose among its messages. */
  readonly filters: readonly ('symbols' | 'expiry' | 'option_type')[];
  readonly slow: 'close' | 'conflate' | 'snapshot';
  /** Whether Subscribe may say `from_seq`. */
  readonly resume: boolean;
  /** Types of the messages it sends. */
  readonly messages: readonly string[];
  readonly doc: string;
};

export const CHANNELS = [
  // Of one event a wallet is told in this order: a fill before what it makes of the order.
  {
    name: 'fills', key: 'wallet', filters: ['symbols'], slow: 'close', resume: true, messages: ['Fill'],
    doc: 'Every fill of the wallet.',
  },
  {
    name: 'order_updates', key: 'wallet', filters: ['symbols'], slow: 'close', resume: true, messages: ['OrderUpdate'],
    doc: 'Every change of the orders of the wallet.',
  },
  {
    name: 'portfolio', key: 'wallet', filters: [], slow: 'close', resume: true, messages: ['PortfolioUpdate', 'PositionExpired'],
    doc: 'Positions, balance, margin and greeks of the wallet: as they stand, then each change, and at new marks. Asked from a number '
      + 'that is not the newest it begins with what stands: nothing of the past is told again.',
  },
  {
    name: 'liquidation', key: 'wallet', filters: [], slow: 'close', resume: true, messages: ['LiquidationStateChange'],
    doc: 'Every change of the liquidation state of the wallet.',
  },
  {
    name: 'competition', key: 'wallet', filters: [], slow: 'close', resume: true,
    messages: ['CompetitionUpdate', 'CompetitionRankChange', 'CompetitionGapUpdate', 'CompetitionPnlSummary', 'CompetitionFinalStats',
      'CompetitionFinalStanding'],
    doc: 'How the wallet stands in the competitions it has scored in, once a minute, and at their end.',
  },
  {
    name: 'orderbook', key: 'symbol', filters: ['symbols'], slow: 'conflate', resume: false, messages: ['OrderbookUpdate'],
    doc: 'The best 20 levels of a book, whole with every message: as they stand, then after changes.',
  },
  {
    name: 'book', key: 'symbol', filters: ['symbols'], slow: 'snapshot', resume: false, messages: ['BookUpdate'],
    doc: 'A book of up to 500 levels a side: a snapshot, then the levels that change, with the seq of the message before and a checksum.',
  },
  {
    name: 'trades', key: 'symbol', filters: ['symbols'], slow: 'close', resume: false, messages: ['Trade'],
    doc: 'Every trade of a symbol.',
  },
  {
    name: 'index_prices', key: 'venue', filters: [], slow: 'close', resume: false, messages: ['IndexPriceUpdate'],
    doc: 'Every price of an index: those in force, then each that comes.',
  },
  {
    name: 'market_updates', older: ['markets'], key: 'venue', filters: [], slow: 'close', resume: false, messages: ['MarketUpdate'],
    doc: 'Every option that is listed, expires or is deleted.',
  },
  {
    name: 'options_chain', key: 'filter', filters: ['expiry', 'option_type', 'symbols'], slow: 'close', resume: false,
    messages: ['OptionsChainUpdate'], doc: 'Rows of the options chain: those that stand, then those that change, and contracts that go.',
  },
  {
    name: 'candles', written: 'candles:<UNDERLYING>:<resolution>', key: 'name', filters: [], slow: 'close', resume: false,
    messages: ['CandleUpdate'], doc: 'The candle of an index after every price, by the resolutions of GET /candles.',
  },
] as const satisfies readonly Channel[];

export type ChannelName = (typeof CHANNELS)[number]['name'];

/** The channel that a client means, and what stands behind the colon; null for none. */
export function channelOf(sent: string): { readonly channel: Channel & { readonly name: ChannelName }; readonly rest: string } | null {
  const colon = sent.indexOf(':');
  const name = colon < 0 ? sent : sent.slice(0, colon);
  const channel = CHANNELS.find((one: Channel) => one.name === name || one.older?.includes(name));
  if (channel === undefined || ((channel as Channel).key === 'name') !== colon >= 0) return null;
  return { channel, rest: colon < 0 ? '' : sent.slice(colon + 1) };
}
