// Reads that are repeated while somebody is subscribed: one for all subscribers of this thread, after a change of the
// topic and at most once in its time. Each is a read of the source that has subscribed longest; while that source has
// no reads left, the poll waits.

import { answerInfo } from '../../api/hl-info/info.ts';
import type { ApiContext } from '../../api/context.ts';
import type { Refused } from '../../http/errors.ts';
import type { Source } from '../../http/source.ts';
import { OutboundMessage } from '../outbound-message.ts';
import { CLIENT_LOST, type ThreadTopic, type TopicRegistry, type TopicSubscriber } from '../topic-registry.ts';
import type { TopicName } from './channels.ts';

const REFUSED_WAITS = 5;

type PollTerms = {
  readonly name: string; readonly topic: TopicName; readonly everyMs: number;
  readonly request: (now: number) => object;
  readonly message: (body: unknown) => string | null;
};

export type PollListener = {
  readonly origin: Source;
  polled(message: OutboundMessage): void;
  failed(refused: Refused): void;
};

type Parts = { readonly api: ApiContext; readonly registry: TopicRegistry; readonly steady: () => number };

export class Polls {
  readonly #parts: Parts;
  readonly #byName = new Map<string, Poll>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  join(terms: PollTerms, listener: PollListener): void {
    let poll = this.#byName.get(terms.name);
    if (poll === undefined) {
      poll = new Poll(this.#parts, terms, () => this.#byName.delete(terms.name));
      this.#byName.set(terms.name, poll);
    }
    poll.join(listener);
  }

  leave(name: string, listener: PollListener): void {
    this.#byName.get(name)?.leave(listener);
  }
}

class Poll implements TopicSubscriber {
  readonly #parts: Parts;
  readonly #terms: PollTerms;
  readonly #ended: () => void;
  readonly #listeners = new Set<PollListener>();
  #topic: ThreadTopic | null = null;
  #last: OutboundMessage | null = null;
  #lastText = '';
  #next = 0;
  #isChanged = false;
  #isAsking = false;
  #isOver = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: Parts, terms: PollTerms, ended: () => void) {
    this.#parts = parts;
    this.#terms = terms;
    this.#ended = ended;
  }

  get source(): string {
    return this.#first?.origin.network ?? '';
  }

  get #first(): PollListener | undefined {
    const [first] = this.#listeners;
    return first;
  }

  join(listener: PollListener): void {
    this.#listeners.add(listener);
    if (this.#last !== null) return listener.polled(this.#last);
    if (this.#listeners.size > 1) return;
    const { channel, key } = this.#terms.topic;
    this.#parts.registry.join({ channel, key }, this, () => !this.#isOver, (result) => {
      if (this.#isOver) return;
      if ('topic' in result) this.#topic = result.topic;
      else return this.#fail('error' in result ? result.error : CLIENT_LOST);
      this.#change();
    });
  }

  leave(listener: PollListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#end();
  }

  deliver(): void {
    this.#change();
  }

  lost(): void {
    this.#topic = null;
    this.#fail(CLIENT_LOST);
  }

  #change(): void {
    this.#isChanged = true;
    this.#askSoon();
  }

  #askSoon(): void {
    if (this.#isOver || this.#isAsking || this.#timer !== null || !this.#isChanged) return;
    const wait = this.#next - this.#parts.steady();
    if (wait <= 0) return this.#ask();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#askSoon();
    }, wait);
    this.#timer.unref();
  }

  #ask(): void {
    this.#isChanged = false;
    this.#isAsking = true;
    this.#next = this.#parts.steady() + this.#terms.everyMs;
    const over = (): void => {
      this.#isAsking = false;
      this.#askSoon();
    };
    const { api } = this.#parts;
    answerInfo(api, this.#first!.origin, this.#terms.request(api.now())).then((answer) => {
      if (this.#isOver) return;
      if (answer.ok) this.#publish(this.#terms.message(answer.value));
      else if (this.#last === null && answer.code !== 'rate_limit_exceeded') return this.#fail(answer);
      else this.#wait();
      over();
    }, (error: unknown) => {
      api.fault('poll', error);
      this.#fail(CLIENT_LOST);
    });
  }

  #wait(): void {
    this.#isChanged = true;
    this.#next = this.#parts.steady() + this.#terms.everyMs * REFUSED_WAITS;
  }

  #publish(text: string | null): void {
    if (text === null || text === this.#lastText) return;
    this.#lastText = text;
    this.#last = new OutboundMessage(text);
    for (const listener of this.#listeners) listener.polled(this.#last);
  }

  #fail(refused: Refused): void {
    const listeners = [...this.#listeners];
    this.#end();
    for (const listener of listeners) listener.failed(refused);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listeners.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#topic !== null) this.#parts.registry.leave(this.#topic, this);
    this.#ended();
  }
}
