// A worker thread as main sees it, for control messages and feed prices; other data uses rings and ports. An unexpected
// end or error is fatal for the venue.

import type { Worker } from 'node:worker_threads';
import { fatal } from '../fatal.ts';
import { StartRefusal } from '../start-refusal.ts';

export function threadEntry(path: string, from: string): URL {
  return new URL(`${path}${from.slice(from.lastIndexOf('.'))}`, from);
}

type Message = { readonly type: string; readonly [field: string]: unknown };

export class Thread {
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

  expect(type: string): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.#handlers.set(type, resolve);
      this.#handlers.set('refused', ({ text }) => {
        this.#mayEnd = true;
        reject(new StartRefusal(String(text)));
      });
    });
  }

  on<T extends { readonly type: string }>(type: T['type'], handler: (message: T) => void): void {
    this.#handlers.set(type, (message) => handler(message as unknown as T));
  }

  mayEnd(): void {
    this.#mayEnd = true;
  }

  post(message: Message): void {
    this.#worker.postMessage(message);
  }

  ask(message: Message, answer: string): Promise<Message> {
    const answered = this.expect(answer);
    this.post(message);
    return answered;
  }

  async stop(): Promise<Message> {
    this.#mayEnd = true;
    const last = await this.ask({ type: 'stop' }, 'stopped');
    await this.ended;
    return last;
  }
}
