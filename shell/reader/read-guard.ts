// An exception in a read ends that read only, also in its history callbacks. Unguarded work (applying records, streams)
// ends the thread when it throws.

type Failed = (error: unknown) => void;

export class ReadGuard {
  #failed: Failed | null = null;

  /** Calls `failed` once for each exception, now or in a callback made by `bind`. */
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

  bind<Arguments extends readonly unknown[]>(work: (...given: Arguments) => void): (...given: Arguments) => void {
    const failed = this.#failed;
    return failed === null ? work : (...given) => this.run(() => work(...given), failed);
  }
}
