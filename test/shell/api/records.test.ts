// Command records as the api thread writes them, read back as the audit does: digest and fields derive from the signed texts, and no
// changed byte passes.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import {
  AMEND_ORDER, APPROVE_AGENT, BYTE_ORDER_FLAGS, CANCEL_AFTER, CANCEL_ALL, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, DELETE_MMP, DOUBLE_EXPIRY,
  DOUBLE_MMP_INTERVAL, DOUBLE_PRICE, DOUBLE_SIZE, DOUBLE_STRIKE, FLAG_BY_TOKEN, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, FLAG_RFQ_ONLY,
  PLACE_ORDER, proofOffset, REPLACE_ORDER, REQUEST_USERNAME, RESET_MMP, REVOKE_AGENT, REVOKE_ALL_AGENTS, SEE_PAYOUTS,
  SET_CANCEL_ON_DISCONNECT, SET_MARGIN_MODE, SET_MMP, SET_TIER, SET_USERNAME, VOID_NONCES, WORD_AGENT_FLAGS, WORD_DIGEST, WORD_UP_TO,
  WORD_WALLET,
} from '../../../core/codec/commands.ts';
import {
  BYTE_SUBNET, HEADER_BYTES, recordCode, stampRecord, viewsOf, WORD_BLOCK, WORD_SOURCE, type Views,
} from '../../../core/codec/record.ts';
import {
  INVALID_CONNECTION, INVALID_UP_TO, INVALID_USERNAME, OK, PERP_WITHOUT_UNDERLYING, SIZE_NOT_POSITIVE, SYMBOL_FORMAT,
} from '../../../core/errors.ts';
import { createTerms, packUnderlying, unpackUnderlying } from '../../../core/instruments/symbol.ts';
import { RECORD_BYTES } from '../../../core/limits.ts';
import { createHasher } from '../../../shell/api/auth/eip712.ts';
import { FLAG_WALLET_NAMED, membersOf, type Fields, type StructureName, type U64 } from '../../../core/codec/signed-commands.ts';
import { loadBackend } from '../../../shell/api/auth/recover-signer.ts';
import { toHex } from '../../../shell/http/hex.ts';
import { measureCommand, writeCommand, type Command } from '../../../shell/api/command.ts';
import { deriveFields } from '../../../shell/api/derive-fields.ts';
import { orderFields } from '../../../shell/api/order-fields.ts';
import { numberOfStructure, structureOfNumber, textsOf, valuesOf } from '../../../shell/api/proof-texts.ts';
import { mmpValues, orderValues, parseIds, scopeValues } from '../../../shell/api/values.ts';
import { TIERS } from '../../../shell/ipc/enum-names.ts';
import { digestOfRecord, verifyRecord, type VerifyContext } from '../../../shell/api/verify-record.ts';
import { bytesOf, u64Of, type Message } from './auth/samples.ts';
import { connectionIdOf, EXCHANGE, perpDigest } from './perps.ts';
import { ALL_STRUCTURES, digestOfMessage, DOMAIN, ethersSigner, type Signer } from './wallets.ts';

const hasher = createHasher(DOMAIN.name, DOMAIN.chainId);
const judge: VerifyContext = { hasher, backend: loadBackend(), assetOf: (low) => ASSETS.indexOf(unpackUnderlying(low, 0)) };
const ASSETS = ['BTC', 'ETH'];
const signer = ethersSigner(900);
const source = { network: '203.0.113.7', digest: 0xdeadbeef, loopback: false, block: { digest: 0xcafe, subnet: 0xfe } };
const ABOUT_AGENTS: readonly number[] = [APPROVE_AGENT, REVOKE_AGENT, REVOKE_ALL_AGENTS];
const AGENT = `0x${'ab'.repeat(20)}`;

/** What a perp order's signature covers: `message` has the texts of the order, its asset is that of the symbol. Of both sources. */
function agentMessage(message: Message, by: Signer): { source: string; connectionId: string } {
  const asset = ASSETS.indexOf((message['symbol'] as string).replace('-PERP', ''));
  const wallet = message['wallet'] as string;
  const terms = message as unknown as Parameters<typeof connectionIdOf>[1];
  return { source: by === signer ? 'b' : DOMAIN.name, connectionId: connectionIdOf(asset, terms, wallet === by.address ? null : wallet) };
}

