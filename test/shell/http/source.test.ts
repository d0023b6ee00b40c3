// The network source of a request, for quotas: one text and one digest per source (decision 5.3).

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { forwardedSource, withoutLoopback, sourceOfAddress } from '../../../shell/http/source.ts';

const bytes = (...parts: number[]) => Uint8Array.from(parts);
const v6 = (...groups: number[]) => Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));

test('an IPv6 source belongs to a /48 and a /56; an IPv4 source belongs to neither', () => {
  const one = sourceOfAddress(v6(0x2001, 0xdb8, 5, 0x1201, 1, 2, 3, 4)).block!;
  const sameSubnet = sourceOfAddress(v6(0x2001, 0xdb8, 5, 0x12ff, 9, 9, 9, 9)).block!;
  const sameBlock = sourceOfAddress(v6(0x2001, 0xdb8, 5, 0x1300, 1, 2, 3, 4)).block!;
  const other = sourceOfAddress(v6(0x2001, 0xdb8, 6, 0x1201, 1, 2, 3, 4)).block!;
  assert.deepEqual(sameSubnet, one);
  assert.deepEqual([sameBlock.digest === one.digest, sameBlock.subnet, one.subnet], [true, 0x13, 0x12]);
  assert.notEqual(other.digest, one.digest);
  for (const address of [bytes(203, 0, 113, 7), v6(0, 0, 0, 0, 0, 0xffff, 0xcb00, 0x7107), bytes()]) {
    assert.equal(sourceOfAddress(address).block, undefined);
  }
});

test('a forwarded loopback address is not loopback, and shares no row with real loopback', () => {
  const texts = ['127.0.0.1', '127.9.9.9', '::1', '[::1]:80', '127.0.0.1:1', '::ffff:127.0.0.1', '1.1.1.1, 127.0.0.1', '0:0:0:0:0:0:0:1'];
  for (const text of texts) {
    const { network, digest, loopback } = forwardedSource(text);
    assert.equal(loopback, false, text);
    for (const own of [bytes(127, 0, 0, 1), bytes(127, 9, 9, 9), v6(0, 0, 0, 0, 0, 0, 0, 1)].map(sourceOfAddress)) {
      assert.notEqual(network, own.network, text);
      assert.notEqual(digest, own.digest, text);
    }
  }
  assert.notEqual(sourceOfAddress(v6(0, 0, 0, 0, 0, 0, 0, 2)).network, sourceOfAddress(v6(0, 0, 0, 0, 0, 0, 0, 1)).network);
});

test('a source is an IPv4 address, also a mapped one, or the /64 of an IPv6 address', () => {
  assert.equal(sourceOfAddress(bytes(203, 0, 113, 7)).network, '203.0.113.7');
  assert.deepEqual(sourceOfAddress(v6(0, 0, 0, 0, 0, 0xffff, 0xcb00, 0x7107)), sourceOfAddress(bytes(203, 0, 113, 7)));
  const one = sourceOfAddress(v6(0x2001, 0xdb8, 0, 1, 1, 2, 3, 4));
  assert.equal(one.network, '2001:db8:0:1::/64');
  assert.deepEqual(sourceOfAddress(v6(0x2001, 0xdb8, 0, 1, 9, 9, 9, 9)), one);
  assert.notEqual(sourceOfAddress(v6(0x2001, 0xdb8, 0, 2, 1, 2, 3, 4)).digest, one.digest);
});

test('the source of an address does not depend on the lookups before it', () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 5_000; i++) assert.equal(sourceOfAddress(bytes(10, i >> 8, i & 255, 9)).network, `10.${i >> 8}.${i & 255}.9`);
  }
});

test('loopback is 127.0.0.0/8 and ::1', () => {
  for (const [address, expected] of [
    [bytes(127, 0, 0, 1), true], [bytes(127, 9, 9, 9), true], [v6(0, 0, 0, 0, 0, 0, 0, 1), true],
    [v6(0, 0, 0, 0, 0, 0xffff, 0x7f00, 1), true], [bytes(128, 0, 0, 1), false], [v6(0, 0, 0, 0, 0, 0, 0, 2), false], [bytes(), false],
  ] as const) assert.equal(sourceOfAddress(address).loopback, expected);
});

test('a digest is 1 .. 2^32 - 1 and differs between neighbours', () => {
  fc.assert(fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), (address) => {
    const { digest } = sourceOfAddress(address);
    assert.ok(Number.isInteger(digest) && digest > 0 && digest < 2 ** 32);
    const neighbour = Uint8Array.from(address);
    neighbour[3] = neighbour[3]! ^ 1;
    assert.notEqual(sourceOfAddress(neighbour).digest, digest);
  }));
});

test('X-Forwarded-For: the last entry, with or without port or brackets; else a shared unknown source', () => {
  const network = (text: string) => forwardedSource(text).network;
  assert.equal(network('1.1.1.1, 2.2.2.2'), '2.2.2.2');
  assert.equal(network('2.2.2.2:443'), '2.2.2.2');
  assert.equal(network('junk,[2001:db8::1]:443'), '2001:db8:0:0::/64');
  assert.equal(network('2001:db8:0:1::5'), '2001:db8:0:1::/64');
  assert.equal(network('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(network('::ffff:1.2.3.4'), '1.2.3.4');
  assert.equal(network('::'), '0:0:0:0::/64');
  for (const text of ['', '2.2.2.2,', '1.1.1.1, unknown', '999.1.1.1', '1.2.3', '_hidden', '2.2.2.2:']) {
    const { network: shared, loopback } = forwardedSource(text);
    assert.deepEqual([shared, loopback], ['unknown', false], text);
  }
});

test('an IPv6 address as text and as bytes gives the same source', () => {
  fc.assert(fc.property(fc.ipV6(), (text) => {
    const forwarded = forwardedSource(text);
    const groups = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::').map((side) => (side === '' ? [] : side.split(':')));
    const zeros = new Array<string>(8 - groups.flat().length).fill('0');
    const full = [...groups[0]!, ...zeros, ...(groups[1] ?? [])].map((group) => parseInt(group, 16));
    assert.deepEqual(forwarded, withoutLoopback(sourceOfAddress(v6(...full))));
  }));
});
