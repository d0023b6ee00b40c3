// Errors of recovery, apart so that a thread can recognise them without loading the core.

import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import type { Frame } from './journal/read.ts';
import type { Snapshot } from './journal/snapshot-read.ts';

export class CommandFailed extends Error {
  readonly seq: number;

  constructor(seq: number, kind: number, cause: unknown) {
    super(`command ${seq} (kind ${kind}) failed when applied: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'CommandFailed';
    this.seq = seq;
  }
}

export class VersionMismatch extends Error {
  constructor({ segment, behaviour, codec }: Frame) {
    const what = behaviour === BEHAVIOUR ? `holds records of codec ${codec}, this reads ${CODEC}`
      : `was written by behaviour ${behaviour} of the core, this is ${BEHAVIOUR}`;
    super(`the journal's segment ${segment} ${what}: `
      + 'start the version that wrote it and stop it cleanly (it leaves a snapshot at its end), then start this one; '
      + 'if that was done, its snapshot is lost: restore it from a backup');
    this.name = 'VersionMismatch';
  }
}

export class SnapshotMismatch extends Error {
  constructor({ path, behaviour }: Snapshot, section: string) {
    super(`${path}, by behaviour ${behaviour} of the core, does not fit the state of this version, behaviour ${BEHAVIOUR} `
      + `(section ${section}): only the version that wrote it can go on from it`);
    this.name = 'SnapshotMismatch';
  }
}

export class RecoveryCancelled extends Error {
  constructor() {
    super('recovery was interrupted');
    this.name = 'RecoveryCancelled';
  }
}
