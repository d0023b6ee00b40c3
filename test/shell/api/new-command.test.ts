// Adding a command takes one row in the table of signed commands, here in this process's copy. A client signs it, the api thread records
// it, a journal keeps it, the core reads it, the audit derives it and the description shows it. As long as this passes, what
// docs/ARCHITECTURE.md says of adding a command is true.

import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CANCELS, SIGNED_COMMANDS, STRUCTURES, type SignedCommand, type StructureName } from '../../../core/codec/signed-commands.ts';
import type { Views } from '../../../core/codec/record.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const KIND = 99;
const TOO_LONG = 901;
const NO_MOOD = 902;
const TIME = Date.UTC(2026, 0, 5);
const NAME = 'SetNote' as StructureName;
const ROW: SignedCommand = {
  kind: KIND, rate: CANCELS, signed: [NAME],
  fields: [
    { name: 'note', type: 'text', bytes: 4 + 11, align: 4, code: TOO_LONG },
    { name: 'pinned', type: 'u8', bytes: 1, align: 1 },
    { name: 'mood', type: 'choice', bytes: 4, align: 4, words: ['calm', 'bold'], code: NO_MOOD },
    { name: 'graceMs', type: 'f64', bytes: 8, align: 8 },
    { name: 'level', type: 'u64', bytes: 8, align: 8 },
    { name: 'friend', type: 'address', bytes: 20, align: 4 },
  ],
};
const TYPE = 'SetNote(address wallet,string note,string mood,bool pinned,uint64 graceMs,uint64 level,address friend,uint64 nonce)';
Object.assign(SIGNED_COMMANDS, { SET_NOTE: ROW });
Object.assign(STRUCTURES, { [NAME]: TYPE });

// Everything else is made from the table when it is loaded, so it is loaded now.
const { fieldsOf, proofOffset, readSafe } = await import('../../../core/codec/commands.ts');
const { readFields } = await import('../../../core/codec/fields.ts');
const { stampRecord, viewsOf } = await import('../../../core/codec/record.ts');
const { rateClassOf } = await import('../../../core/sequencer/rate-budgets.ts');
const { BEHAVIOUR, CODEC } = await import('../../../core/version.ts');
const { privateKeySigner, createPrivateKey } = await import('../../../client/src/main.ts');
const { domainOf, typedDataOf } = await import('../../../client/src/typed-data.ts');
const { createHasher } = await import('../../../shell/api/auth/eip712.ts');
const { loadBackend } = await import('../../../shell/api/auth/recover-signer.ts');
const { measureCommand, writeCommand } = await import('../../../shell/api/command.ts');
const { deriveFields } = await import('../../../shell/api/derive-fields.ts');
const { textsOf } = await import('../../../shell/api/proof-texts.ts');
const { commandRow } = await import('../../../shell/api/routes/signed.ts');
const { verifyRecord } = await import('../../../shell/api/verify-record.ts');
const { messageOf } = await import('../../../shell/describe/signing.ts');
const { openApi } = await import('../../../shell/describe/openapi.ts');
const { parseHex } = await import('../../../shell/http/hex.ts');
const { route } = await import('../../../shell/http/router.ts');
const { readConfig } = await import('../../../shell/process/config.ts');
const { JournalWriter } = await import('../../../shell/storage/journal/writer.ts');
const { readFrames } = await import('../../../shell/storage/journal/read.ts');

const hasher = createHasher('Strikebook', 998);
const judge = { hasher, backend: loadBackend(), assetOf: () => -1 };
const signer = privateKeySigner(createPrivateKey());
const FRIEND = `0x${'5f'.repeat(20)}`;
const BODY = {
  wallet: signer.address, note: 'grüße', mood: 'bold', pinned: true, grace_ms: 5_000, level: 2 ** 40 + 7, friend: FRIEND,
  nonce: 2 ** 33 + 5,
};

function bytesOf(hex: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  assert.ok(parseHex(hex, bytes));
  return bytes;
}

/** The signature that a client makes of the body. */
function signatureOf(): Promise<string> {
  const { grace_ms: graceMs, level, nonce, ...texts } = BODY;
  const message = { ...texts, graceMs: BigInt(graceMs), level: BigInt(level), nonce: BigInt(nonce) };
  return signer.signTypedData(typedDataOf(domainOf('Strikebook', 998), NAME, message as never));
}

/** The record that the api thread makes of the body: who signed is what the signature says. */
async function recordOf(): Promise<Uint8Array> {
  const values = messageOf(NAME, BODY) as never as { readonly wallet: Uint8Array; readonly nonce: { lo: number; hi: number } };
  const signature = bytesOf(await signatureOf(), 65);
  const [digest, recovered] = [new Uint8Array(32), new Uint8Array(20)];
  hasher.digest(NAME, values as never, digest);
  assert.ok(judge.backend.recover(digest, signature, recovered));
  const signed = {
    structure: NAME, texts: textsOf(NAME, values as never), nonce: values.nonce, signature, digest, structHash: hasher.structHash.slice(),
    signer: recovered,
  };
  const source = { network: '', digest: 0, loopback: true };
  const command = { kind: KIND, wallet: values.wallet, signed, source, ...deriveFields(KIND, NAME, values as never) };
  const bytes = measureCommand(command);
  const views = viewsOf(new ArrayBuffer(bytes));
  writeCommand(views, 0, bytes, command, 1, 1);
  stampRecord(views, 0, 1, TIME);
  return views.u8;
}