function digestFor(structure: StructureName, message: Message, by: Signer): string {
  if (structure !== 'Agent') return digestOfMessage(structure, message);
  const { source, connectionId } = agentMessage(message, by);
  return perpDigest(source, connectionId);
}

/** A record of one command, signed by a client. */
function recordOf(
  kind: number, structure: StructureName, message: Message, fields: Command['fields'], code: number = OK, by: Signer = signer,
): Views {
  const digest = bytesOf(digestFor(structure, message, by));
  const signature = structure === 'Agent' ? by.sign('Agent', agentMessage(message, by), EXCHANGE) : by.sign(structure, message);
  const signed = {
    structure, texts: textsOf(structure, message), nonce: u64Of(message['nonce'] as bigint), signature: bytesOf(signature), digest,
    structHash: new Uint8Array(32), signer: bytesOf(by.address),
  };
  const isOwn = ABOUT_AGENTS.includes(kind);
  const wallet = bytesOf(isOwn ? by.address : message['wallet'] as string);
  const command = { kind, wallet, signed, source, code, fields };
  const bytes = measureCommand(command);
  const views = viewsOf(new ArrayBuffer(RECORD_BYTES + 64));
  views.u8.fill(0xee);
  writeCommand(views, 64, bytes, command, 3, 0xfffffff0);
  return views;
}

const orderMessage = {
  wallet: AGENT, symbol: 'BTC-30JAN26-100000.5-P', side: 'Sell', size: '0.1000001', price: '0100.50', tif: 'ioc', clientId: 'é-1',
  nonce: 2n ** 64n - 1n,
};
const placed = orderValues({ ...orderMessage });

const reduceMessage = { ...orderMessage, route: 'book_only', reduceOnly: true };
const replaceMessage = { ...orderMessage, orderId: '00123' };
const perpMessage = {
  wallet: AGENT, symbol: 'ETH-PERP', side: 'Buy', size: '0.1', price: '3000.0', tif: 'fok', clientId: `0x${'aB'.repeat(16)}`,
  reduceOnly: false, nonce: 2n ** 64n - 1n,
};
const perpPlaced = orderValues(perpMessage);
const extension = {
  postOnly: 'slide', expiresAt: 1_800_000_000_001, validUntil: 1_700_000_000_002, stp: 'cancel_both', triggerBy: '', triggerDirection: '',
  triggerPrice: '', linkId: 'pair_1-A',
};
const extendedMessage = { ...orderMessage, tif: 'gtc', ...extension, reduceOnly: true };
const extendedPlaced = orderValues({ ...extendedMessage });
const EXTENSION = {
  postOnly: 2, stp: 2, triggerBy: 0, triggerDirection: 0, expiresAt: 1_800_000_000_001, validUntil: 1_700_000_000_002, triggerPrice: 0,
  linkId: 'pair_1-A',
};
const waitingMessage = {
  ...perpMessage, ...extension, postOnly: '', expiresAt: 0, validUntil: 0, stp: '', triggerBy: 'theo', triggerDirection: 'below',
  triggerPrice: '02900.50', linkId: '',
};
const WAITING = { triggerBy: 2, triggerDirection: 2, triggerPrice: 2_900_500_000 };
const mmpMessage = {
  wallet: AGENT, currency: 'BTC', intervalMs: 60_000, frozenTimeMs: 0, qtyLimit: '10.50', deltaLimit: '', vegaLimit: '0', nonce: 5n,
};
const mmp = mmpValues(mmpMessage);
const PROTECTION: Fields<'SET_MMP'> = {
  currency: nameOf('BTC'), intervalMs: 60_000, frozenTimeMs: 0, qtyLimit: 10_500_000, deltaLimit: -1, vegaLimit: 0,
};

function nameOf(underlying: string): U64 {
  const terms = createTerms();
  packUnderlying(underlying, terms);
  return { lo: terms.underlyingLo, hi: terms.underlyingHi };
}

function ofScope(text: string): Fields<'CANCEL_ALL'> {
  const { scope, terms: { underlyingLo: lo, underlyingHi: hi, expiry, strike, kind } } = scopeValues(text);
  return { underlying: { lo, hi }, expiry, strike, scope, contractKind: kind };
}

type Sample = readonly [name: string, kind: number, structure: StructureName, message: Message, fields: Command['fields']];

