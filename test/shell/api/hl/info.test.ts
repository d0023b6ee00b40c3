// What POST /hl/info makes of the reader's answers, where the published clients of test/clients do not ask for it; and what the page says
// that is not there.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { INFO_TYPES } from '../../../../shell/api/hl-info/types.ts';
import { parseAction } from '../../../../shell/api/hl/action.ts';
import { channelOf } from '../../../../shell/ws/hl/channels.ts';
import { Harness } from '../harness.ts';

test('webData2 shows the agent without a name, and until when it may sign', () => {
  const portfolio = { positions: [], available_balance: '0', total_margin_used: '0' };
  const market = { time: 1, max_leverage: 10, maker_fee: 0, taker_fee: 0, perps: [] };
  const shown = (agents: readonly object[]): unknown[] => {
    const answers = [portfolio, market, { data: [] }, agents];
    const body = INFO_TYPES['webData2']!.body(answers, { user: '0x1' }, { underlyings: [], now: () => 1 });
    const { agentAddress, agentValidUntil } = body as { agentAddress: unknown; agentValidUntil: unknown };
    return [agentAddress, agentValidUntil];
  };
  const named = { address: '0xb', name: 'bot', expires: 0 };
  assert.deepEqual(shown([named]), [null, null]);
  assert.deepEqual(shown([named, { address: '0xa', name: '', expires: 0 }]), ['0xa', null]);
  assert.deepEqual(shown([named, { address: '0xa', name: '', expires: 9 }]), ['0xa', 9]);
});

/** Names in the row of the page's last table. */
function absent(row: string): readonly string[] {
  const [, section] = readFileSync('docs/HYPERLIQUID.md', 'utf8').split('## What stays away');
  const line = section!.split('\n').find((one) => one.startsWith(`| ${row} | `));
  return [...line!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
}

test('what the page says is not here is refused by its name', async (t) => {
  const venue = new Harness();
  t.after(() => venue.close());
  for (const type of absent('Actions')) {
    const parsed = parseAction({ type }, () => 'BTC', '1');
    assert.ok(!parsed.ok && parsed.message === `Unsupported action: ${type}`, type);
  }
  for (const type of [...absent('Reads'), 'toString']) {
    const answer = await fetch(`${venue.url}/hl/info`, { method: 'POST', body: JSON.stringify({ type }) });
    const text = `Failed to deserialize the JSON body into the target type: there is no ${type} here`;
    assert.deepEqual([answer.status, await answer.text()], [422, text]);
  }
  for (const type of absent('Channels')) assert.equal(channelOf({ type, user: '0x1' }), null, type);
  assert.ok(['Actions', 'Reads', 'Channels'].every((row) => absent(row).length > 5));
  assert.deepEqual(venue.asked, []);
});
