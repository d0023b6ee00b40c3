// The generated modules of client/python say what the venue's descriptions say; and how schemas become types of Python.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { servedModules } from '../../scripts/docs/python.ts';
import { comment, pascal, python, PythonTypes, type Schema } from '../../scripts/docs/python-types.ts';

test('the generated modules of client/python are what `npm run docs` writes', async () => {
  const modules = await servedModules();
  assert.deepEqual([...modules.keys()].sort(), ['messages.py', 'reads.py', 'records.py', 'streams.py', 'tables.py']);
  for (const [name, text] of modules) {
    const written = readFileSync(new URL(`../../client/python/src/strikebook/${name}`, import.meta.url), 'utf8');
    assert.equal(written, text, `${name}: run \`npm run docs\``);
    for (const line of text.split('\n')) assert.ok(line.length <= 140 || /^ +['"\w]/.test(line), line);
  }
});

const of = (schema: Schema, field = ''): string => new PythonTypes({}).typeOf(schema, 'Name', field);
const DECIMAL = '^-?[0-9]+(\\.[0-9]+)?$';

test('amounts become Decimal, however they are sent', () => {
  assert.equal(of({ type: 'number' }), 'Decimal');
  assert.equal(of({ type: 'string', pattern: DECIMAL }), 'Decimal');
  assert.equal(of({ type: 'string', format: 'decimal' }), 'Decimal');
  assert.equal(of({ type: 'string' }, 'price'), 'Decimal');
  assert.equal(of({ type: ['string', 'null'], pattern: DECIMAL }), 'Decimal | None');
  assert.equal(of({ type: 'string' }, 'symbol'), 'str');
  assert.equal(of({ type: 'integer' }), 'int');
});

test('lists, fixed words, unions and free objects have their types', () => {
  assert.equal(of({ type: 'array', items: { type: 'integer' } }), 'tuple[int, ...]');
  assert.equal(of({ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }), 'tuple[Decimal, Decimal]');
  assert.equal(of({ type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }), 'tuple[Decimal, str]');
  assert.equal(of({ enum: [true, 'slide'] }), 'Literal[True, \'slide\']');
  assert.equal(of({ anyOf: [{ type: 'null' }, { const: 'a' }] }), 'Literal[\'a\'] | None');
  assert.equal(of({ type: 'object' }), 'dict[str, Any]');
  assert.equal(of({ type: 'object', additionalProperties: { type: 'number' } }), 'dict[str, Decimal]');
  assert.equal(of({}), 'Any');
});

test('equal objects share a class, forms of a union are called by what differs, and names never clash', () => {
  const id: Schema = { type: 'integer', description: 'Its number.' };
  const types = new PythonTypes({ Row: { type: 'object', properties: { id }, required: ['id'] } });
  const inner: Schema = { type: 'object', properties: { price: { type: 'string' } } };
  const form = (action: string): Schema => ({ type: 'object', properties: { type: { const: 'X' }, action: { const: action }, inner } });
  assert.equal(types.typeOf({ oneOf: [form('Upsert'), form('Remove')] }, 'X'), 'XUpsert | XRemove');
  assert.equal(types.typeOf({ $ref: '#/components/schemas/Row' }, ''), 'Row');
  assert.deepEqual(types.names, ['XUpsertInner', 'XUpsert', 'XRemove', 'Row']);
  assert.ok(types.text().includes('@record\nclass XUpsertInner:\n    price: Decimal | None = None\n'));
  assert.ok(types.text().includes('@record\nclass Row:\n    id: int  # Its number.\n'));
  assert.throws(() => types.typeOf({ type: 'object', properties: {} }, 'Row'), /two different records are called Row/);
  assert.throws(() => types.typeOf({ type: 'object', properties: { from: {} } }, 'Y'), /no name in Python/);
  assert.throws(() => types.typeOf({ $ref: '#/components/schemas/None' }, ''), /no schema is called None/);
  const other = new PythonTypes({}, types);
  assert.equal(other.typeOf({ $ref: '#/components/schemas/Row' }, ''), 'Row');
  assert.deepEqual(other.imported, ['Row']);
});

test('texts and long comments are written as Python reads them', () => {
  assert.equal(python(['a', null, true, 'it\'s \\']), '(\'a\', None, True, \'it\\\'s \\\\\',)');
  assert.equal(pascal('/profile/username-request'), 'ProfileUsernameRequest');
  const lines = comment('word '.repeat(60).trim(), '    ').trimEnd().split('\n');
  assert.equal(lines.length, 3);
  for (const line of lines) assert.ok(line.startsWith('    # word') && line.length <= 140);
});