const LONGEST = 'x'.repeat(64);
const WIDEST = 2n ** 64n - 1n;
const NAME = 'Alice_0123456789_bob';
const EXPIRES = 1_800_000_000_001;
/** As many payouts as one command may name, with the longest ids there are. */
const MANY = Array.from({ length: 100 }, (_, i) => Number.MAX_SAFE_INTEGER - i);

const SAMPLES: readonly Sample[] = [
  ['order', PLACE_ORDER, 'PlaceOrder', orderMessage, orderFields(placed, 'é-1', 0)],
  ['order without client id', PLACE_ORDER, 'PlaceOrder', { ...orderMessage, clientId: '' }, orderFields(placed, '', FLAG_MMP_OPT_OUT)],
  ['routed', PLACE_ORDER, 'PlaceOrderRouted', { ...orderMessage, route: 'book_only' }, orderFields(placed, 'é-1', 0)],
  ['rfq', PLACE_ORDER, 'PlaceOrderRouted', { ...orderMessage, route: 'rfq_only' }, orderFields(placed, 'é-1', FLAG_RFQ_ONLY)],
  ['extended', PLACE_ORDER, 'PlaceOrderExtended', extendedMessage, {
    ...orderFields(extendedPlaced, 'é-1', FLAG_REDUCE_ONLY | FLAG_MMP_OPT_OUT), ...EXTENSION,
  }],
  ['extended perp with a trigger', PLACE_ORDER, 'PlaceOrderExtended', waitingMessage, {
    ...orderFields(perpPlaced, perpMessage.clientId, 0), ...WAITING,
  }],
  ['extended replace', REPLACE_ORDER, 'ReplaceOrderExtended', { ...extendedMessage, orderId: '00123' }, {
    ...orderFields(extendedPlaced, 'é-1', FLAG_REDUCE_ONLY), ...EXTENSION, orderId: u64Of(123n),
  }],
  ['reduce-only', PLACE_ORDER, 'PlaceOrderReduceOnly', reduceMessage, orderFields(placed, 'é-1', FLAG_REDUCE_ONLY)],
  [
    'reduce-only rfq', PLACE_ORDER, 'PlaceOrderReduceOnly', { ...reduceMessage, route: 'rfq_only' },
    orderFields(placed, 'é-1', FLAG_REDUCE_ONLY | FLAG_RFQ_ONLY | FLAG_MMP_OPT_OUT),
  ],
  [
    'rfq of a perp', PLACE_ORDER, 'Agent', perpMessage, orderFields(perpPlaced, perpMessage.clientId, FLAG_RFQ_ONLY | FLAG_MMP_OPT_OUT),
  ],
  ['perp by an agent', PLACE_ORDER, 'Agent', perpMessage, orderFields(perpPlaced, perpMessage.clientId, 0)],
  [
    'perp by its wallet', PLACE_ORDER, 'Agent', { ...perpMessage, wallet: signer.address, clientId: '', reduceOnly: true },
    orderFields(perpPlaced, '', FLAG_REDUCE_ONLY),
  ],
  ['replace', REPLACE_ORDER, 'ReplaceOrder', replaceMessage, { ...orderFields(placed, 'é-1', 0), orderId: { lo: 123, hi: 0 } }],
  [
    'reduce-only replace', REPLACE_ORDER, 'ReplaceOrderReduceOnly', { ...replaceMessage, orderId: String(WIDEST), reduceOnly: true },
    { ...orderFields(placed, 'é-1', FLAG_REDUCE_ONLY), orderId: u64Of(WIDEST) },
  ],
  [
    'replace by a perp', REPLACE_ORDER, 'ReplaceOrder', { ...perpMessage, orderId: '1' },
    { ...orderFields(perpPlaced, perpMessage.clientId, 0), orderId: { lo: 1, hi: 0 } },
  ],
  ['margin mode', SET_MARGIN_MODE, 'SetMarginMode', { wallet: AGENT, marginMode: 'portfolio', nonce: 5n }, { marginMode: 1 }],
  ['mmp', SET_MMP, 'SetMmpConfig', mmpMessage, PROTECTION],
  ['mmp delete', DELETE_MMP, 'DeleteMmpConfig', { wallet: AGENT, currency: 'BTC', nonce: 5n }, { currency: nameOf('BTC') }],
  ['mmp reset', RESET_MMP, 'ResetMmp', { wallet: AGENT, currency: 'BTC', nonce: 5n }, { currency: nameOf('BTC') }],
  ['cancel', CANCEL_ORDER, 'CancelOrder', { wallet: AGENT, orderId: '007', nonce: 5n }, { orderId: { lo: 7, hi: 0 } }],
  ['wide cancel', CANCEL_ORDER, 'CancelOrder', { wallet: AGENT, orderId: String(WIDEST), nonce: 5n }, { orderId: u64Of(WIDEST) }],
  [
    'cloid', CANCEL_BY_CLIENT_ID, 'CancelOrderByClientId', { wallet: AGENT, clientId: LONGEST, nonce: 5n },
    { clientId: LONGEST },
  ],
  ['approve', APPROVE_AGENT, 'ApproveAgent', { agent: AGENT, nonce: 5n }, { agent: bytesOf(AGENT), flags: FLAG_WALLET_NAMED }],
  [
    'approve until', APPROVE_AGENT, 'ApproveAgentUntil', { agent: AGENT, expiresAt: EXPIRES, nonce: 5n },
    { agent: bytesOf(AGENT), flags: 0, expiresAt: u64Of(EXPIRES) },
  ],
  ['revoke', REVOKE_AGENT, 'RevokeAgent', { agent: AGENT, nonce: 5n }, { agent: bytesOf(AGENT) }],
  ['revoke all', REVOKE_ALL_AGENTS, 'RevokeAllAgents', { nonce: 5n }, { flags: FLAG_WALLET_NAMED }],
  ...['', 'BTC', 'BTC-30JAN26-100000.5-P', 'ETH-PERP'].map((scope): Sample => (
    [`cancel all of "${scope}"`, CANCEL_ALL, 'CancelAll', { wallet: AGENT, scope, nonce: 5n }, ofScope(scope)]
  )),
  [
    'amend', AMEND_ORDER, 'AmendOrder',
    { wallet: AGENT, orderId: '007', size: '1.50', price: '99.5', triggerPrice: '100', validUntil: EXPIRES, nonce: 5n },
    { orderId: u64Of(7), size: 1_500_000, price: 99_500_000, triggerPrice: 100_000_000, validUntil: EXPIRES },
  ],
  [
    'void nonces', VOID_NONCES, 'VoidNonces', { wallet: AGENT, upTo: (1n << 62n) + 3n, nonce: (1n << 62n) + 5n },
    { upTo: { lo: 3, hi: 1 << 30 } },
  ],
  ['a tier that is none', SET_TIER, 'SetUserTier', { wallet: AGENT, tier: 'gold', nonce: 5n }, { tier: -1 }],
  ['cancel after', CANCEL_AFTER, 'CancelAfter', { wallet: AGENT, timeoutMs: 86_400_000, nonce: 5n }, { timeoutMs: 86_400_000 }],
  ...['', '0123456789abcdef'].map((connection): Sample => [
    `cancel on disconnect of "${connection}"`, SET_CANCEL_ON_DISCONNECT, 'SetCancelOnDisconnect',
    { wallet: AGENT, enabled: connection !== '', graceMs: 5_000, connection, nonce: 5n },
    { enabled: Number(connection !== ''), graceMs: 5_000, connection: connection === '' ? u64Of(0) : { lo: 0x67452301, hi: 0xefcdab89 } },
  ]),
  ['username', SET_USERNAME, 'SetUsername', { wallet: AGENT, username: NAME, nonce: 5n }, { username: NAME }],
  [
    'username request', REQUEST_USERNAME, 'SubmitUsernameRequest', { wallet: AGENT, requestedUsername: 'bob', nonce: 5n },
    { requestedUsername: 'bob' },
  ],
  ...[MANY, [7]].map((ids): Sample => [
    `${ids.length} payouts`, SEE_PAYOUTS, 'SetSettlementPayoutSeen', { wallet: AGENT, payoutIds: ids.join(), seen: true, nonce: 5n },
    { payoutIds: ids },
  ]),
  ['tier', SET_TIER, 'SetUserTier', { wallet: AGENT, tier: 'market_maker', nonce: 5n }, { tier: TIERS.indexOf('market_maker') }],
];

