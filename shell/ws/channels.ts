// table: the channels of the socket. `key` says what a subscription is made for: the wallet of the connection, or a
// symbol (the empty key is all of them). `slow` says what happens to a client that does not read: `conflate` keeps the
// newest message of each subscription, `close` ends the connection, since nothing of the stream may be missing.

export type Channel = {
  readonly name: string; readonly key: 'wallet' | 'symbol'; readonly slow: 'conflate' | 'close'; readonly doc: string;
};

export const CHANNELS: readonly Channel[] = [
  { name: 'order_updates', key: 'wallet', slow: 'close', doc: 'Every change of the orders of the wallet.' },
  { name: 'fills', key: 'wallet', slow: 'close', doc: 'Every fill of the wallet.' },
  { name: 'orderbook', key: 'symbol', slow: 'conflate', doc: 'The book of a symbol: a snapshot, then each change.' },
  { name: 'trades', key: 'symbol', slow: 'close', doc: 'Every trade of a symbol.' },
];
