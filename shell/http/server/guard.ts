// The net under every handler of the edge: a callback of the web server must never throw, an exception there ends the process.

/** Runs `work`; what it throws, now or as a rejection, goes to `failed`. */
export function guard(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}
