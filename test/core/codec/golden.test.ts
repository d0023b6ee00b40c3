// The bytes of one record of each kind, as hex: a change of any layout fails here and requires a new CODEC.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as K from '../../../core/codec/commands.ts';
import { SIGNED_COMMANDS } from '../../../core/codec/signed-commands.ts';
import { CODEC } from '../../../core/version.ts';
import GOLDEN from './golden.json' with { type: 'json' };
import { records } from './records.ts';

test('codec: the bytes of a record of each kind equal the golden bytes of this CODEC', () => {
  assert.equal(GOLDEN.codec, CODEC, 'the golden bytes belong to another CODEC');
  assert.deepEqual(records(), GOLDEN.records);
});

test('codec: every kind of record has golden bytes', () => {
  const kinds = new Set(Object.values(GOLDEN.records).map((hex) => Buffer.from(hex, 'hex').readUInt16LE(4)));
  const ofVenue = [K.CONFIGURE, K.ADD_UNDERLYING, K.INDEX_PRICE, K.TICK, K.CONTINUE, K.QUARANTINE, K.SETTLEMENT_PRICE, K.SET_SURFACE,
    K.CREATE_COMPETITION, K.LIST_MARKET, K.DELETE_MARKET, K.DISCONNECTED, K.RECONNECTED, K.CREDIT,
    K.SET_TRADING_MODE, K.SET_WALLET_MODE, K.CANCEL_WALLET];
  const known = [...ofVenue, ...Object.values(SIGNED_COMMANDS).map(({ kind }) => kind)];
  assert.deepEqual([...kinds].sort((a, b) => a - b), known.sort((a, b) => a - b));
});
