// Faults of one line in what keeps a command through a kill with durability normal: the tail, its taking over, and the snapshot beside it.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, file of the test, its title. */
type Row = readonly [name: string, file: string, find: string, replace: string, tests: string, title: string];

const ROWS: readonly Row[] = [
  [
    'an answer before its write', 'threads/main-loop', '      this.#tail.flush();\n', '', 'flow/durable',
    'with durability normal an answer waits for no commit: what it tells is in the tail until the journal has it',
  ],
  [
    'a tail written over before the journal has it', 'journal/tail',
    '(this.#otherSeq === null || this.#isJournaled(this.#otherSeq))', 'true', 'journal/tail',
    'any turns, any commits between, any end: everything flushed is found, and the files stay small',
  ],
  [
    'a tail beyond a gap', 'journal/tail', '|| batch.firstSeq > next) continue;', '|| batch.firstSeq > next + 100) continue;',
    'journal/tail', 'what a power cut took is told of, and what lay beyond it does not come back',
  ],
  [
    'a tail without its checksum', 'journal/tail',
    'const isWhole = crc32(file.subarray(at + 4, end)) === file.readUInt32LE(at);', 'const isWhole = true;',
    'journal/tail', 'any bit that is changed ends the tail before the turn that it is in',
  ],
  [
    'commits behind a changed bit of the log', 'journal/wal', 'return commits > COMMITS_OF_A_CUT ? { at, commits } : null;', 'return null;',
    'journal/wal', 'a changed bit in the log is damage where two commits lie behind it, whichever it is',
  ],
  [
    'an hour that ends after what comes behind it', 'threads/main-loop', 'if (endHours(this.#sequencer, time)) {', 'if (false) {',
    'flow/hour', 'who sells a perp at the full hour pays for the hour, and who buys it does not',
  ],
  [
    'a turn of which the journal has a part', 'journal/tail', 'batches.push(cutBefore(batch, next));', 'batches.push(batch);',
    'journal/tail',
    'what the journal lacks is taken from the tail, once, wherever the journal had got to',
  ],
  [
    'a snapshot where no frame ends', 'reader/loop', 'if (!reached(end, reader.applied)) return reader.applied >>> 0;', '',
    'reader/snapshots',
    'where the journal comes after what is told, a snapshot that is due waits for the end of a frame, and all behind it',
  ],
];

export const DURABILITY: readonly Mutant[] = ROWS.map(([name, file, find, replace, tests, title]) => (
  { name, file: `shell/${file}.ts`, find, replace, tests: [`test/${tests}.test.ts`], title }
));
