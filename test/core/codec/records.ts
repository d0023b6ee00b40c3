// One record of each kind, written by the test writer: signed commands by their rows in the table, orders also by the offsets that
// the core reads. The numbers are chosen so that every field is visible.
// `node test/core/codec/records.ts --write` writes the golden bytes of the present CODEC.

import { writeFileSync } from 'node:fs';
import * as K from '../../../core/codec/commands.ts';
import { SIGNED_COMMANDS, type CommandName, type Field, type FieldValue } from '../../../core/codec/signed-commands.ts';
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
  keepSigned(write, keep);
  keepOrders(write, keep);
  keepVenue(write, keep);
  return all;
}

function keepSigned(write: RecordWriter, keep: Keep): void {
  for (const [name, { fields }] of Object.entries(SIGNED_COMMANDS)) {
    const values = Object.fromEntries(fields.map((field: Field, place) => [field.name, sampleOf(field, place)]));
    write.signed(name as CommandName, { wallet: 1, nonce: 2 ** 33 + 1, signer: 4 }, values);
    keep(name);
  }
  write.tier(1, 2);
  keep('SET_TIER by token');
}

function sampleOf({ type, bytes }: Field, place: number): FieldValue {
  switch (type) {
    case 'u8': return 0x81 + place;
    case 'u32': case 'choice': return 0x8182_8300 + place;
    case 'f64': return 1_234_567.5 + place;
    case 'address': return Uint8Array.from({ length: bytes }, (_, i) => 0xa0 + i);
    case 'text': return `ü${'x'.repeat(bytes - 6)}`;
    case 'ids': return [1, 2 ** 40 + 3, Number.MAX_SAFE_INTEGER];
    case 'u64': case 'name': case 'connection': return { lo: 0x8182_8384, hi: 0x9192_9300 + place };
  }
}

function keepOrders(write: RecordWriter, keep: Keep): void {
  write.place({
    ...contract, wallet: 1, signer: 4, nonce: 2 ** 33 + 1, side: 1, price: 1_234_500_000, size: 7_654_321, tif: 2, flags: 3,
    clientId: 'grüße-1', code: 6, source: 0xfedcba98,
  });
  keep('PLACE_ORDER by the offsets of the core');
  write.replace({ ...contract, wallet: 1, nonce: 15, side: 0, price: 1_234_500_000, size: 7, flags: K.FLAG_REDUCE_ONLY }, 2 ** 32 + 98);
  keep('REPLACE_ORDER by the offsets of the core');
}

function keepVenue(write: RecordWriter, keep: Keep): void {
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
  write.settlementPrice(1, 1_767_600_000_000, 98_765_432_101);
  keep('SETTLEMENT_PRICE');
  write.surface(1, 1_767_600_000_000, 612_345, -98_765, 76_543);
  keep('SET_SURFACE');
  write.credit(1, -1_234_567_890, 'ticket-17', 'a wrong settlement, put right');
  keep('CREDIT');
  write.presence(K.DISCONNECTED, 7, [0x89abcdef, 0x01234567]);
  keep('DISCONNECTED');
  write.presence(K.RECONNECTED, 7);
  keep('RECONNECTED');
  write.market(K.LIST_MARKET, 1, 1_767_600_000_000, 100_000_000_000, K.CALL);
  keep('LIST_MARKET');
  write.market(K.DELETE_MARKET, 1, 1_767_600_000_000, 100_000_000_000, K.PUT);
  keep('DELETE_MARKET');
  write.competition(1_767_571_200_000, 1_767_600_000_000, 5, 2, ['März-Cup', 'Who wins', '', 'No rules']);
  keep('CREATE_COMPETITION');
  write.tradingMode(2, 1, { expiry: 1_767_600_000_000, strike: 100_000_000_000, kind: K.CALL });
  keep('SET_TRADING_MODE');
  write.walletMode(7, 2);
  keep('SET_WALLET_MODE');
  write.cancelWallet(7);
  keep('CANCEL_WALLET');
}

if (process.argv.includes('--write')) {
  writeFileSync(new URL('golden.json', import.meta.url), `${JSON.stringify({ codec: CODEC, records: records() }, null, 2)}\n`);
}
