// Whether paths still name the files that were opened by them. A database that was removed or replaced under its process takes commits as
// before, and all of them are gone with the process: so it is looked at before a commit is told of. By the paths alone, as to
// close a descriptor of a database drops the process's locks on it.
// A look at a file that is written costs the next write some 50 us: Linux keeps the times of what somebody looks at more exactly, and
// each write then changes the inode. The folder is not written by a commit, and its time changes with every name in it that comes,
// goes or is replaced; so the files are looked at after that, and now and then.

import * as fs from 'node:fs';
import { dirname } from 'node:path';

const STAT_OPTIONS = { bigint: true, throwIfNoEntry: false } as const;
/** After a change so many looks are at the files themselves: the time of two changes may be the same. */
const FULL_CHECKS = 16;

export class WatchedFile {
  readonly path: string;
  readonly #device: bigint;
  readonly #inode: bigint;
  /** Bytes; it only grows, but for a checkpoint that empties it. */
  #size: bigint;

  /** The file is open, and there. */
  constructor(path: string) {
    const { dev, ino, size } = fs.statSync(path, { bigint: true });
    this.path = path;
    this.#device = dev;
    this.#inode = ino;
    this.#size = size;
  }

  /** What has happened to the file; null while it is in its place. */
  fault(): string | null {
    const found = fs.statSync(this.path, STAT_OPTIONS);
    if (found === undefined) return 'was removed or moved';
    if (found.dev !== this.#device || found.ino !== this.#inode) return 'was replaced';
    if (found.size < this.#size) return 'was cut';
    this.#size = found.size;
    return null;
  }

  /** A checkpoint of ours has made it shorter. */
  allowShrink(): void {
    this.#size = 0n;
  }
}

/** A database in WAL mode: the file, its log and the index of that. */
export class WatchedDatabase {
  readonly file: WatchedFile;
  readonly #files: readonly WatchedFile[];
  readonly #folder: string;
  /** Of the folder at the last look: device, inode, when a name in it changed. */
  #seen: Pick<fs.Stats, 'dev' | 'ino' | 'ctimeMs'> = { dev: 0, ino: 0, ctimeMs: 0 };
  #fullChecksLeft = 0;

  constructor(path: string) {
    this.#folder = dirname(path);
    this.#files = ['', '-wal', '-shm'].map((end) => new WatchedFile(`${path}${end}`));
    this.file = this.#files[0]!;
  }

  /** The first file that is not in its place, or null; looks at the files only if the folder tells of a change. */
  changedFile(): WatchedFile | null {
    const found = fs.statSync(this.#folder, { throwIfNoEntry: false });
    const { dev, ino, ctimeMs } = this.#seen;
    if (found === undefined || found.ctimeMs !== ctimeMs || found.ino !== ino || found.dev !== dev) this.#fullChecksLeft = FULL_CHECKS;
    if (found !== undefined) this.#seen = found;
    return this.#fullChecksLeft-- > 0 ? this.checkFiles() : null;
  }

  /** The same, looking at the files. */
  checkFiles(): WatchedFile | null {
    return this.#files.find((file) => file.fault() !== null) ?? null;
  }

  allowShrink(): void {
    for (const file of this.#files) file.allowShrink();
  }
}
