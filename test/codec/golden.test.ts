// The bytes of one record of each kind, as hex: a change of any layout fails here and asks for a new CODEC. Written by
// the test writer with the offsets of core/codec; numbers chosen so that every field shows.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as K from '../../core/codec/commands.ts';
import { stampRecord } from '../../core/codec/record.ts';
import { CODEC } from '../../core/version.ts';
import { RecordWriter } from '../support/records.ts';
import GOLDEN from './golden.json' with { type: 'json' };

const contract = { underlying: 'BTC', expiry: 1_767_600_000_000, strike: 100_000_000_000, kind: K.CALL };

function records(): Record<string, string> {
  const write = new RecordWriter();
  const all: Record<string, string> = {};
  const keep = (name: string): void => {
    stampRecord(write.views, 0, 2 ** 32 + 7, 1_767_571_200_123);
    all[name] = Buffer.from(write.views.u8.subarray(0, write.views.u32[0])).toString('hex');
  };
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
  write.agent('approve', 1, 2 ** 53 - 1, 9, 1_800_000_000_000, K.FLAG_WALLET_NAMED);
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
  return all;
}

test('codec: the bytes of a record of each kind are those of this CODEC', () => {
  assert.equal(GOLDEN.codec, CODEC, 'the golden bytes belong to another CODEC');
  assert.deepEqual(records(), GOLDEN.records);
});

test('codec: every kind of record has golden bytes', () => {
  const kinds = new Set(Object.values(GOLDEN.records).map((hex) => Buffer.from(hex, 'hex').readUInt16LE(4)));
  const known = [K.CONFIGURE, K.ADD_UNDERLYING, K.INDEX_PRICE, K.TICK, K.CONTINUE, K.QUARANTINE, K.SET_TIER, K.APPROVE_AGENT,
    K.REVOKE_AGENT, K.PLACE_ORDER, K.CANCEL_ORDER, K.CANCEL_BY_CLIENT_ID];
  assert.deepEqual([...kinds].sort((a, b) => a - b), known);
});
