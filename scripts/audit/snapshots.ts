// Compares snapshots with the replay: every section of a snapshot must equal, byte for byte, that of the replayed state at its seq.
// Never moves a damaged snapshot aside: an audit changes nothing in the folder.

import { stateSections, type State } from '../../core/engine/state.ts';
import { usedBytes } from '../../core/snapshot/hash.ts';
import { listSnapshots, loadSnapshot, readSnapshots, type Snapshot } from '../../shell/storage/journal/snapshot-read.ts';
import { typeOf } from '../../shell/storage/recovery.ts';

type SnapshotFault = { readonly seq: number; readonly reason: string };

/** The snapshots of the folder, oldest first: those with correct checksums, and the damaged ones. */
export function soundSnapshots(dataFolder: string): { readonly sound: readonly Snapshot[]; readonly faults: readonly SnapshotFault[] } {
  const seqs = new Map(listSnapshots(dataFolder).map(({ path, seq }) => [path, seq]));
  const faults: SnapshotFault[] = [];
  const sound = [...readSnapshots(dataFolder, ({ path, message }) => faults.push({ seq: seqs.get(path) ?? 0, reason: message }))];
  return { sound: sound.reverse(), faults };
}

/** How the snapshot differs from the state at its seq, or null. */
export function snapshotFault(state: State, snapshot: Snapshot): string | null {
  const [low, high] = state.events.digest;
  const [savedLow, savedHigh] = snapshot.digest;
  if (low !== savedLow >>> 0 || high !== savedHigh >>> 0) return 'the snapshot states another output digest';
  const sections = stateSections(state);
  const columns = new Map(sections.map((section) => [section.name, section]));
  const saved = new Map<string, Buffer>();
  for (const { name, type, elements } of snapshot.sections) {
    const section = columns.get(name);
    if (section === undefined) return `section ${name} of the snapshot is none of the state's`;
    if (typeOf(section.column) !== type) return `section ${name} of the snapshot is of ${type}`;
    if (section.used() !== elements) return `section ${name} of the snapshot holds ${elements}, the replay ${section.used()}`;
  }
  loadSnapshot(snapshot, ({ name, bytes }) => {
    const buffer = Buffer.allocUnsafe(bytes);
    saved.set(name, buffer);
    return buffer;
  });
  for (const section of sections) {
    const bytes = saved.get(section.name);
    if (bytes === undefined) return `section ${section.name} is missing in the snapshot`;
    if (Buffer.compare(bytes, usedBytes(section)) !== 0) return `section ${section.name} of the snapshot is not what the replay gives`;
  }
  return null;
}
