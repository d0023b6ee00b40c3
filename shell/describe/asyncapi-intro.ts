// The introduction of /docs/socket and /asyncapi.json, as Markdown sections with the limits in force.

import { BULK_ITEMS } from '../../core/limits.ts';
import { BOUNDS, partsOf } from '../http/limits.ts';
import type { Channel } from '../ipc/channels.ts';

const READ = partsOf(BOUNDS.readBytes);

export const SLOW_TEXTS: Readonly<Record<Channel['slow'], string>> = {
  close: 'The connection is closed with a reason, because this channel must not lose messages.',
  conflate: 'Older messages are dropped; you get the newest one.',
  snapshot: 'Changes are dropped; you get a new snapshot.',
};

export const SOCKET_SECTIONS = {
  Connect: () => `Connect to \`/ws\`. Add \`?wallet=0x...\` for the channels of a wallet and \`?encoding=msgpack\` for MessagePack
instead of JSON. Each frame is one message with a \`type\`; the first is \`Hello\`. Messages are not compressed.`,

  Subscribe: () => `Send \`Subscribe\` with a \`channel\`. \`Subscribed\` comes back, then a snapshot, then each change. Without \`symbols\`
you subscribe to all symbols of a channel. Each message arrives once, even if several of your subscriptions cover it. A row of
\`options_chain\` has the contracts that any of your filters selects.

Requests are answered in order. A mistake is answered by an \`Error\` with a \`code\` and the \`id\` of the request, and the connection
stays open. If some symbols of a Subscribe are unknown, each of them has its own \`Error\`, and the others one \`Subscribed\`. One
Subscribe with many symbols is faster than many with one.`,

  'Sequence numbers': () => `\`seq\` numbers the messages of a stream: of a symbol, a wallet or the venue. It is the same on every
connection and continues after a restart. It has no gaps, except in books, where one message may carry several changes. After a
disconnect, send \`Subscribe\` with \`from_seq\`, the last number you have, to the channels that can be resumed; the others begin with a
snapshot.`,

  Orders: () => `Order requests have the fields, signatures and rules of REST, and an \`id\` that comes back. \`tif\` and \`client_id\`
may be absent here: they are then signed as \`gtc\` and the empty string. You need not wait for an answer before you send the next
request: answers come in the order of the requests. At most ${BOUNDS.requestsInFlight} requests per wallet and connection may be unanswered,
and a bulk has at most ${BULK_ITEMS} items.`,

  'Sending limits': () => `A message has at most ${BOUNDS.messageBytes} bytes. A longer one, or a text frame that is not UTF-8, ends the
connection without a close frame (code 1006). A connection may send ${BOUNDS.messagesPerTick} messages a second, ${BOUNDS.ordersPerTick}
if it sends orders, and ${BOUNDS.socketBytes} bytes a second. All connections of one source, which is an IPv4 address or an IPv6 /64, may
send ${READ.amount} bytes a second to each api thread (loopback ${READ.loopback}). Beyond these, the
connection closes with 1008. Pings and pongs count as messages; a frame shorter than ${BOUNDS.frameBytes} bytes counts as
${BOUNDS.frameBytes}.

Each message also counts as a request of its source, and an order or cancel as one of its wallet, as in REST. Beyond those limits the
request is refused and the connection stays open.`,

  'Slow readers': () => `The venue pings every ${BOUNDS.pingTicks} s and closes after ${BOUNDS.pongTicks} s without a pong. With more
than ${BOUNDS.bookBacklog} unread bytes you get no book updates until you read again. With more than ${BOUNDS.streamBacklog}, the next
message of a channel that must not lose messages closes the connection. A connection has at most ${BOUNDS.subscriptions} subscriptions,
${BOUNDS.chainSubscriptions} of them to \`options_chain\` with ${BOUNDS.chainSymbols} symbols in all; \`fills\` and \`order_updates\`
take at most ${BOUNDS.subscriptions} symbols.`,
} as const;

export function socketDescription(): string {
  return Object.entries(SOCKET_SECTIONS).map(([title, text]) => `**${title}.** ${text()}`).join('\n\n');
}
