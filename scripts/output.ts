// What becomes of a command whose output nobody reads any more, as behind `| head`.

/** As SIGPIPE ends a program, which Node ignores: 128 + 13. */
const NOBODY_READS = 141;

/** Ends the process, and with it what it started, when its reader is gone. Without it Node would show an error of its own. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(NOBODY_READS);
    });
  }
}