test('numbers of structures never change', () => {
  const numbered = ALL_STRUCTURES.map((name) => [numberOfStructure(name), name] as const).sort(([a], [b]) => a - b);
  assert.deepEqual(numbered.slice(0, 24), [
    [1, 'PlaceOrder'], [2, 'PlaceOrderRouted'], [3, 'PlaceOrderReduceOnly'], [4, 'CancelOrder'], [5, 'CancelOrderByClientId'],
    [6, 'ReplaceOrder'], [7, 'ReplaceOrderReduceOnly'], [8, 'CancelAll'], [9, 'SetCancelOnDisconnect'], [10, 'CancelAfter'],
    [11, 'ApproveAgent'], [12, 'ApproveAgentUntil'], [13, 'RevokeAgent'], [14, 'RevokeAllAgents'], [15, 'SetMarginMode'],
    [16, 'SetSettlementPayoutSeen'], [17, 'SubmitUsernameRequest'], [18, 'SetUsername'], [19, 'SetMmpConfig'], [20, 'DeleteMmpConfig'],
    [21, 'ResetMmp'], [22, 'SetUserTier'], [23, 'Agent'], [24, 'VoidNonces'],
  ]);
  for (const [number, name] of numbered) assert.equal(structureOfNumber(number), name);
  assert.deepEqual([structureOfNumber(0), structureOfNumber(numbered.length + 1)], [null, null]);
});

