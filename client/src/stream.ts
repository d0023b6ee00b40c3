// Unread messages of one subscription: an async iterable. Beyond its limit it ends with an error, because no message may be lost silently.
// If only the newest message per symbol counts, it replaces the older one.

import { StrikebookError } from './strikebook-error.ts';

export type Stream<Message> = AsyncIterable<Message> & {
  readonly waiting: number;
  /** Drops unread messages. */
  close(): void;
};

/** A linked list; `next` came after it. */
type Unread<Message> = { readonly key: string | null; message: Message; next: Unread<Message> | null };
type Reader<Message> = { resolve(result: IteratorResult<Message, undefined>): void; reject(error: unknown): void };

const OVER = { done: true, value: undefined } as const;

export class MessageBuffer<Message> implements Stream<Message> {
  /** Not a Map, which would keep most read messages in memory. */
  #first: Unread<Message> | null = null;
  #last: Unread<Message> | null = null;
  #waiting = 0;
  readonly #readers: Reader<Message>[] = [];
  readonly #bound: number;
  readonly #onClose: () => void;
  #isOver = false;
  #error: StrikebookError | null = null;

  constructor(bound: number, onClose: () => void) {
    this.#bound = bound;
    this.#onClose = onClose;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Replaces the unread message with the same key. */
  push(message: Message, key: string | null): void {
    if (this.#isOver) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader.resolve({ done: false, value: message });
    const same = key === null ? null : this.#find(key);
    if (same !== null) {
      same.message = message;
      return;
    }
    const unread = { key, message, next: null };
    if (this.#last === null) this.#first = unread;
    else this.#last.next = unread;
    this.#last = unread;
    if (++this.#waiting <= this.#bound) return;
    this.#finish(new StrikebookError('overflow', `More than ${this.#bound} messages are unread`));
  }

  /** Unread messages can still be read; then the reader gets the error. */
  end(error: StrikebookError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    for (const reader of this.#readers.splice(0)) this.#over(reader);
  }

  close(): void {
    this.#first = this.#last = null;
    this.#waiting = 0;
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

  #find(key: string): Unread<Message> | null {
    let one = this.#first;
    while (one !== null && one.key !== key) one = one.next;
    return one;
  }

  #read(reader: Reader<Message>): void {
    const first = this.#first;
    if (first !== null) {
      this.#first = first.next;
      // Lets read messages be collected.
      first.next = null;
      if (this.#first === null) this.#last = null;
      this.#waiting--;
      reader.resolve({ done: false, value: first.message });
    } else if (this.#isOver) this.#over(reader);
    else this.#readers.push(reader);
  }

  /** The error is thrown once. */
  #over(reader: Reader<Message>): void {
    const error = this.#error;
    this.#error = null;
    if (error === null) reader.resolve(OVER);
    else reader.reject(error);
  }

  #finish(error: StrikebookError | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    for (const reader of this.#readers.splice(0)) this.#over(reader);
    this.#onClose();
  }
}
