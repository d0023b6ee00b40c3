// Messages of one subscription that wait for their reader: an async iterable with a bound. Past the bound the stream ends
// with an error, since nothing of it may be missing silently; where only the newest of a symbol counts, that one stays.

import { StrikebookError } from './errors.ts';

export type Stream<Message> = AsyncIterable<Message> & {
  /** Messages that wait. */
  readonly waiting: number;
  /** Ends the subscription; what waits is gone. */
  close(): void;
};

type Reader<Message> = { resolve(result: IteratorResult<Message, undefined>): void; reject(error: unknown): void };

const OVER = { done: true, value: undefined } as const;

/** Owns the messages between the socket and one reader. */
export class MessageBuffer<Message> implements Stream<Message> {
  /** By symbol where the newest is enough, else by a count; in the order in which they came. */
  readonly #messages = new Map<string | number, Message>();
  readonly #readers: Reader<Message>[] = [];
  readonly #bound: number;
  readonly #onClose: () => void;
  #count = 0;
  #isOver = false;
  #error: StrikebookError | null = null;

  constructor(bound: number, onClose: () => void) {
    this.#bound = bound;
    this.#onClose = onClose;
  }

  get waiting(): number {
    return this.#messages.size;
  }

  /** With a key, takes the place of the message of this key that still waits. */
  push(message: Message, key: string | null): void {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader.resolve({ done: false, value: message });
    this.#messages.set(key ?? ++this.#count, message);
    if (this.#messages.size <= this.#bound) return;
    this.#finish(new StrikebookError('overflow', `More than ${this.#bound} messages are unread`));
  }

  /** What waits can still be read; then the reader gets the error. */
  end(error: StrikebookError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    for (const reader of this.#readers.splice(0)) this.#last(reader);
  }

  close(): void {
    this.#messages.clear();
    this.#finish(null);
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return {
      next: () => new Promise((resolve, reject) => this.#read({ resolve, reject })),
      return: () => {
        this.close();
        return Promise.resolve(OVER);
      },
    };
  }

  #read(reader: Reader<Message>): void {
    const first = this.#messages.entries().next();
    if (!first.done) {
      const [key, value] = first.value;
      this.#messages.delete(key);
      reader.resolve({ done: false, value });
    } else if (this.#isOver) this.#last(reader);
    else this.#readers.push(reader);
  }

  /** An error is told once. */
  #last(reader: Reader<Message>): void {
    const error = this.#error;
    this.#error = null;
    if (error === null) reader.resolve(OVER);
    else reader.reject(error);
  }

  #finish(error: StrikebookError | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    for (const reader of this.#readers.splice(0)) this.#last(reader);
    this.#onClose();
  }
}
