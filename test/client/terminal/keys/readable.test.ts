// What the page shows of what is signed: every member of every structure, in its order, with the domain.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { membersOf, STRUCTURES, type StructureName } from '../../../../core/codec/signed-commands.ts';
import { domainOf, typedDataOf, type StructureMessage } from '../../../../client/src/typed-data.ts';
import { Forms } from '../../../../client/src/main.ts';
import { readable } from '../../../../client/terminal/keys/readable.ts';

const DOMAIN = domainOf('venue', 998);
const SAMPLES = {
  address: `0x${'ab'.repeat(20)}`, bytes32: `0x${'cd'.repeat(32)}`, string: 'text-7', bool: true, uint64: 1_900_000_000_123n,
};

test('every member of every structure has a line with its value, under a label of its own', () => {
  for (const structure of Object.keys(STRUCTURES) as StructureName[]) {
    const members = membersOf(structure);
    const message = Object.fromEntries(members.map(({ name, type }) => [name, SAMPLES[type]]));
    const { lines, title } = readable(typedDataOf(DOMAIN, structure, message as StructureMessage<typeof structure>));
    assert.match(title, /^[A-Z][a-z]/);
    assert.equal(lines.length, members.length + 1, structure);
    assert.equal(new Set(lines.map(({ label }) => label)).size, lines.length, structure);
    members.forEach(({ name, type }, at) => {
      const { value } = lines[at]!;
      if (type === 'bool') assert.equal(value, 'yes');
      else if (type !== 'uint64') assert.equal(value, SAMPLES[type]);
      else assert.ok(value.includes('1900000000123') || value === '2030-03-17 17:46:40.123 UTC', `${structure}.${name}: ${value}`);
    });
    assert.deepEqual(lines.at(-1), { label: 'Signed for', value: 'venue version 1, chain 998' });
  }
});

test('an approval names the agent and when it ends, in words', () => {
  const facts = { chain_id: 998, signing_domain: { name: 'venue', version: '1' }, perp_source: 'b', perp_assets: [] };
  const forms = new Forms(facts, SAMPLES.address);
  const shown = readable(forms.approveAgent(SAMPLES.address, 1_800_000_000_000, 9).items[0]!.data);
  assert.equal(shown.title, 'Approve an agent key');
  assert.deepEqual(shown.lines.slice(0, 3), [
    { label: 'Agent', value: SAMPLES.address }, { label: 'Expires at', value: '2027-01-15 08:00:00.000 UTC' },
    { label: 'Nonce', value: '9' },
  ]);
});

test('an absent time is never, an empty text is none, and a time beyond every date is shown as its number', () => {
  const value = (values: Readonly<Record<string, string>>, label: string): string | undefined => {
    const types = { X: Object.keys(values).map((name) => ({ name, type: 'string' })) };
    return readable({ domain: DOMAIN, types, primaryType: 'X', message: values }).lines.find((line) => line.label === label)?.value;
  };
  assert.equal(value({ expiresAt: '0' }, 'Expires at'), 'never');
  assert.equal(value({ clientId: '' }, 'Client id'), 'none');
  assert.equal(value({ validUntil: '18446744073709551615' }, 'Valid until'), '18446744073709551615 ms');
});
