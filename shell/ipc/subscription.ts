// The body that answers `subscribe`, as the reader writes it and an api thread reads it: JSON of which each message has a line of its
// own, so that a chain of thousands is cut at its lines and goes to clients as it came, neither parsed nor written again.

/** A message in its line, and what stands around them: `{"topic":7,"seq":12,"messages":[`, the lines, `]}`. */
const BETWEEN = ',\n';
const NEW_LINE = 0x0a;
const COMMA = 0x2c;

/**
 * Answers `subscribe`, whose channel and key are those of the channel table (channels.ts): what stands at `seq`, complete messages
 * as they go to clients; stream records of the topic that follow in the ring are what came after. `seq` is null where a
 * subscription is to more than one stream: each message carries its own. A topic is good until `unsubscribe` has ended as many as
 * `subscribe` has begun from this thread. What `from_seq` asks for begins after `seq`, which it is; topic 0 is none: the
 * stream goes on further than these messages, and who has them subscribes again from the last.
 */
type Subscription = { readonly topic: number; readonly seq: number | null; readonly messages: readonly Uint8Array[] };

/** `messages`: JSON as it is written in one piece, so without a line break. */
export function subscriptionText(topic: number, seq: number | null, messages: readonly string[]): string {
  return `{"topic":${topic},"seq":${seq},"messages":[\n${messages.join(BETWEEN)}\n]}`;
}

/** The messages are parts of the body. Throws on what is no such text. */
export function readSubscription(body: Uint8Array): Subscription {
  const head = body.indexOf(NEW_LINE);
  const end = body.lastIndexOf(NEW_LINE);
  const { topic, seq } = JSON.parse(`${Buffer.from(body.subarray(0, Math.max(head, 0))).toString('utf8')}]}`) as Subscription;
  const messages: Uint8Array[] = [];
  for (let from = head + 1; from < end;) {
    const next = body.indexOf(NEW_LINE, from);
    messages.push(body.subarray(from, body[next - 1] === COMMA ? next - 1 : next));
    from = next + 1;
  }
  return { topic, seq, messages };
}
