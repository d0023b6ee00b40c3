// Free bytes of the data folder's file system, and the limits at which the venue reacts.

import { statfsSync } from 'node:fs';

/** Below this, new orders are refused (503). Cancels still work. */
export const LOW_DISK_BYTES = 1_073_741_824;
export const STOP_DISK_BYTES = 268_435_456;

export type DiskState = 'ok' | 'low' | 'stop';
type Statfs = (folder: string) => { readonly bavail: number; readonly bsize: number };

export function freeBytes(folder: string, statfs: Statfs = statfsSync): number {
  const { bavail, bsize } = statfs(folder);
  return bavail * bsize;
}

export function diskState(free: number): DiskState {
  if (free < STOP_DISK_BYTES) return 'stop';
  return free < LOW_DISK_BYTES ? 'low' : 'ok';
}
