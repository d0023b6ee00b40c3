// A worker thread as main sees it: messages by type, and an end. A thread that ends without being asked, or throws, is
// fatal for the venue. Control, and the prices of a feed from outside; all other data goes through the rings and ports of the wiring.

import type { Worker } from 'node:worker_threads';
import { fatal } from '../fatal.ts';
import { Refusal } from '../refusal.ts';

/** Where a thread's code is: the module beside the one that starts it, in TypeScript or, in a bundle, in JavaScript. */
export function threadEntry(path: string, from: string): URL {
  return new URL(`${path}${from.slice(from.lastIndexOf('.'))}`, from);
}

type Message = { readonly type: string; readonly [field: string]: unknown };

/** Owns one worker. */
export class Thread {
  /** Resolves when the thread has ended after it was asked to. */
  readonly ended: Promise<void>;
  readonly #name: string;
  readonly #worker: Worker;
  readonly #handlers = new Map<string, (message: Message) => void>();
  #mayEnd = false;

  constructor(name: string, worker: Worker) {
    this.#name = name;
    this.#worker = worker;
    worker.on('error', (error) => fatal(name, error));
    worker.on('message', (message: Message) => this.#handlers.get(message.type)?.(message));
    this.ended = new Promise((resolve) => {
      worker.on('exit', (code) => {
        if (!this.#mayEnd) fatal(this.#name, new Error(`ended with code ${code}`));
        resolve();
      });
    });
  }

  /** The next message of this type. Rejects with Refusal when the thread says instead that it cannot start, and ends. */
  expect(type: string): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.#handlers.set(type, resolve);
      this.#handlers.set('refused', ({ text }) => {
        this.#mayEnd = true;
        reject(new Refusal(String(text)));
      });
    });
  }

  /** Every message of this type. */
  on<T extends { readonly type: string }>(type: T['type'], handler: (message: T) => void): void {
    this.#handlers.set(type, (message) => handler(message as unknown as T));
  }

  /** Says that the thread may end by itself from now on. */
  mayEnd(): void {
    this.#mayEnd = true;
  }

  post(message: Message): void {
    this.#worker.postMessage(message);
  }

  /** Asks the thread to stop and waits until it has; resolves with its last message. */
  async stop(): Promise<Message> {
    this.#mayEnd = true;
    const stopped = this.expect('stopped');
    this.post({ type: 'stop' });
    const last = await stopped;
    await this.ended;
    return last;
  }
}