test('the members of every structure split into texts and fields, and join again', () => {
  for (const structure of ALL_STRUCTURES) {
    const names = structure === 'Agent' ? Object.keys(perpMessage) : membersOf(structure).map(({ name }) => name);
    const values = Object.fromEntries(names.map((name) => [name, `of ${name}`]));
    const again = valuesOf(structure, textsOf(structure, values), values);
    assert.deepEqual(again, values);
    assert.throws(() => valuesOf(structure, [...textsOf(structure, values), 'one more'], values), RangeError);
  }
});

for (const [name, kind, structure, message, fields] of SAMPLES) {
  test(`${name}: the audit derives digest and fields from the texts`, () => {
    const views = recordOf(kind, structure, message, fields);
    stampRecord(views, 64, 12_345, 1_767_571_200_000);
    assert.equal(toHex(digestOfRecord(views, 64, judge)), digestFor(structure, message, signer));
    assert.equal(verifyRecord(views, 64, judge), null);
    assert.notEqual(verifyRecord(views, 64, { ...judge, hasher: createHasher('Other', DOMAIN.chainId) }), null);
  });

  test(`${name}: no changed byte passes`, () => {
    const views = recordOf(kind, structure, message, fields);
    const length = views.u32[16]!;
    const isAboutAgents = ABOUT_AGENTS.includes(kind);
    const isOrder = kind === PLACE_ORDER || kind === REPLACE_ORDER;
    const unsigned = new Set(isOrder ? [BYTE_ORDER_FLAGS] : isAboutAgents ? [WORD_AGENT_FLAGS * 4] : []);
    for (let byte = HEADER_BYTES; byte < length; byte++) {
      const before = views.u8[64 + byte]!;
      for (const change of unsigned.has(byte) ? [4] : [1, 0x80]) {
        views.u8[64 + byte] = before ^ change;
        assert.notEqual(verifyRecord(views, 64, judge), null, `byte ${byte} of ${length}`);
      }
      views.u8[64 + byte] = before;
    }
    assert.equal(verifyRecord(views, 64, judge), null);
  });
}

test('unsigned facts may vary: the protection opt-out, a perp\'s route, and whether the wallet was named', () => {
  const order = recordOf(PLACE_ORDER, 'PlaceOrder', orderMessage, orderFields(placed, 'é-1', 0));
  order.u8[64 + BYTE_ORDER_FLAGS] = FLAG_MMP_OPT_OUT;
  assert.equal(verifyRecord(order, 64, judge), null);
  order.u8[64 + BYTE_ORDER_FLAGS] = FLAG_RFQ_ONLY;
  assert.notEqual(verifyRecord(order, 64, judge), null);
  const ofPerp = recordOf(PLACE_ORDER, 'Agent', perpMessage, orderFields(perpPlaced, perpMessage.clientId, 0));
  ofPerp.u8[64 + BYTE_ORDER_FLAGS] = FLAG_RFQ_ONLY;
  assert.equal(verifyRecord(ofPerp, 64, judge), null);
  const agent = recordOf(REVOKE_AGENT, 'RevokeAgent', { agent: AGENT, nonce: 5n }, { agent: bytesOf(AGENT) });
  agent.u32[16 + WORD_AGENT_FLAGS] = FLAG_WALLET_NAMED;
  assert.equal(verifyRecord(agent, 64, judge), null);
});

