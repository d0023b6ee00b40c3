// The answer to `subscribe`: JSON with one message per line, so that an api thread cuts it without parsing.

/** The body is `{"topic":7,"seq":12,"messages":[`, the lines, `]}`. */
const BETWEEN = ',\n';
const NEW_LINE = 0x0a;
const COMMA = 0x2c;

/**
 * Client messages as of `seq`; stream records of the topic follow in the ring. `seq` is null for several streams. A topic ends after as
 * many `unsubscribe` as `subscribe` from this thread. Topic 0: more messages are missing; subscribe again from the last one.
 */
type Subscription = { readonly topic: number; readonly seq: number | null; readonly messages: readonly Uint8Array[] };

export function subscriptionText(topic: number, seq: number | null, messages: readonly string[]): string {
  return `{"topic":${topic},"seq":${seq},"messages":[\n${messages.join(BETWEEN)}\n]}`;
}

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
