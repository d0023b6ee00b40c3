// The WebSocket channels. `key`: what a subscription is for: the connection's wallet, a symbol (empty: all), the venue, the text after
// the colon, or a row filter. `slow`: what a slow client gets: only the newest message (`conflate`), a new `snapshot`, or a closed
// connection (`close`), because no message may be lost.

export type Channel = {
  readonly name: string;
  readonly written?: string;
  readonly older?: readonly string[];
  readonly key: 'wallet' | 'symbol' | 'venue' | 'name' | 'filter';
  readonly filters: readonly ('symbols' | 'expiry' | 'option_type')[];
  readonly slow: 'close' | 'conflate' | 'snapshot';
  readonly resume: boolean;
  readonly messages: readonly string[];
  readonly doc: string;
};

export const CHANNELS = [
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
    doc: 'Positions, balance, margin and greeks of the wallet: a snapshot, then each change, also when marks change. If `from_seq` is not '
      + 'the newest number, it starts with a new snapshot: past messages are not repeated.',
  },
  {
    name: 'quotes', key: 'wallet', filters: [], slow: 'close', resume: true, messages: ['QuotesUpdate'],
    doc: 'What mass quotes and cancels of quotes changed: a snapshot of the open quotes, then one message for each command that changed '
      + 'one. If `from_seq` is not the newest number, it starts with a new snapshot.',
  },
  {
    name: 'ledger', key: 'wallet', filters: [], slow: 'close', resume: true, messages: ['LedgerUpdate'],
    doc: 'Every movement of the wallet’s cash, with the balance after it.',
  },
  {
    name: 'liquidation', key: 'wallet', filters: [], slow: 'close', resume: true, messages: ['LiquidationStateChange'],
    doc: 'Every change of the liquidation state of the wallet.',
  },
  {
    name: 'competition', key: 'wallet', filters: [], slow: 'close', resume: true,
    messages: ['CompetitionUpdate', 'CompetitionRankChange', 'CompetitionGapUpdate', 'CompetitionPnlSummary', 'CompetitionFinalStats',
      'CompetitionFinalStanding'],
    doc: 'Rank and scores of the wallet in its competitions, once a minute and when they end.',
  },
  {
    name: 'orderbook', key: 'symbol', filters: ['symbols'], slow: 'conflate', resume: false, messages: ['OrderbookUpdate'],
    doc: 'The best 20 levels of a book: a snapshot, then all 20 levels again after each change.',
  },
  {
    name: 'book', key: 'symbol', filters: ['symbols'], slow: 'snapshot', resume: false, messages: ['BookUpdate'],
    doc: 'Up to 500 levels a side: a snapshot, then the levels that change, with the `seq` of the previous message and a checksum.',
  },
  {
    name: 'trades', key: 'symbol', filters: ['symbols'], slow: 'close', resume: false, messages: ['Trade'],
    doc: 'Every trade of a symbol.',
  },
  {
    name: 'index_prices', key: 'venue', filters: [], slow: 'close', resume: false, messages: ['IndexPriceUpdate'],
    doc: 'Index prices: the current ones, then each new price.',
  },
  {
    name: 'funding', key: 'symbol', filters: ['symbols'], slow: 'conflate', resume: false, messages: ['FundingUpdate'],
    doc: 'Funding of a perp, or of all without `symbols`: now, then after each premium sample and each hour.',
  },
  {
    name: 'perp_ticker', key: 'symbol', filters: ['symbols'], slow: 'conflate', resume: false, messages: ['PerpTickerUpdate'],
    doc: 'A perp as in GET /perps: now, then after changes, at most one message in 100 ms.',
  },
  {
    name: 'market_updates', older: ['markets'], key: 'venue', filters: [], slow: 'close', resume: false, messages: ['MarketUpdate'],
    doc: 'Every option that is listed, expires or is deleted.',
  },
  {
    name: 'options_chain', key: 'filter', filters: ['expiry', 'option_type', 'symbols'], slow: 'close', resume: false,
    messages: ['OptionsChainUpdate'], doc: 'Rows of the options chain: a snapshot, then each row that changes and each contract removed.',
  },
  {
    name: 'candles', written: 'candles:<UNDERLYING>:<resolution>', key: 'name', filters: [], slow: 'close', resume: false,
    messages: ['CandleUpdate'], doc: 'The current candle of an index after every price. Resolutions are those of GET /candles. '
      + 'candles:<SYMBOL>:<resolution> has the trades of a contract, candles:<SYMBOL>:<resolution>:mark its marks, from 5m up.',
  },
  {
    name: 'vol_index', key: 'venue', filters: [], slow: 'conflate', resume: false, messages: ['VolIndexUpdate'],
    doc: 'Volatility indexes: the current ones, then those of all underlyings when one is taken, every 5 s. `seq` may skip.',
  },
] as const satisfies readonly Channel[];

export type ChannelKind = (typeof CHANNELS)[number]['name'];

/** Null: no such channel. */
export function channelOf(sent: string): { readonly channel: Channel & { readonly name: ChannelKind }; readonly rest: string } | null {
  const colon = sent.indexOf(':');
  const name = colon < 0 ? sent : sent.slice(0, colon);
  const channel = CHANNELS.find((one: Channel) => one.name === name || one.older?.includes(name));
  if (channel === undefined || ((channel as Channel).key === 'name') !== colon >= 0) return null;
  return { channel, rest: colon < 0 ? '' : sent.slice(colon + 1) };
}
