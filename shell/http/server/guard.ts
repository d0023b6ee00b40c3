// Catches exceptions in callbacks of the web server, where an uncaught one would end the process.

export function guard(work: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}
