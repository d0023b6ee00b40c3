// A process that a test kills: `child.ts <work> <data folder> <seed>`. It writes to standard output what it has done, a line at a time
// and synchronously after the fact. Work: `lock` takes the folder and waits; `append` takes the folder, recovers, then appends frames and
// writes snapshots until it is killed or fails; `segments` does the same with a segment per frame and nothing else.

import * as fs from 'node:fs';
import { lockFolder } from '../../../../shell/storage/journal/lock.ts';
import { readSnapshots } from '../../../../shell/storage/journal/snapshot-read.ts';
import { writeSnapshot } from '../../../../shell/storage/journal/snapshot-write.ts';
import { appendFrames, generator, openWriter, readAndCheck, records } from './support.ts';

const [work, folder, seed] = process.argv.slice(2) as [string, string, string];

function say(line: string): void {
  fs.writeSync(1, `${line}\n`);
}

function append(): void {
  const random = generator(Number(seed));
  for (const damage of damagesOf(folder)) say(`damage ${damage}`);
  const ends = readAndCheck(folder);
  const writer = openWriter(folder, { segmentBytes: 300_000, walBytes: 60_000 });
  if (writer.head.seq !== (ends.at(-1) ?? 0)) throw new Error(`read to ${ends.at(-1)}, writer at ${writer.head.seq}`);
  say(`ready ${writer.head.seq}`);
  for (;;) {
    try {
      appendFrames(writer, [1 + Math.floor(random() * 20)]);
      say(`acked ${writer.head.seq}`);
    } catch (error) {
      say(`failed ${String(error)}`);
      try {
        appendFrames(writer, [1]);
      } catch (second) {
        say(`refused ${String(second)}`);
      }
      return;
    }
    if (random() < 0.05) snapshot(writer.head.seq, writer.head.hash);
  }
}

function segments(): void {
  const writer = openWriter(folder, { segmentBytes: 1 });
  say('ready');
  for (;;) {
    appendFrames(writer, [1]);
    say(`acked ${writer.head.seq}`);
  }
}

function snapshot(seq: number, headHash: Uint8Array): void {
  const bytes = records(seq, 400);
  const sections = [{ name: 'rows', type: 'u8', elements: bytes.length, bytes } as const];
  writeSnapshot(folder, { seq, headHash, behaviour: 1, codec: 1, digest: [seq, 1], meta: {} }, sections);
  say(`snapshot ${seq}`);
}

function damagesOf(dataFolder: string): string[] {
  const damages: string[] = [];
  for (const found of readSnapshots(dataFolder, (damage) => damages.push(damage.message))) if (found.seq < 0) damages.push(found.path);
  return damages;
}

await lockFolder(folder);
if (work === 'lock') {
  say('locked');
  setInterval(() => undefined, 1_000);
} else if (work === 'segments') {
  segments();
} else {
  append();
}
