// npm run backup -- --to DIR [--token FILE] [--url URL]      (installed: strikebook backup --to DIR ...)
// Copies a running venue into a new folder, history included, while it trades: the copy is a venue as of one seq, checked, and starts
// with `--data DIR`. It needs the admin token, in a file. If it was interrupted, the same command goes on. What a venue makes for
// itself, its admin token and the seed of its demo, is not copied. Exit code: 0 copied, 1 refused or not sound, 2 could not be done.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Http } from '../client/src/http.ts';
import type { AnswerTo } from '../shell/http/shapes/answers.ts';
import { hashText } from '../shell/storage/journal/chain.ts';
import { BackupCopy, CopyRefused } from '../shell/storage/backup/copy.ts';
import { endWithReader } from './output.ts';

const USAGE = 'usage: npm run backup -- --to DIR [--token FILE] [--url URL]';
const LOOK_EVERY_MS = 200;
const PROGRESS_EVERY_MS = 2_000;
/** About a minute of a venue that does not answer. */
const RETRIES = 34;

type Status = AnswerTo<'GET /admin/backup'>['data'];
type Arguments = { readonly url: string; readonly token: string; readonly to: string };

function readArguments(): Arguments {
  const options = {
    url: { type: 'string', default: 'http://127.0.0.1:8080' }, token: { type: 'string', default: 'data/admin-token' },
    to: { type: 'string' }, help: { type: 'boolean', default: false },
  } as const;
  const { values: { url, token, to, help } } = parseArgs({ options, allowPositionals: false });
  if (help) {
    console.log(USAGE);
    process.exit(0);
  }
  if (to === undefined || to === '') throw new Error(`--to names the new folder; ${USAGE}`);
  return { url, token: readFileSync(token, 'utf8').trim(), to };
}

class VenueClient {
  readonly #http: Http;

  constructor({ url, token }: Arguments) {
    this.#http = new Http(url, { retries: RETRIES, headers: { authorization: `Bearer ${token}` } });
  }

  async status(): Promise<Status> {
    return (await this.#http.send<AnswerTo<'GET /admin/backup'>>({ method: 'GET', path: '/admin/backup' })).data;
  }

  async act(action: 'begin' | 'end'): Promise<Status> {
    const body = JSON.stringify({ action });
    return (await this.#http.send<AnswerTo<'POST /admin/backup'>>({ method: 'POST', path: '/admin/backup', body })).data;
  }

  async page(id: string, name: string, offset: number): Promise<AnswerTo<'GET /admin/backup/file'>['data']> {
    const path = `/admin/backup/file?${new URLSearchParams({ id, name, offset: String(offset) })}`;
    return (await this.#http.send<AnswerTo<'GET /admin/backup/file'>>({ method: 'GET', path })).data;
  }

  async frames(from: number): Promise<AnswerTo<'GET /admin/backup/journal'>['data']> {
    const path = `/admin/backup/journal?from_seq=${from}`;
    return (await this.#http.send<AnswerTo<'GET /admin/backup/journal'>>({ method: 'GET', path })).data;
  }
}

let toldAt = performance.now();
function tell(what: () => string): void {
  if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
  toldAt = performance.now();
  console.error(`backup: ${what()}`);
}

/** The venue's copy is ready: the one whose files are partly here, or a new one. */
async function readyCopy(venue: VenueClient, copy: BackupCopy): Promise<Status> {
  let status = await venue.status();
  if (status.id === '' || status.id !== copy.id || status.state === 'failed') status = await venue.act('begin');
  while (status.state === 'copying') {
    const { copied_bytes: copied, total_bytes: total } = status;
    tell(() => `the venue has copied ${copied} of ${total} bytes of its history`);
    await sleep(LOOK_EVERY_MS);
    status = await venue.status();
  }
  if (status.state !== 'ready') throw new CopyRefused(status.reason ?? 'another copy was begun');
  return status;
}

async function copyFiles(venue: VenueClient, copy: BackupCopy, { id, files }: Status): Promise<void> {
  copy.startFiles(id);
  for (const { name, bytes } of files) {
    for (let at = copy.sizeOf(name); at < bytes; at = copy.sizeOf(name)) {
      copy.addBytes(name, await venue.page(id, name, at));
      tell(() => `${name}: ${at} of ${bytes} bytes`);
    }
  }
}

/** Up to where the journal ended when it was asked first: a venue under load never ends. */
async function copyJournal(venue: VenueClient, copy: BackupCopy, { first_seq: first, head_seq: end }: Status): Promise<void> {
  for (let from = Math.max(first, copy.head.seq + 1); copy.head.seq < end; from = copy.head.seq + 1) {
    const page = await venue.frames(from);
    if (page.segment === null) throw new CopyRefused(`the venue's journal ends at seq ${copy.head.seq}, it named seq ${end}`);
    copy.addFrames(page);
    tell(() => `journal: seq ${copy.head.seq} of ${end}`);
  }
}

async function run(): Promise<void> {
  const given = readArguments();
  const venue = new VenueClient(given);
  const { venue_id: id } = await venue.status();
  const copy = BackupCopy.open(given.to, id);
  try {
    const ready = await readyCopy(venue, copy);
    await copyFiles(venue, copy, ready);
    const { venue_file: venueFile, log_file: logFile, ...now } = await venue.status();
    await copyJournal(venue, copy, { ...ready, head_seq: now.head_seq });
    copy.finish(venueFile, logFile);
    await venue.act('end');
    console.log(`copied venue ${id} up to seq ${copy.head.seq}, head ${hashText(copy.head.hash)}, into ${given.to}`);
  } finally {
    copy.close();
  }
}

/** What a full disk says, by Node and by SQLite. */
const DISK_FULL = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'];

endWithReader();
try {
  await run();
} catch (error) {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  const isFull = code !== undefined && DISK_FULL.includes(code);
  console.error(`backup: ${isFull ? `the disk is full (${message}): make room and give the same command again` : message}`);
  process.exitCode = error instanceof CopyRefused ? 1 : 2;
}
