// Journal heads, as the journal thread publishes them in shared memory: each hash is that of its seq, so that a torn head shows.

import { createHash } from 'node:crypto';
import type { Head } from '../../../shell/storage/journal/chain.ts';
import type { SharedHeadDescription } from '../../../shell/ipc/shared-head.ts';

export type HeadWorkerData = { readonly shown: SharedHeadDescription; readonly last: number };
export type HeadWorkerReport = { readonly said: number };

export function headOf(seq: number): Head {
  return { seq, hash: new Uint8Array(createHash('sha256').update(String(seq)).digest()) };
}
