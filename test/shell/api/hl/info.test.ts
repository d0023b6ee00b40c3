// What POST /hl/info makes of the reader's answers, where the published clients of test/clients do not ask for it.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { INFO_TYPES } from '../../../../shell/api/hl-info/types.ts';

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
