// The things a data folder has for life: the venue's id (`venue.json`, 16 hex digits of randomness), from which the
// journal's chain starts, the signing domains it has had (beside the id), and the admin token (`admin-token`, readable by the
// owner only). Id and token are made at the first start. A venue id is never made for a folder that already has a journal, or had one.
// `venue.json` carries a check of what it says: a flipped bit in the name of a domain would make sound signatures look forged.
//
// A domain is in force from its seq up to that of the next. It is on the disk before a command is sequenced under it, so an audit
// knows of each signature by which domain it was taken. A folder of an older version names none for what it had then, and has no check
// until it is started.

import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { JournalRefusal } from './journal-errors.ts';
import { DISK, FILE_MODE, makeFolder, writeTextAtomically, type Files } from './files.ts';
import { listSegments } from './segment.ts';
import { listSnapshots } from './snapshot-read.ts';
import { refuseSymbolicLink } from './writable-check.ts';

const VENUE_FILE = 'venue.json';
const TOKEN_FILE = 'admin-token';
const TOKEN_BYTES = 32;
/** What an admin token may be: printable, without blanks. */
export const ADMIN_TOKEN = /^[\x21-\x7e]{16,256}$/;
const MEMBERS = new Set(['venue_id', 'domains', 'check']);

/** `fromSeq`: of the first command that may be signed in it. */
export type SigningDomain = { readonly fromSeq: number; readonly name: string; readonly chainId: number };
type VenueFile = { readonly id: string; readonly domains: readonly SigningDomain[] };

/** The venue id of the folder, made and stored at the first call. */
export function venueId(dataFolder: string, files: Files = DISK): string {
  makeFolder(dataFolder);
  const file = readVenue(dataFolder);
  if (file !== null) return file.id;
  if (listSegments(dataFolder).length > 0 || listSnapshots(dataFolder).length > 0) {
    throw new JournalRefusal('file', `${VENUE_FILE} is missing in ${dataFolder}, which has or had a journal: bring it back from a copy`);
  }
  const id = randomBytes(8).toString('hex');
  writeTextAtomically(files, join(dataFolder, VENUE_FILE), textOf({ id, domains: [] }));
  return id;
}

/** What the folder says of itself; null where it has no such file. Throws JournalRefusal. */
export function readVenue(dataFolder: string): VenueFile | null {
  const path = join(dataFolder, VENUE_FILE);
  return fs.existsSync(path) ? parseVenue(readOwn(path)) : null;
}

/**
 * From now on the folder names `domain` for its seqs on; durable when it returns. Returns the one that it ends, null when nothing
 * changes or none was named. What was named for these seqs by a start that sequenced nothing, or for commands that are lost, goes.
 */
export function recordSigningDomain(dataFolder: string, domain: SigningDomain, files: Files = DISK): SigningDomain | null {
  const { id, domains } = readVenue(dataFolder)!;
  const earlier = domains.filter(({ fromSeq }) => fromSeq < domain.fromSeq);
  const last = earlier.at(-1) ?? null;
  const isSame = last !== null && last.name === domain.name && last.chainId === domain.chainId;
  const path = join(dataFolder, VENUE_FILE);
  const text = textOf({ id, domains: isSame ? earlier : [...earlier, domain] });
  if (text !== readOwn(path)) writeTextAtomically(files, path, text);
  return isSame ? null : last;
}

function textOf({ id, domains }: VenueFile): string {
  const named = domains.map(({ fromSeq, name, chainId }) => ({ from_seq: fromSeq, name, chain_id: chainId }));
  const body = { venue_id: id, ...(named.length > 0 && { domains: named }) };
  return `${JSON.stringify({ ...body, check: checkOf(body) })}\n`;
}

function checkOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}

/** The admin token of the folder, made and stored at the first call. A token file that others can read is closed to them. */
export function adminToken(dataFolder: string, files: Files = DISK): string {
  makeFolder(dataFolder);
  const path = join(dataFolder, TOKEN_FILE);
  refuseSymbolicLink(path);
  if (!fs.existsSync(path)) {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    writeTextAtomically(files, path, `${token}\n`);
    return token;
  }
  if ((fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, FILE_MODE);
  const token = readOwn(path).trim();
  if (!ADMIN_TOKEN.test(token)) {
    const rule = 'no token of 16 to 256 printable characters without blanks';
    throw new JournalRefusal('file', `${TOKEN_FILE} in ${dataFolder} holds ${rule}: remove it to have one made`);
  }
  return token;
}

/** The runtime does not name the file when the reading itself fails. */
function readOwn(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    throw new JournalRefusal('unusable', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function parseVenue(text: string): VenueFile {
  const file = parseJson(text) as { readonly venue_id?: unknown; readonly domains?: unknown; readonly check?: unknown } | null;
  const { check, ...body } = file ?? {};
  const id = body.venue_id;
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) throw notWhole('no venue id of 16 hex digits');
  const domains = parseDomains(body.domains ?? []);
  if (domains === null) throw notWhole('signing domains that are none');
  // A damaged name of a member must not pass for a file of an older version, which had fewer of them.
  const isWhole = Object.keys(file!).every((member) => MEMBERS.has(member)) && (check === undefined || check === checkOf(body));
  if (!isWhole) throw notWhole('what is not as it was written');
  return { id, domains };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function notWhole(what: string): JournalRefusal {
  return new JournalRefusal('file', `${VENUE_FILE} holds ${what}: bring it back from a copy`);
}

/** Ascending by seq; null for what is no list of domains. */
function parseDomains(given: unknown): readonly SigningDomain[] | null {
  if (!Array.isArray(given)) return null;
  const domains: SigningDomain[] = [];
  for (const one of given as ({ from_seq?: unknown; name?: unknown; chain_id?: unknown } | null)[]) {
    const [fromSeq, name, chainId] = [Number(one?.from_seq), one?.name, Number(one?.chain_id)];
    if (typeof name !== 'string' || !Number.isSafeInteger(chainId) || chainId < 1) return null;
    if (!Number.isSafeInteger(fromSeq) || fromSeq <= (domains.at(-1)?.fromSeq ?? 0)) return null;
    domains.push({ fromSeq, name, chainId });
  }
  return domains;
}
