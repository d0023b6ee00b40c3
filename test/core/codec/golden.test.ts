// The bytes of one record of each kind, as hex: a change of any layout fails here and asks for a new CODEC.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as K from '../../../core/codec/commands.ts';
import { CODEC } from '../../../core/version.ts';
import GOLDEN from './golden.json' with { type: 'json' };
import { records } from './records.ts';

test('codec: the bytes of a record of each kind are those of this CODEC', () => {
  assert.equal(GOLDEN.codec, CODEC, 'the golden bytes belong to another CODEC');
  assert.deepEqual(records(), GOLDEN.records);
});

test('codec: every kind of record has golden bytes', () => {
  const kinds = new Set(Object.values(GOLDEN.records).map((hex) => Buffer.from(hex, 'hex').readUInt16LE(4)));
  const known = [K.CONFIGURE, K.ADD_UNDERLYING, K.INDEX_PRICE, K.TICK, K.CONTINUE, K.QUARANTINE, K.SET_TIER, K.APPROVE_AGENT,
    K.REVOKE_AGENT, K.PLACE_ORDER, K.CANCEL_ORDER, K.CANCEL_BY_CLIENT_ID, K.SET_MMP, K.DELETE_MMP, K.RESET_MMP, K.SET_MARGIN_MODE,
    K.REPLACE_ORDER, K.SETTLEMENT_PRICE, K.SET_SURFACE, K.CANCEL_ALL, K.SET_USERNAME, K.REQUEST_USERNAME, K.SEE_PAYOUTS,
    K.REVOKE_ALL_AGENTS, K.VOID_NONCES, K.LIST_MARKET, K.DELETE_MARKET, K.CREATE_COMPETITION, K.CANCEL_AFTER, K.SET_CANCEL_ON_DISCONNECT,
    K.DISCONNECTED, K.RECONNECTED];
  assert.deepEqual([...kinds].sort((a, b) => a - b), known.sort((a, b) => a - b));
});