test('a command by the admin token has no signed parts', () => {
  const command = { kind: SET_TIER, wallet: bytesOf(AGENT), signed: null, source, code: OK, fields: { tier: 1, flags: FLAG_BY_TOKEN } };
  const bytes = measureCommand(command);
  const views = viewsOf(new ArrayBuffer(RECORD_BYTES));
  writeCommand(views, 0, bytes, command, 1, 1);
  assert.equal(verifyRecord(views, 0, judge), null);
  assert.throws(() => digestOfRecord(views, 0, judge), RangeError);
  views.u8[WORD_DIGEST * 4] = 1;
  assert.notEqual(verifyRecord(views, 0, judge), null);
});

test('a structure of another kind of command proves nothing', () => {
  const views = recordOf(CANCEL_ORDER, 'SetUserTier', { wallet: AGENT, tier: '7', nonce: 5n }, { orderId: { lo: 7, hi: 0 } });
  assert.match(verifyRecord(views, 64, judge)!, /not signed for a command of kind/);
});

test('only a perp is signed as an Agent, and its asset is the venue\'s', () => {
  const asOption = recordOf(PLACE_ORDER, 'PlaceOrder', perpMessage, orderFields(perpPlaced, perpMessage.clientId, 0));
  assert.match(verifyRecord(asOption, 64, judge)!, /not how such an order is signed/);
  const agent = recordOf(PLACE_ORDER, 'Agent', perpMessage, orderFields(perpPlaced, perpMessage.clientId, 0));
  assert.notEqual(verifyRecord(agent, 64, { ...judge, assetOf: () => 0 }), null);
  assert.match(verifyRecord(agent, 64, { ...judge, assetOf: () => -1 })!, /no asset/);
  const unnamed = { ...perpMessage, clientId: 'mine' };
  const values = { ...perpPlaced };
  assert.notEqual(verifyRecord(recordOf(PLACE_ORDER, 'Agent', unnamed, orderFields(values, 'mine', 0)), 64, judge), null);
});

test('an invalid scope, connection, username or list of payouts is refused by name', () => {
  const connections = ['0', '0'.repeat(16), '0123456789ABCDEF', '0123456789abcdeg', '0123456789abcdef0', ' ', '0x23456789abcdef'];
  const codeOf = (kind: number, structure: StructureName, name: string, value: string): number => (
    deriveFields(kind, structure, { [name]: value, graceMs: u64Of(0), enabled: true }).code
  );
  for (const connection of connections) {
    assert.equal(codeOf(SET_CANCEL_ON_DISCONNECT, 'SetCancelOnDisconnect', 'connection', connection), INVALID_CONNECTION, connection);
  }
  const scopes = ['btc', 'BTC-', 'BTC-30JAN26', 'TOOLONGNAME', ' ', 'BTC-30FEB26-1-C'];
  for (const scope of scopes) assert.equal(scopeValues(scope).code, SYMBOL_FORMAT, scope);
  const names = ['', 'ab', 'x'.repeat(21), 'a b', 'a-b', 'älf', 'abc\n', ' abc'];
  for (const name of names) assert.equal(codeOf(SET_USERNAME, 'SetUsername', 'username', name), INVALID_USERNAME, name);
  for (const name of ['abc', '___', '0'.repeat(20)]) assert.equal(codeOf(SET_USERNAME, 'SetUsername', 'username', name), OK, name);
  const texts = ['', ',', '1,', ',1', '1 ,2', '01', '0', '-1', '1.5', '9007199254740992', '1,,2', [...MANY, 1].join()];
  for (const text of texts) assert.equal(parseIds(text, 100), null, text);
  assert.deepEqual(parseIds('1,2,2', 100), [1, 2, 2]);
  assert.deepEqual(parseIds(MANY.join(), 100), MANY);
});

