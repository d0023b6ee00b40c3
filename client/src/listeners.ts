// What a program gives to this library to be called. What a listener throws, or the promise of an async one rejects with, is told to
// `fault` and ends nothing: it is neither the outcome of a call nor the end of a stream.

export function callListener(listener: () => unknown, fault: (error: unknown) => void): void {
  try {
    const done = listener() as Partial<PromiseLike<unknown>> | null | undefined;
    // Nobody waits for it.
    if (typeof done?.then === 'function') done.then(undefined, fault);
  } catch (error) {
    fault(error);
  }
}

/** For the listener that is told of faults: nobody is left to be told of its own. */
export function tellFault(listener: ((error: unknown) => unknown) | undefined, error: unknown): void {
  callListener(() => listener?.(error), () => undefined);
}
