// The signing domains of a data folder: a start with another name or chain id reports it, and the audit checks each signature against the
// domain in force at its seq.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditFolder, Unsound } from '../../../scripts/audit/replay.ts';
import { createWallet, Http, signerFor } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { JournalRefusal } from '../../../shell/storage/journal/journal-errors.ts';
import { assertSound } from '../../support/audit.ts';
import { temporaryFolder, type Ends } from '../../support/temporary.ts';

const FLAGS = ['--feed', 'manual', '--workers', '1'];
const OTHER = ['--service-name', 'Other', '--chain-id', '1337'];

/** Starts a venue, opens an account by a signed action, stops it; what it said on standard error. */
async function signOnce(t: Ends, data: string, flags: readonly string[]): Promise<string> {
  const venue = await VenueProcess.start({ data, flags: [...FLAGS, ...flags] });
  t.after(() => venue.kill());
  await venue.ready();
  const http = new Http(venue.url);
  const { status, text } = await http.send((await signerFor(http)).setMarginMode(createWallet(), 'portfolio'));
  http.close();
  assert.equal(status, 200, text);
  const { code, err } = await venue.stop();
  assert.equal(code, 0, err);
  return err;
}

type Given = { readonly name?: string; readonly chainId?: number; readonly fromSnapshot?: boolean };

/** The domains by which the folder is sound, or what is wrong with it. */
function audit(data: string, { name, chainId, fromSnapshot = false }: Given = {}): readonly string[] | string {
  try {
    const { domains } = auditFolder({
      dataFolder: data, name: name ?? null, chainId: chainId ?? null, fromSnapshot, knownHead: null, onProgress: () => {},
    });
    return domains.map((one) => `${one.name} ${one.chainId}`);
  } catch (error) {
    assert.ok(error instanceof Unsound || error instanceof JournalRefusal, String(error));
    return error.message;
  }
}

type VenueFile = { venue_id: string; domains?: { from_seq: number; name: string; chain_id: number }[] };

/** Without the check, so that it may be changed as in a folder of an older version. */
function readVenueFile(path: string): VenueFile {
  const { check: _, ...body } = JSON.parse(readFileSync(path, 'utf8')) as VenueFile & { check: string };
  return body;
}

const root = temporaryFolder({ after });
/** The folder of a venue that ran once, under another name than by default. */
const ranOnce = join(root, 'once');
assert.equal(await signOnce({ after }, ranOnce, OTHER), '');

function copyOf(data: string, name: string): string {
  const copy = join(root, name);
  cpSync(data, copy, { recursive: true });
  return copy;
}

test('the audit of a folder with three signing domains checks each signature against the one in force at its seq', async (t) => {
  const data = copyOf(ranOnce, 'three');
  const file = join(data, 'venue.json');
  const read = (): VenueFile => readVenueFile(file);
  const line = /^strikebook: the signing domain is name "Strikebook", chainId 998 from seq [0-9]+ on, it was name "Other", [^\n]+\n$/;
  assert.match(await signOnce(t, data, []), line);
  assert.equal(await signOnce(t, data, []), '');
  await signOnce(t, data, OTHER);
  const { venue_id: id, domains } = read();
  const had = domains!.map(({ name, chain_id: chain }) => `${name} ${chain}`);
  assert.deepEqual(had, ['Other 1337', 'Strikebook 998', 'Other 1337']);
  assert.equal(domains![0]!.from_seq, 1);
  const verdict = assertSound(data, '--service-name', 'Ignored');
  assert.match(verdict, /domains "Other" 1337 from seq 1, "Strikebook" 998 from seq [0-9]+, "Other" 1337 from seq [0-9]+,/);
  assert.deepEqual(audit(data, { fromSnapshot: true }), had);
  assert.deepEqual(audit(copyOf(data, 'three-copied')), had);

  const judged = (change: (written: VenueFile) => object | string): string => {
    const sound = readFileSync(file, 'utf8');
    const changed = change(read());
    writeFileSync(file, typeof changed === 'string' ? changed : JSON.stringify(changed));
    try {
      return String(audit(data));
    } finally {
      writeFileSync(file, sound);
    }
  };
  const unsound = /^the digest is not that of the texts \(domain "[A-Z][a-z]+", chain [0-9]+\)$/;
  for (let gone = 0; gone < 3; gone++) {
    assert.match(judged((written) => ({ ...written, domains: written.domains!.toSpliced(gone, 1) })), unsound);
  }
  const shifted = judged((written) => ({ ...written, domains: written.domains!.map((one, at) => (
    at === 1 ? { ...one, from_seq: written.domains![2]!.from_seq - 1 } : one)) }));
  assert.match(shifted, unsound);
  const foreign = judged((written) => ({ ...written, venue_id: 'ffffffffffffffff' }));
  assert.equal(foreign, `venue.json is of venue ffffffffffffffff, the journal of ${id}`);
  const none = [[{ from_seq: 2, name: 'A' }], [...domains!].reverse(), {}, [null]];
  for (const bad of ['{', '{}', 'null', ...none.map((listed) => ({ venue_id: id, domains: listed }))]) {
    assert.match(judged(() => bad), /^venue\.json (holds|is not) [^\n]+: restore it from a backup$/);
  }
});

test('an audit of an older folder takes missing domain fields from the flags, else from the first domain in its venue.json', async (t) => {
  const data = copyOf(ranOnce, 'older');
  const file = join(data, 'venue.json');
  const { venue_id: id } = readVenueFile(file);
  writeFileSync(file, JSON.stringify({ venue_id: id }));
  const other = { name: 'Other', chainId: 1337 };
  const unsound = /^the digest is not that of the texts/;
  assert.match(String(audit(data)), unsound);
  assert.deepEqual(audit(data, other), ['Other 1337']);

  const changed = copyOf(data, 'changed');
  assert.equal(await signOnce(t, data, OTHER), '');
  assert.deepEqual(audit(data), ['Other 1337', 'Other 1337']);
  assert.deepEqual(audit(data, other), ['Other 1337', 'Other 1337']);
  assert.match(String(audit(data, { name: 'Strikebook' })), unsound);
  await signOnce(t, changed, []);
  assert.match(String(audit(changed)), unsound);
  assert.deepEqual(audit(changed, other), ['Other 1337', 'Strikebook 998']);
  rmSync(join(changed, 'venue.json'));
  assert.match(String(audit(changed, other)), unsound, 'nothing says that there was another');
});
