// Ends a command whose output is no longer read, as in `npm run audit -- DATA | head`, without an error message.

/** Exit code of a program ended by SIGPIPE, which Node ignores: 128 + 13. */
const NOBODY_READS = 141;

/** Ends the process and its children when the reader of its output is gone, instead of Node's error. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(NOBODY_READS);
    });
  }
}
