// A scenario as a thread of its venue's process. It knows the venue by its address alone, and keeps its place in a file beside the journal,
// which another scenario may not go on with.

import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { ScenarioStart, ToScenario, FromScenario } from '../../shell/process/scenario.ts';
import { DISK, writeTextAtomically } from '../../shell/storage/journal/files.ts';
import { Player, type Notes, type Progress } from './player.ts';

const { file, scenario, token, url } = workerData as ScenarioStart;

const notes: Notes = {
  read: () => JSON.parse(readFileSync(file, 'utf8')) as Progress,
  // Whole or not at all, and on the disk: an act must not be done again after a power failure.
  write: (progress) => writeTextAtomically(DISK, file, JSON.stringify({ digest: scenario.digest, ...progress })),
};
const post = (message: FromScenario): void => parentPort!.postMessage(message);
const player = new Player({ url, token, scenario, notes, say: (text) => post({ type: 'notice', text }) });

parentPort!.on('message', (message: ToScenario) => {
  const done = message.type === 'play' ? player.play(message.time).then(() => []) : player.report();
  done.then((lines) => post({ type: 'done', lines }), (error: unknown) => {
    // Not within the promise: an error there would be a rejection that nobody sees.
    setImmediate(() => {
      throw error;
    });
  });
});
