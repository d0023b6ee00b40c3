// What a data folder keeps for life. `venue.json` has the venue id (16 random hex digits), which begins the hash chain, and the signing
// domains. A folder that has or had a journal never gets a new venue id. A domain is on disk before a command is sequenced under it, so
// an audit knows each signature's domain.

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
const SEED_FILE = 'demo-seed';
const SECRET_BYTES = 32;
export const ADMIN_TOKEN = /^[\x21-\x7e]{16,256}$/;
const MEMBERS = new Set(['venue_id', 'domains', 'check']);

export type SigningDomain = { readonly fromSeq: number; readonly name: string; readonly chainId: number };
type VenueFile = { readonly id: string; readonly domains: readonly SigningDomain[] };

export function venueId(dataFolder: string, files: Files = DISK): string {
  makeFolder(dataFolder);
  const file = readVenue(dataFolder);
  if (file !== null) return file.id;
  if (listSegments(dataFolder).length > 0 || listSnapshots(dataFolder).length > 0) {
    throw new JournalRefusal('file', `${VENUE_FILE} is missing in ${dataFolder}, which has or had a journal: restore it from a backup`);
  }
  const id = randomBytes(8).toString('hex');
  writeTextAtomically(files, join(dataFolder, VENUE_FILE), textOf({ id, domains: [] }));
  return id;
}

/** A new folder becomes one of venue `id`. Throws JournalRefusal if it is of another. */
export function adoptVenue(dataFolder: string, id: string): void {
  makeFolder(dataFolder);
  const found = readVenue(dataFolder)?.id;
  if (found === id) return;
  if (found !== undefined) throw new JournalRefusal('other_venue', `${dataFolder} is of venue ${found}, not of ${id}`);
  writeTextAtomically(DISK, join(dataFolder, VENUE_FILE), textOf({ id, domains: [] }));
}

export function venueFileText(dataFolder: string): string {
  return readText(join(dataFolder, VENUE_FILE));
}

export function writeVenueFile(dataFolder: string, text: string): void {
  parseVenue(text);
  writeTextAtomically(DISK, join(dataFolder, VENUE_FILE), text);
}

export function readVenue(dataFolder: string): VenueFile | null {
  const path = join(dataFolder, VENUE_FILE);
  return fs.existsSync(path) ? parseVenue(readText(path)) : null;
}

/** Durable when it returns. Removes entries at or after `domain.fromSeq`: their commands are lost or never existed. */
export function recordSigningDomain(dataFolder: string, domain: SigningDomain, files: Files = DISK): SigningDomain | null {
  const { id, domains } = readVenue(dataFolder)!;
  const earlier = domains.filter(({ fromSeq }) => fromSeq < domain.fromSeq);
  const last = earlier.at(-1) ?? null;
  const isSame = last !== null && last.name === domain.name && last.chainId === domain.chainId;
  const path = join(dataFolder, VENUE_FILE);
  const text = textOf({ id, domains: isSame ? earlier : [...earlier, domain] });
  if (text !== readText(path)) writeTextAtomically(files, path, text);
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

export function adminToken(dataFolder: string, files: Files = DISK): string {
  return secretOf(dataFolder, TOKEN_FILE, files);
}

export function demoSeed(dataFolder: string, files: Files = DISK): string {
  return secretOf(dataFolder, SEED_FILE, files);
}

function secretOf(dataFolder: string, file: string, files: Files): string {
  makeFolder(dataFolder);
  const path = join(dataFolder, file);
  refuseSymbolicLink(path);
  if (!fs.existsSync(path)) {
    const token = randomBytes(SECRET_BYTES).toString('hex');
    writeTextAtomically(files, path, `${token}\n`);
    return token;
  }
  if ((fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, FILE_MODE);
  const token = readText(path).trim();
  if (!ADMIN_TOKEN.test(token)) {
    const rule = '16 to 256 printable characters without spaces';
    throw new JournalRefusal('file', `${file} in ${dataFolder} holds no token of ${rule}: remove it, and the next start makes one`);
  }
  return token;
}

/** Node does not name the file if the read itself fails. */
function readText(path: string): string {
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
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) throw damagedFile('holds no venue id of 16 hex digits');
  const domains = parseDomains(body.domains ?? []);
  if (domains === null) throw damagedFile('holds invalid signing domains');
  // An older version's file has fewer fields, never unknown ones.
  const isWhole = Object.keys(file!).every((member) => MEMBERS.has(member)) && (check === undefined || check === checkOf(body));
  if (!isWhole) throw damagedFile('is not as it was written');
  return { id, domains };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function damagedFile(fault: string): JournalRefusal {
  return new JournalRefusal('file', `${VENUE_FILE} ${fault}: restore it from a backup`);
}

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
