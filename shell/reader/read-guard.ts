// What a read throws is its own end and nobody else's: composing an answer changes nothing that another read or the core depends
// on. The guard goes with a read through everything that it waits for, as the history calls it back long after it was asked. What is
// done for no read has none, and its exceptions go on to the thread, which they end: applying a record, and the streams with it.

type Failed = (error: unknown) => void;

export class ReadGuard {
  /** Of the read in hand; null: there is none. */
  #failed: Failed | null = null;

  /** Does the work of a read. What it throws, now or in what `bind` has kept for later, is told to `failed`, once for each piece. */
  run(work: () => void, failed: Failed): void {
    const before = this.#failed;
    this.#failed = failed;
    try {
      work();
    } catch (error) {
      failed(error);
    } finally {
      this.#failed = before;
    }
  }

  /** The same work for later, for the read in hand. */
  bind<Arguments extends readonly unknown[]>(work: (...given: Arguments) => void): (...given: Arguments) => void {
    const failed = this.#failed;
    return failed === null ? work : (...given) => this.run(() => work(...given), failed);
  }
}
