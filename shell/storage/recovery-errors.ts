// What recovery refuses a data folder with. Apart from it, so that a thread that only has to know a refusal when it meets one does
// not load the whole core with it.

import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import type { Frame } from './journal/read.ts';
import type { Snapshot } from './journal/snapshot-read.ts';

/** A command of the journal threw when it was applied. */
export class CommandFailed extends Error {
  readonly seq: number;

  constructor(seq: number, kind: number, cause: unknown) {
    super(`command ${seq} (kind ${kind}) failed when applied: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'CommandFailed';
    this.seq = seq;
  }
}

/** The journal was written by another behaviour of the core, or with records laid out otherwise. */
export class VersionMismatch extends Error {
  constructor({ segment, behaviour, codec }: Frame) {
    const what = behaviour === BEHAVIOUR ? `holds records of codec ${codec}, this reads ${CODEC}`
      : `was written by behaviour ${behaviour} of the core, this is ${BEHAVIOUR}`;
    super(`the journal's segment ${segment} ${what}: `
      + 'start the version that wrote it and stop it cleanly (it leaves a snapshot at its end), then start this one; '
      + 'if that was done, its snapshot is lost, bring it back from a copy');
    this.name = 'VersionMismatch';
  }
}

/** The newest snapshot has other sections than this version's state, or more in one than there is room for. */
export class SnapshotMismatch extends Error {
  constructor({ path, behaviour }: Snapshot, section: string) {
    super(`${path}, by behaviour ${behaviour} of the core, does not fit the state of this version, behaviour ${BEHAVIOUR} `
      + `(section ${section}): only the version that wrote it can go on from it`);
    this.name = 'SnapshotMismatch';
  }
}

/** Whoever recovers was told to stop: nothing is written yet, the next start recovers the same. */
export class RecoveryCancelled extends Error {
  constructor() {
    super('told to stop while it recovered');
    this.name = 'RecoveryCancelled';
  }
}
