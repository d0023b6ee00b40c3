// The tables of docs/spec that repeat a table of the code are that table: signed structures, error codes, limits of tiers, channels.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULT_LIMITS, UNLIMITED } from '../../core/tiers.ts';
import { membersOf, STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';
import { STATUS } from '../../shell/http/shapes/error-codes.ts';
import { CHANNELS, type Channel } from '../../shell/ipc/channels.ts';
import { TIERS } from '../../shell/ipc/enum-names.ts';

/** Rows of the table that follows a heading, cell by cell, without its head. */
function rowsUnder(page: string, heading: string, head: string): readonly (readonly string[])[] {
  const text = readFileSync(new URL(`../../docs/spec/${page}`, import.meta.url), 'utf8');
  const from = text.indexOf(`| ${head} |`, text.indexOf(`${heading}\n`));
  assert.ok(from > 0, `${page} has no table "${head}" under "${heading}"`);
  const table = text.slice(from).split('\n\n')[0]!.split('\n').slice(2);
  return table.map((line) => line.slice(2, -2).split(' | '));
}

test('wire.md 3.2: the signed structures, member by member', () => {
  const rows = rowsUnder('wire.md', '### 3.2 Structures', 'Structure | Members in order | Signed by');
  const written = rows.map(([name, members]) => [name!.split(' ')[0]!, members!]);
  const kept = Object.keys(STRUCTURES).map((name) => [name, membersOf(name as StructureName).map((member) => member.name).join(', ')]);
  assert.deepEqual(Object.fromEntries(written), Object.fromEntries(kept));
});

test('interface.md, "Errors": every code with its status', () => {
  const rows = rowsUnder('interface.md', '## Errors', 'Code | Status | Meaning');
  const written = rows.flatMap(([codes, status]) => codes!.split(', ').map((code) => [code.replaceAll('`', ''), Number(status)] as const));
  assert.deepEqual(Object.fromEntries(written), STATUS);
});

test('interface.md, "Rate limiting": the limits of each tier', () => {
  const head = 'Tier | Placements | Cancellations | Other requests | Open orders | Positions';
  const rows = rowsUnder('interface.md', '## Rate limiting', head);
  const number = (text: string): number => (text === 'unlimited' ? UNLIMITED : Number(text.replace(',', '')));
  assert.deepEqual(rows.map(([tier]) => tier!.replaceAll('`', '')), TIERS);
  assert.deepEqual(rows.map(([, ...limits]) => limits.map(number)), DEFAULT_LIMITS.map((limits) => (
    [limits.orders, limits.cancels, limits.requests, limits.openOrders, limits.positions]
  )));
});

test('wire.md 4.3: every channel, and which are private', () => {
  const rows = rowsUnder('wire.md', '### 4.3 Channels', 'Channel | Private | Holds');
  const written = rows.map(([name, isPrivate]) => [/^`([a-z_]+)/.exec(name!)![1]!, isPrivate!.trim() === 'yes']);
  const kept = CHANNELS.map((channel: Channel) => [channel.name, channel.key === 'wallet']);
  assert.deepEqual(Object.fromEntries(written), Object.fromEntries(kept));
});
