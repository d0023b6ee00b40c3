// Detects that somebody removed, replaced or cut a file that the venue is writing: commits to it succeed but are lost with the process.
// By path, because closing a descriptor drops the process's locks. A stat costs the next write some 50 us on Linux, so each commit checks
// the folder, and the files only after that changed or now and then.

import * as fs from 'node:fs';
import { dirname } from 'node:path';

const STAT_OPTIONS = { bigint: true, throwIfNoEntry: false } as const;
const FULL_CHECKS = 16;

export class WatchedFile {
  readonly path: string;
  readonly #device: bigint;
  readonly #inode: bigint;
  /** Bytes. Only our own checkpoint may make the file smaller. */
  #size: bigint;

  constructor(path: string) {
    const { dev, ino, size } = fs.statSync(path, { bigint: true });
    this.path = path;
    this.#device = dev;
    this.#inode = ino;
    this.#size = size;
  }

  fault(): string | null {
    const found = fs.statSync(this.path, STAT_OPTIONS);
    if (found === undefined) return 'was removed or moved';
    if (found.dev !== this.#device || found.ino !== this.#inode) return 'was replaced';
    if (found.size < this.#size) return 'was cut';
    this.#size = found.size;
    return null;
  }

  allowShrink(): void {
    this.#size = 0n;
  }
}

export class WatchedDatabase {
  readonly file: WatchedFile;
  readonly #files: readonly WatchedFile[];
  readonly #folder: string;
  #seen: Pick<fs.Stats, 'dev' | 'ino' | 'ctimeMs'> = { dev: 0, ino: 0, ctimeMs: 0 };
  #fullChecksLeft = 0;

  constructor(path: string) {
    this.#folder = dirname(path);
    this.#files = ['', '-wal', '-shm'].map((end) => new WatchedFile(`${path}${end}`));
    this.file = this.#files[0]!;
  }

  changedFile(): WatchedFile | null {
    const found = fs.statSync(this.#folder, { throwIfNoEntry: false });
    const { dev, ino, ctimeMs } = this.#seen;
    if (found === undefined || found.ctimeMs !== ctimeMs || found.ino !== ino || found.dev !== dev) this.#fullChecksLeft = FULL_CHECKS;
    if (found !== undefined) this.#seen = found;
    return this.#fullChecksLeft-- > 0 ? this.checkFiles() : null;
  }

  checkFiles(): WatchedFile | null {
    return this.#files.find((file) => file.fault() !== null) ?? null;
  }

  allowShrink(): void {
    for (const file of this.#files) file.allowShrink();
  }
}