/** The record after a journal has kept it. */
async function journaled(): Promise<Views> {
  const dataFolder = join(temporaryFolder({ after }), 'data');
  const made = { venue: '00c0ffee00c0ffee', behaviour: BEHAVIOUR, codec: CODEC, durability: 'normal', time: TIME } as const;
  const writer = JournalWriter.open({ dataFolder, ...made });
  writer.append(await recordOf(), 1, 1);
  writer.close();
  const [frame] = [...readFrames(dataFolder, 1)];
  return viewsOf(frame!.bytes.slice().buffer);
}

test('a new command: the client signs it, a journal keeps it, and the audit derives the same record', async () => {
  const views = await journaled();
  assert.equal(verifyRecord(views, 0, judge), null);
  for (let byte = 40; byte < views.u8.length; byte++) {
    views.u8[byte] = views.u8[byte]! ^ 1;
    assert.notEqual(verifyRecord(views, 0, judge), null, `byte ${byte}`);
    views.u8[byte] = views.u8[byte]! ^ 1;
  }
  assert.match(verifyRecord(views, 0, { ...judge, hasher: createHasher('Other', 998) })!, /digest/);
});

test('a new command: the core reads its fields at the places that its row gives', async () => {
  const views = await journaled();
  const offset = (name: string): number => fieldsOf(KIND).find((field) => field.name === name)!.offset;
  assert.deepEqual(fieldsOf(KIND).map(({ offset: at }) => at), [120, 135, 136, 144, 152, 160]);
  assert.equal(proofOffset(KIND), 184);
  assert.equal(readSafe(views, offset('level') >>> 2), BODY.level);
  assert.equal(views.f64[offset('graceMs') >>> 3], 5_000);
  assert.deepEqual(readFields(views, 0, KIND), {
    note: 'grüße', pinned: 1, mood: 1, graceMs: 5_000, level: { lo: 7, hi: 256 }, friend: bytesOf(FRIEND, 20),
  });
});

test('a new command: it is charged as its row says, and its texts are checked', () => {
  assert.equal(rateClassOf(KIND), CANCELS);
  const values = messageOf(NAME, BODY) as never as Readonly<Record<string, unknown>>;
  assert.equal(deriveFields(KIND, NAME, { ...values, note: 'longer than it may' }).code, TOO_LONG);
  assert.equal(deriveFields(KIND, NAME, { ...values, mood: 'sad' }).code, NO_MOOD);
});

test('a new command: the interface description says what is signed and what is not', () => {
  const row = route({
    ...commandRow(KIND), method: 'POST', path: '/note', envelope: 'api', doc: 'Sets a note.', handler: () => undefined,
    body: {
      wallet: { kind: 'address' }, note: { kind: 'text', maxBytes: 11 }, mood: { kind: 'text', maxBytes: 4 }, pinned: { kind: 'boolean' },
      grace_ms: { kind: 'integer', min: 0, max: 1e6 }, level: { kind: 'uint64' }, friend: { kind: 'address' }, nonce: { kind: 'uint64' },
      signature: { kind: 'signature' }, colour: { kind: 'text', maxBytes: 4 },
    },
  });
  const config = readConfig([], {});
  assert.ok('serviceName' in config);
  const described = openApi([row], config, { symbol: 'BTC-20260131-100000-C', now: 0, feed: 'sim' }) as {
    readonly info: { readonly description: string };
    readonly paths: Readonly<Record<string, { readonly post: Readonly<Record<string, unknown>> & { readonly description: string } }>>;
  };
  const { post } = described.paths['/note']!;
  assert.deepEqual(post['x-signed-as'], [{ name: NAME, type: TYPE }]);
  assert.equal(post.description, `Counted as a cancel.\n\nSigned as \`${TYPE}\`.\n\nNot signed: \`colour\`.`);
  assert.ok(described.info.description.includes(`| ${NAME} | \`${TYPE}\` |`));
});

test('a new command: at most 12 files change, as docs/ARCHITECTURE.md lists them', () => {
  const page = readFileSync(new URL('../../../docs/ARCHITECTURE.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## How to add a signed command')).split('\n## ')[0]!;
  const files = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file]) => file!);
  assert.ok(files.length > 0 && files.length <= 12, String(files.length));
  for (const file of files) assert.ok(file.includes('<') || existsSync(new URL(`../../../${file}`, import.meta.url)), file);
});
