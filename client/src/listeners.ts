// Calls the listeners of the program. Their exceptions and rejections go to `fault`, and change neither the result of a call nor a stream.

export function callListener(listener: () => unknown, fault: (error: unknown) => void): void {
  try {
    const done = listener() as Partial<PromiseLike<unknown>> | null | undefined;
    if (typeof done?.then === 'function') done.then(undefined, fault);
  } catch (error) {
    fault(error);
  }
}

/** Exceptions of the error listener itself are ignored. */
export function tellFault(listener: ((error: unknown) => unknown) | undefined, error: unknown): void {
  callListener(() => listener?.(error), () => undefined);
}
