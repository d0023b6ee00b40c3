// One subscription of a connection of the dialect. Its reply comes first, then the snapshot, then every message in order; what arrives
// before the snapshot waits.

import { answerInfo } from '../../api/hl-info/info.ts';
import type { ApiContext } from '../../api/context.ts';
import type { Refused } from '../../http/errors.ts';
import type { Source } from '../../http/source.ts';
import { OutboundMessage } from '../outbound-message.ts';
import { Backlog, type OutboundQueue, type OutboundStream } from '../outbound-queue.ts';
import { CLIENT_LOST, type ThreadTopic, type TopicRegistry, type TopicSubscriber } from '../topic-registry.ts';
import type { HlChannel, Wanted } from './channels.ts';
import type { PollListener, Polls } from './polls.ts';

export type SubscriptionParts = {
  readonly api: ApiContext; readonly registry: TopicRegistry; readonly polls: Polls; readonly out: OutboundQueue; readonly source: Source;
};
type Terms = {
  readonly name: string; readonly type: string; readonly channel: HlChannel; readonly wanted: Wanted;
  readonly reply: OutboundMessage;
  readonly ended: (refused: Refused) => void;
};

/** Made once for all connections of the thread that hear the message alike. */
const made = new WeakMap<OutboundMessage, Map<string, OutboundMessage | null>>();

export class HlSubscription implements TopicSubscriber, OutboundStream, PollListener {
  readonly #parts: SubscriptionParts;
  readonly #terms: Terms;
  readonly #topics = new Set<ThreadTopic>();
  #backlog: Backlog | null = new Backlog();
  #last = '';
  #isOver = false;

  constructor(parts: SubscriptionParts, terms: Terms) {
    this.#parts = parts;
    this.#terms = terms;
  }

  get source(): string {
    return this.#parts.source.network;
  }

  get origin(): Source {
    return this.#parts.source;
  }

  get name(): string {
    return this.#terms.name;
  }

  get slow(): HlChannel['slow'] {
    return this.#terms.channel.slow;
  }

  requestSnapshot(): void {
    this.#parts.out.endSnapshotRequest(null);
  }

  begin(): void {
    const { channel, wanted } = this.#terms;
    if (channel.poll !== undefined) return this.#beginPoll(channel.poll);
    const topics = channel.topics(wanted);
    let open = topics.length;
    if (open === 0) return this.#sendSnapshot([]);
    const first: OutboundMessage[] = [];
    for (const query of topics) {
      this.#parts.registry.join(query, this, () => !this.#isOver, (result) => {
        if (this.#isOver) return;
        if (!('topic' in result)) return this.#fail('error' in result ? result.error : CLIENT_LOST);
        this.#topics.add(result.topic);
        first.push(...result.snapshot);
        if (--open === 0) this.#sendSnapshot(first);
      });
    }
  }

  #beginPoll({ everyMs, request, data }: NonNullable<HlChannel['poll']>): void {
    const { channel: { topics }, name, reply, wanted } = this.#terms;
    this.#release([reply]);
    this.#parts.polls.join({
      name, everyMs, topic: topics(wanted)[0]!, request: (now) => request(wanted, now), message: (body) => this.#text(data(body, wanted)),
    }, this);
  }

  #sendSnapshot(first: readonly OutboundMessage[]): void {
    const { channel: { snapshot }, reply, wanted } = this.#terms;
    const { api, source } = this.#parts;
    if (snapshot === undefined) {
      const messages = first.map((message) => this.#translated(message)).filter((message) => message !== null);
      return this.#release([reply, ...messages]);
    }
    answerInfo(api, source, snapshot.request(wanted, api.now())).then((answer) => {
      if (this.#isOver) return;
      if (!answer.ok) return this.#fail(answer);
      const data = snapshot.data(answer.value, wanted);
      this.#dropKnown(new Set(snapshot.idsOf(data)), snapshot.idsOf);
      this.#release([reply, new OutboundMessage(this.#text(data)!)]);
    }, (error: unknown) => {
      api.fault('subscribe', error);
      this.#fail(CLIENT_LOST);
    });
  }

  #dropKnown(known: ReadonlySet<number | string>, idsOf: (data: any) => readonly (number | string)[]): void {
    if (known.size === 0) return;
    this.#parts.out.discard(this, this.#backlog, (message) => idsOf(message.value['data']).every((id) => known.has(id)));
  }

  #release(answers: readonly OutboundMessage[]): void {
    const backlog = this.#backlog!;
    backlog.whenReleased(() => { this.#backlog = null; });
    this.#parts.out.release(backlog, answers);
  }

  deliver(_: ThreadTopic, message: OutboundMessage): void {
    const translated = this.#translated(message);
    if (translated !== null) this.#send(translated);
  }

  polled(message: OutboundMessage): void {
    this.#send(message);
  }

  #send(message: OutboundMessage): void {
    const { out } = this.#parts;
    if (this.#backlog === null) out.send(message, this);
    else out.enqueueLive(this.#backlog, message, this);
  }

  #translated(message: OutboundMessage): OutboundMessage | null {
    const { name, channel: { data, same }, wanted } = this.#terms;
    let versions = made.get(message);
    if (versions === undefined) made.set(message, versions = new Map());
    let version = versions.get(name);
    if (version === undefined) {
      const text = this.#text(data?.(message.value, wanted));
      versions.set(name, version = text === null ? null : new OutboundMessage(text));
    }
    if (version === null || same === undefined) return version;
    const shown = JSON.stringify(same(version.value['data']));
    if (shown === this.#last) return null;
    this.#last = shown;
    return version;
  }

  #text(data: unknown): string | null {
    const { channel, type } = this.#terms;
    return data === undefined ? null : JSON.stringify({ channel: channel.name ?? type, data });
  }

  lost(): void {
    this.#fail(CLIENT_LOST);
  }

  failed(refused: Refused): void {
    this.#fail(refused);
  }

  #fail(refused: Refused): void {
    if (this.#isOver) return;
    this.end();
    this.#terms.ended(refused);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.polls.leave(this.name, this);
    for (const topic of this.#topics) this.#parts.registry.leave(topic, this);
    this.#parts.out.dropStream(this, this.#backlog);
  }
}
