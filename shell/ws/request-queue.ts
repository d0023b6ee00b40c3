// What a client asks of one connection besides orders, in line: each request is taken up when the one before has been answered and
// what its answer brings has been sent. So answers come in the order of what was asked and say what is in force, a client that does
// not read is not asked for more, and one connection has the snapshots of one request at a time. Never forgets a request: it is
// answered, or the connection is over.

import { BOUNDS } from '../http/limits.ts';

export type QueuedRequest = {
  /** What it counts against the bound: the symbols it names, at least one. */
  readonly weight: number;
  /** `answered` is called once, now or later. */
  run(answered: () => void): void;
};

export class RequestQueue {
  readonly #waiting: QueuedRequest[] = [];
  #weight = 0;
  /** Whether a request has been taken up that is not answered yet. */
  #isBusy = false;
  #isRunning = false;

  /** False: too many wait, and this one will not be answered. */
  add(request: QueuedRequest): boolean {
    if (this.#weight + request.weight > BOUNDS.symbolsWaiting) return false;
    this.#waiting.push(request);
    this.#weight += request.weight;
    this.#runNext();
    return true;
  }

  /** The connection is over. */
  clear(): void {
    this.#waiting.length = 0;
  }

  /** A loop and no recursion: most requests are answered at once. */
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
      // The edge tells the client; those behind it are still to be answered.
      answered();
      throw error;
    }
  }
}
