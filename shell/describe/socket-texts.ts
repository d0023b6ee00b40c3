// What the description of the socket says in words: how to connect, what a subscription brings, numbers and their meaning, what
// happens to a client that does not read, the bounds. Markdown.

import { BULK_ITEMS } from '../../core/limits.ts';
import { BOUNDS, partsOf } from '../http/limits.ts';
import type { Channel } from '../ipc/channels.ts';

const READ = partsOf(BOUNDS.readBytes);

export const SLOW_TEXTS: Readonly<Record<Channel['slow'], string>> = {
  close: 'Is told why and closed: nothing of this may be missing.',
  conflate: 'Gets the newest message alone when it reads again.',
  snapshot: 'Gets a new snapshot when it reads again.',
};

export function socketDescription(): string {
  return `Connect to \`/ws\`, with \`?wallet=0x...\` for the channels of a wallet and \`?encoding=msgpack\` for MessagePack instead of JSON.
Each frame is one message, told apart by its \`type\`. The first one is \`Hello\`.

**Channels.** \`Subscribe\` to a channel of the list: \`Subscribed\` comes back, then what stands there, then each change. Without
\`symbols\` a channel of symbols is all of them. Each message comes once, whatever of a channel is subscribed: all symbols and one of
them, or several filters of \`options_chain\`, of which each row has the contracts that any of them wants. Whatever is wrong is told by
an \`Error\`, and the connection stays open, but where the bounds below say otherwise. Of many symbols in one Subscribe each that is
unknown has an \`Error\`, and then the others have one \`Subscribed\`, if there are any. Requests are answered in their order, each when
what the one before brought has been sent; many symbols in one Subscribe come sooner than in many.

**Numbers.** \`seq\` counts the messages of a stream: of a symbol, of a wallet, of the venue. It is the same on every connection,
goes on after a restart, and has no gap but where several changes come in one message, as in the books. A client that was away
subscribes with \`from_seq\`, the last number it has, and gets what came since, where the list says so; a channel that cannot be
taken up again begins with what stands.

**Order entry.** Requests have the fields, signatures and rules of their REST counterparts, and an \`id\` that comes back. By socket
\`tif\` and \`client_id\` may be absent: they are signed as \`gtc\` and the empty text.
Many may be on their way: answers come in the order of the requests. At most ${BOUNDS.requestsInFlight} without an answer for a wallet and
connection, ${BULK_ITEMS} items in a bulk.

**Sending.** A message has at most ${BOUNDS.messageBytes} bytes: a longer one ends the connection without a close frame, which shows
as 1006, and so does a text frame that is not UTF-8. In a second a connection may send ${BOUNDS.messagesPerTick} messages, with orders
${BOUNDS.ordersPerTick}, and ${BOUNDS.socketBytes} bytes; all connections of one source, which is an IPv4 address or an IPv6 /64, with each
api thread ${READ.amount} bytes (loopback ${READ.loopback}): beyond, the connection closes with 1008.
Pings and pongs count as messages; a frame of less than ${BOUNDS.frameBytes} bytes counts as so many of its source. Messages are never
compressed. Each message is also a request of its source, as one of REST is, and an order or a
cancel one of its wallet: what is beyond those limits is refused, and the connection stays open.

**Reading.** The venue pings every ${BOUNDS.pingTicks} s and closes after ${BOUNDS.pongTicks} s without a pong. A client that leaves more
than ${BOUNDS.bookBacklog} bytes unread has no books until it reads again; where more than ${BOUNDS.streamBacklog} are unread, the next
message of what must not be missing closes the connection, as the list says. A connection has at most ${BOUNDS.subscriptions} subscriptions,
${BOUNDS.chainSubscriptions} of them to \`options_chain\` with ${BOUNDS.chainSymbols} symbols in all, and \`fills\` and \`order_updates\`
at most ${BOUNDS.subscriptions} symbols.`;
}