test('limits and times of a protection are the signed ones', () => {
  const views = recordOf(SET_MMP, 'SetMmpConfig', mmpMessage, PROTECTION);
  assert.deepEqual([mmp.quantity, mmp.delta, mmp.vega], [10_500_000, -1, 0]);
  for (const interval of [60_000.5, -60_000, NaN]) {
    views.f64[8 + DOUBLE_MMP_INTERVAL] = interval;
    assert.notEqual(verifyRecord(views, 64, judge), null, String(interval));
  }
});

test('a perp order without underlying has fields, proof and the code by which the engine rejects it', () => {
  const fields = orderFields(perpPlaced, '', 0);
  const views = recordOf(PLACE_ORDER, 'Agent', { ...perpMessage, clientId: '' }, fields, PERP_WITHOUT_UNDERLYING);
  assert.deepEqual([recordCode(views, 64), views.f64[8 + DOUBLE_PRICE]], [PERP_WITHOUT_UNDERLYING, 3_000_000_000]);
  assert.equal(verifyRecord(views, 64, judge), null);
});

test('the fields of a record are those of its texts', () => {
  const views = recordOf(PLACE_ORDER, 'PlaceOrder', orderMessage, orderFields(placed, 'é-1', 0));
  const double = (word: number) => views.f64[8 + word];
  assert.deepEqual(
    [double(DOUBLE_PRICE), double(DOUBLE_SIZE), double(DOUBLE_STRIKE), double(DOUBLE_EXPIRY)],
    [100_500_000, 100_000, 100_000_500_000, Date.UTC(2026, 0, 30, 8)],
  );
  assert.equal(toHex(views.u8.slice(64 + WORD_WALLET * 4, 64 + WORD_WALLET * 4 + 20)), AGENT);
  assert.equal(toHex(views.u8.slice(64 + WORD_DIGEST * 4, 64 + WORD_DIGEST * 4 + 32)), digestOfMessage('PlaceOrder', orderMessage));
  assert.deepEqual([views.u32[16 + WORD_SOURCE], views.u32[16 + WORD_BLOCK], views.u8[64 + BYTE_SUBNET]], [0xdeadbeef, 0xcafe, 0xfe]);
});

test('a command that failed a value check has its code and no proof', () => {
  const views = recordOf(PLACE_ORDER, 'PlaceOrder', { ...orderMessage, size: '0' }, orderFields(placed, '', 0), SIZE_NOT_POSITIVE);
  const seen = [views.u32[16], recordCode(views, 64), views.f64[8 + DOUBLE_PRICE]];
  assert.deepEqual(seen, [proofOffset(PLACE_ORDER), SIZE_NOT_POSITIVE, 0]);
  assert.throws(() => digestOfRecord(views, 64, judge), RangeError);
});

test('property: the largest order fits a record, whatever its texts', () => {
  const anyClientId = fc.string({ unit: 'grapheme', maxLength: 30 });
  fc.assert(fc.property(anyClientId, fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1, max: 1e9 }), (clientId, price, size) => {
    const message = { ...orderMessage, clientId, price: String(price), size: `${size}.${'1'.repeat(18)}` };
    const values = orderValues(message);
    if (values.code !== OK) return;
    const views = recordOf(PLACE_ORDER, 'PlaceOrder', message, orderFields(values, clientId, 0));
    assert.ok(views.u32[16]! <= RECORD_BYTES && views.u32[16]! % 8 === 0);
    assert.equal(verifyRecord(views, 64, judge), null);
  }), { numRuns: 60 });
});

test('the audit names a record that voids beyond its nonce, or whose nonce is 2^63 or more', () => {
  for (const [upTo, nonce] of [[6n, 5n], [5n, 1n << 63n], [1n << 32n, 5n]] as const) {
    const fields = { upTo: { lo: Number(upTo & 0xffff_ffffn), hi: Number(upTo >> 32n) } };
    const views = recordOf(VOID_NONCES, 'VoidNonces', { wallet: AGENT, upTo, nonce }, fields);
    assert.equal(verifyRecord(views, 64, judge), `the signed values fail value check ${INVALID_UP_TO}`);
  }
  const views = recordOf(VOID_NONCES, 'VoidNonces', { wallet: AGENT, upTo: 5n, nonce: 5n }, { upTo: { lo: 5, hi: 0 } });
  views.u32[16 + WORD_UP_TO] = 4;
  assert.equal(verifyRecord(views, 64, judge), 'the digest is not that of the texts');
});
