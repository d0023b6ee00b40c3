// One record of each kind, as the test writer makes it with the offsets of core/codec; numbers chosen so that every field
// shows. `node test/core/codec/records.ts --write` makes the golden bytes of the present CODEC.

import { writeFileSync } from 'node:fs';
import * as K from '../../../core/codec/commands.ts';
import { FLAG_WALLET_NAMED } from '../../../core/codec/signed-commands.ts';
import { stampRecord } from '../../../core/codec/record.ts';
import { CODEC } from '../../../core/version.ts';
import { RecordWriter } from '../../support/records.ts';

const contract = { underlying: 'BTC', expiry: 1_767_600_000_000, strike: 100_000_000_000, kind: K.CALL };

type Keep = (name: string) => void;

/** Name and hex of one record of each kind. */
export function records(): Record<string, string> {
  const write = new RecordWriter();
  const all: Record<string, string> = {};
  const keep = (name: string): void => {
    stampRecord(write.views, 0, 2 ** 32 + 7, 1_767_571_200_123);
    all[name] = Buffer.from(write.views.u8.subarray(0, write.views.u32[0])).toString('hex');
  };
  keepTrading(write, keep);
  keepRest(write, keep);
  return all;
}

function keepTrading(write: RecordWriter, keep: Keep): void {
  write.configure(Float64Array.of(1, 2.5, -3));
  keep('CONFIGURE');
  write.addUnderlying('WRAPPED8', 612_345);
  keep('ADD_UNDERLYING');
  write.index(3, 98_765_432_100, K.FLAG_INDEX_AGELESS | K.FLAG_INDEX_STALE, 543_210, -98_765, 76_543);
  keep('INDEX_PRICE');
  write.plain(K.TICK);
  keep('TICK');
  write.plain(K.CONTINUE);
  keep('CONTINUE');
  write.quarantine(2 ** 32 + 6);
  keep('QUARANTINE');
  write.signedTier(1, 3, 2, 2 ** 40 + 5);
  keep('SET_TIER signed');
  write.tier(1, 2);
  keep('SET_TIER by token');
  write.agent('approve', 1, 2 ** 53 - 1, 9, 1_800_000_000_000, FLAG_WALLET_NAMED);
  keep('APPROVE_AGENT');
  write.agent('revoke', 1, 12, 9);
  keep('REVOKE_AGENT');
  write.place({
    ...contract, wallet: 1, signer: 4, nonce: 2 ** 33 + 1, side: 1, price: 1_234_500_000, size: 7_654_321, tif: 2, flags: 3,
    clientId: 'grüße-1', code: 6, source: 0xfedcba98,
  });
  keep('PLACE_ORDER');
  write.cancel(1, 13, 2 ** 32 + 99);
  keep('CANCEL_ORDER');
  write.cancelByClientId(1, 14, 'x'.repeat(64));
  keep('CANCEL_BY_CLIENT_ID');
  write.replace({ ...contract, wallet: 1, nonce: 15, side: 0, price: 1_234_500_000, size: 7, flags: K.FLAG_REDUCE_ONLY }, 2 ** 32 + 98);
  keep('REPLACE_ORDER');
}

function keepRest(write: RecordWriter, keep: Keep): void {
  write.mmp(1, 16, 'ETH', { interval: 5_000, frozen: 60_000, quantity: 1_000_001, delta: 2_000_002, vega: -1 });
  keep('SET_MMP');
  write.endMmp(K.DELETE_MMP, 1, 17, 'BTC');
  keep('DELETE_MMP');
  write.endMmp(K.RESET_MMP, 1, 18, 'BTC');
  keep('RESET_MMP');
  write.marginMode(1, 19, 1);
  keep('SET_MARGIN_MODE');
  write.settlementPrice(1, 1_767_600_000_000, 98_765_432_101);
  keep('SETTLEMENT_PRICE');
  write.surface(1, 1_767_600_000_000, 612_345, -98_765, 76_543);
  keep('SET_SURFACE');
  write.cancelAll(1, 20);
  keep('CANCEL_ALL of the wallet');
  write.cancelAll(1, 21, { contract });
  keep('CANCEL_ALL of a contract');
  write.cancelAfter(1, 22, 86_400_000, 4);
  keep('CANCEL_AFTER');
  write.cancelOnDisconnect(1, 23, true, 5_000, [0x89abcdef, 0x01234567]);
  keep('SET_CANCEL_ON_DISCONNECT');
  write.presence(K.DISCONNECTED, 7, [0x89abcdef, 0x01234567]);
  keep('DISCONNECTED');
  write.presence(K.RECONNECTED, 7);
  keep('RECONNECTED');
  write.username(K.SET_USERNAME, 1, 22, 'Alice_of_the_9_lives');
  keep('SET_USERNAME');
  write.username(K.REQUEST_USERNAME, 1, 23, 'bob');
  keep('REQUEST_USERNAME');
  write.seePayouts(1, 24, [1, 2 ** 40 + 3, Number.MAX_SAFE_INTEGER]);
  keep('SEE_PAYOUTS');
  write.revokeAll(1, 25, FLAG_WALLET_NAMED);
  keep('REVOKE_ALL_AGENTS');
  write.voidNonces(1, 2 ** 40 + 26, 2 ** 40 + 5);
  keep('VOID_NONCES');
  write.market(K.LIST_MARKET, 1, 1_767_600_000_000, 100_000_000_000, K.CALL);
  keep('LIST_MARKET');
  write.market(K.DELETE_MARKET, 1, 1_767_600_000_000, 100_000_000_000, K.PUT);
  keep('DELETE_MARKET');
  write.competition(1_767_571_200_000, 1_767_600_000_000, 5, 2, ['März-Cup', 'Who wins', '', 'No rules']);
  keep('CREATE_COMPETITION');
}

if (process.argv.includes('--write')) {
  writeFileSync(new URL('golden.json', import.meta.url), `${JSON.stringify({ codec: CODEC, records: records() }, null, 2)}\n`);
}
