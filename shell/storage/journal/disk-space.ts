// How much room the data folder's file system has left, in bytes, and what that means for the venue.

import { statfsSync } from 'node:fs';

/** Below it new orders are refused (503); cancels still work. */
export const LOW_DISK_BYTES = 1_073_741_824;
/** Below it the venue stops cleanly. */
export const STOP_DISK_BYTES = 268_435_456;

export type DiskState = 'ok' | 'low' | 'stop';
/** Blocks free to this user, and bytes of a block. */
type Statfs = (folder: string) => { readonly bavail: number; readonly bsize: number };

export function freeBytes(folder: string, statfs: Statfs = statfsSync): number {
  const { bavail, bsize } = statfs(folder);
  return bavail * bsize;
}

export function diskState(free: number): DiskState {
  if (free < STOP_DISK_BYTES) return 'stop';
  return free < LOW_DISK_BYTES ? 'low' : 'ok';
}
