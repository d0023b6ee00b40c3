// One connection of the dialect, in JSON: subscribe, unsubscribe, post and ping. An error repeats the request that it
// is about, because clients find it by that.

import { answerExchange } from '../../api/hl/exchange.ts';
import { answerInfo } from '../../api/hl-info/info.ts';
import type { ApiContext } from '../../api/context.ts';
import { INTERNAL, type Refused } from '../../http/errors.ts';
import { readBody } from '../../http/fields.ts';
import { parseJson } from '../../http/json.ts';
import { BOUNDS } from '../../http/limits.ts';
import type { Socket, SocketListener } from '../../http/server/sockets.ts';
import { isObject, type JsonObject } from '../../process/json-object.ts';
import { OutboundMessage } from '../outbound-message.ts';
import type { OutboundMemory } from '../outbound-memory.ts';
import { OutboundQueue } from '../outbound-queue.ts';
import type { TopicRegistry } from '../topic-registry.ts';
import type { WriteScheduler } from '../write-scheduler.ts';
import { channelOf } from './channels.ts';
import type { Polls } from './polls.ts';
import { HlSubscription, type SubscriptionParts } from './subscription.ts';

type ConnectionParts = {
  readonly api: ApiContext; readonly socket: Socket; readonly registry: TopicRegistry; readonly scheduler: WriteScheduler;
  readonly memory: OutboundMemory; readonly polls: Polls;
  readonly refusal: () => Refused | null;
};

const MOST_ECHO = 1_024;

export class HlConnection implements SocketListener {
  readonly #parts: ConnectionParts;
  readonly #out: OutboundQueue;
  readonly #subscriptions = new Map<string, HlSubscription>();
  #posts = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#out = new OutboundQueue(parts.socket, 'json', parts.scheduler, parts.memory);
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const { refusal, socket } = this.#parts;
    const refused = refusal();
    if (!socket.countMessage()) return;
    const parsed = parseJson(isBinary ? null : bytes, 'Message');
    if (!parsed.ok) return this.#error(`Error parsing JSON into valid websocket request: ${parsed.message}`);
    const sent = parsed.value;
    if (refused !== null) return this.#refuse(sent, refused.message);
    switch (sent['method']) {
      case 'ping': return this.#send({ channel: 'pong' });
      case 'subscribe': return this.#subscribe(sent);
      case 'unsubscribe': return this.#unsubscribe(sent);
      case 'post': return this.#post(sent);
      default: return this.#refuse(sent, 'Error parsing JSON into valid websocket request');
    }
  }

  drain(): void {
    this.#out.drain();
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
    this.#out.close();
  }

  #subscribe(sent: JsonObject): void {
    const named = nameOf(sent['subscription']);
    if (named === null) return this.#error(`Invalid subscription ${echo(sent['subscription'])}`);
    const { name, type, channel, wanted, shown } = named;
    if (this.#subscriptions.has(name)) return this.#error(`Already subscribed: ${JSON.stringify(shown)}`);
    if (this.#subscriptions.size >= BOUNDS.subscriptions) {
      return this.#refuse(sent, `Too many subscriptions: ${BOUNDS.subscriptions} is the maximum`);
    }
    const { api, polls, registry, socket } = this.#parts;
    const parts: SubscriptionParts = { api, polls, registry, out: this.#out, source: socket.source };
    const subscription = new HlSubscription(parts, {
      name, type, channel, wanted, reply: replyOf('subscribe', shown),
      ended: ({ message }) => {
        this.#subscriptions.delete(name);
        this.#refuse({ method: 'subscribe', subscription: shown }, message);
      },
    });
    this.#subscriptions.set(name, subscription);
    subscription.begin();
  }

  #unsubscribe(sent: JsonObject): void {
    const named = nameOf(sent['subscription']);
    const subscription = named === null ? undefined : this.#subscriptions.get(named.name);
    if (subscription === undefined) return this.#error(`Already unsubscribed: ${echo(sent['subscription'])}`);
    this.#subscriptions.delete(subscription.name);
    subscription.end();
    this.#out.send(replyOf('unsubscribe', named!.shown));
  }

  #post(sent: JsonObject): void {
    const { id, request } = sent;
    if (!Number.isSafeInteger(id) || !isObject(request)) return this.#refuse(sent, 'Error parsing JSON into valid websocket request');
    if (this.#posts >= BOUNDS.requestsInFlight) return this.#error(`too many pending post requests id=${String(id)}`);
    this.#posts++;
    const answer = (response: object): void => {
      this.#posts--;
      this.#send({ channel: 'post', data: { id, response } });
    };
    this.#answerPost(request).then(answer, (error: unknown) => {
      this.#parts.api.fault('socket post', error);
      answer({ type: 'error', payload: INTERNAL.message });
    });
  }

  async #answerPost({ type, payload }: JsonObject): Promise<object> {
    const { api, socket: { source } } = this.#parts;
    if (!isObject(payload) || (type !== 'info' && type !== 'action')) return { type: 'error', payload: 'Invalid request' };
    const answer = type === 'info' ? await answerInfo(api, source, payload) : await answerExchange(api, source, payload);
    if (!answer.ok) return { type: 'error', payload: answer.message };
    return { type, payload: type === 'info' ? { type: payload['type'], data: answer.value } : answer.value };
  }

  #refuse(sent: JsonObject, why: string): void {
    this.#error(`${why}: ${echo(sent)}`);
  }

  #error(data: string): void {
    this.#send({ channel: 'error', data });
  }

  #send(message: object): void {
    this.#out.send(new OutboundMessage(JSON.stringify(message)));
  }
}

type Named = {
  readonly name: string; readonly type: string; readonly channel: NonNullable<ReturnType<typeof channelOf>>;
  readonly wanted: Readonly<Record<string, unknown>>;
  readonly shown: object;
};

function nameOf(subscription: unknown): Named | null {
  if (!isObject(subscription)) return null;
  const channel = channelOf(subscription);
  const fields = channel === null ? null : readBody(channel.fields, subscription);
  if (channel === null || fields?.ok !== true) return null;
  const type = subscription['type'] as string;
  const wanted = Object.fromEntries(Object.entries(fields.value).filter(([field, value]) => (
    value !== undefined && channel.fields[field]!.kind !== 'ignored'
  )));
  const isKnown = (field: string): boolean => field === 'type' || Object.hasOwn(channel.fields, field);
  const shown = Object.fromEntries(Object.entries(subscription).filter(([field]) => isKnown(field)));
  return { name: `${type} ${JSON.stringify(wanted)}`, type, channel, wanted, shown };
}

function replyOf(method: 'subscribe' | 'unsubscribe', subscription: object): OutboundMessage {
  return new OutboundMessage(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
}

function echo(sent: unknown): string {
  const text = JSON.stringify(sent) ?? '';
  return text.length <= MOST_ECHO ? text : '';
}
