// A simulated disk that loses unsynced writes in a crash. Each of them is kept, lost or torn, independently, as a page cache would
// do; an unsynced rename may be undone. It uses no real file system.

import type { Random } from './random.ts';

/** Writes in order. */
type File = { readonly synced: Uint8Array[]; pending: Uint8Array[] };
type Rename = { from: string; to: string };

export class SimulatedDisk {
  private readonly random: Random;
  private files = new Map<string, File>();
  /** Names as they are after a crash, while renames and removals are not synced. */
  private renames: Rename[] = [];
  readonly faults = { kept: 0, lost: 0, torn: 0, renamesLost: 0 };

  constructor(random: Random) {
    this.random = random;
  }

  names(): string[] {
    return [...this.files.keys()].sort();
  }

  append(name: string, bytes: Uint8Array): void {
    const file = this.files.get(name) ?? { synced: [], pending: [] };
    file.pending.push(bytes.slice());
    this.files.set(name, file);
  }

  /** The bytes of a file from `at` on. */
  read(name: string, at = 0): Uint8Array {
    const file = this.files.get(name);
    if (file === undefined) return new Uint8Array(0);
    const parts: Uint8Array[] = [];
    let end = 0;
    for (const part of [...file.synced, ...file.pending]) {
      const start = end;
      end += part.length;
      if (end > at) parts.push(part.subarray(Math.max(0, at - start)));
    }
    return Buffer.concat(parts);
  }

  /** Cuts a file; at once and for good (recovery does this, before anything new is written). */
  truncate(name: string, length: number): void {
    const file = this.files.get(name);
    const kept: Uint8Array[] = [];
    let left = length;
    for (const part of file === undefined ? [] : [...file.synced, ...file.pending]) {
      if (left > 0) kept.push(part.subarray(0, left));
      left -= part.length;
    }
    this.files.set(name, { synced: kept, pending: [] });
  }

  sync(name: string): void {
    const file = this.files.get(name)!;
    file.synced.push(...file.pending);
    file.pending = [];
  }

  rename(from: string, to: string): void {
    this.renames.push({ from, to });
    this.files.set(to, this.files.get(from)!);
    this.files.delete(from);
  }

  syncNames(): void {
    this.renames = [];
  }

  remove(name: string): void {
    this.files.delete(name);
  }

  /** A power cut: chance decides what is left of unsynced writes. */
  crash(): void {
    const survive = this.random.between(0, this.renames.length);
    for (const { from, to } of this.renames.slice(survive).reverse()) {
      const file = this.files.get(to);
      if (file === undefined) continue;
      this.files.delete(to);
      this.files.set(from, file);
      this.faults.renamesLost++;
    }
    this.renames = [];
    for (const file of this.files.values()) {
      const parts = file.pending.map((bytes) => this.fate(bytes));
      while (parts.length > 0 && parts.at(-1)!.every((byte) => byte === 0)) parts.pop();
      file.synced.push(...parts);
      file.pending = [];
    }
  }

  /** Kept, lost (zeros, if something after it was kept), or torn at a byte. */
  private fate(bytes: Uint8Array): Uint8Array {
    const fate = this.random.fraction();
    if (fate < 0.4) {
      this.faults.kept++;
      return bytes;
    }
    const out = new Uint8Array(bytes.length);
    if (fate < 0.7) {
      this.faults.lost++;
      return out;
    }
    this.faults.torn++;
    out.set(bytes.subarray(0, this.random.between(0, bytes.length - 1)));
    return out;
  }
}
