// Requests of one connection other than orders. The next starts when the previous reply and its snapshots have been
// sent: replies keep their order, and a client that does not read gets no new work.

import { BOUNDS } from '../http/limits.ts';

export type QueuedRequest = {
  readonly weight: number;
  run(answered: () => void): void;
};

export class RequestQueue {
  readonly #waiting: QueuedRequest[] = [];
  #weight = 0;
  #isBusy = false;
  #isRunning = false;

  add(request: QueuedRequest): boolean {
    if (this.#weight + request.weight > BOUNDS.symbolsWaiting) return false;
    this.#waiting.push(request);
    this.#weight += request.weight;
    this.#runNext();
    return true;
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  #runNext(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (!this.#isBusy && this.#waiting.length > 0) this.#start(this.#waiting.shift()!);
    } finally {
      this.#isRunning = false;
    }
  }

  #start({ weight, run: act }: QueuedRequest): void {
    this.#weight -= weight;
    this.#isBusy = true;
    let isOpen = true;
    const answered = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#isBusy = false;
      this.#runNext();
    };
    try {
      act(answered);
    } catch (error) {
      answered();
      throw error;
    }
  }
}
