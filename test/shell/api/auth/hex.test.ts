// Hex parsing accepts exactly one form and refuses all others: prefix, length, digits, letter case.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../../support/fast-check.ts';
import { parseHex, toHex } from '../../../../shell/http/hex.ts';

test('bytes become text and back, in either letter case', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.boolean(), (bytes, upper) => {
      const text = toHex(bytes);
      assert.equal(text, `0x${Buffer.from(bytes).toString('hex')}`);
      const out = new Uint8Array(bytes.length).fill(0xaa);
      assert.equal(parseHex(upper ? `0x${text.slice(2).toUpperCase()}` : text, out), true);
      assert.deepEqual(out, bytes);
    }),
  );
});

test('an address in checksum form is the same address', () => {
  const out = new Uint8Array(20);
  assert.equal(parseHex('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', out), true);
  assert.equal(toHex(out), '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
});

test('anything but 0x and the exact number of digits is refused', () => {
  const good = `0x${'1a'.repeat(20)}`;
  const bad = [
    '', '0x', good.slice(2), good.slice(0, -1), good.slice(0, -2), `${good}0`, `${good}00`, ` ${good}`, `${good} `,
    `0X${good.slice(2)}`, `1x${good.slice(2)}`, `00${good.slice(2)}`, `0x-${good.slice(3)}`, `0x0x${good.slice(4)}`,
  ];
  for (const text of bad) assert.equal(parseHex(text, new Uint8Array(20)), false, JSON.stringify(text));
});

test('every character other than a hex digit is refused, in either half of a byte', () => {
  for (let code = 0; code < 0x10000; code++) {
    const character = String.fromCharCode(code);
    const digit = /^[0-9a-fA-F]$/.test(character);
    assert.equal(parseHex(`0x${character}0`, new Uint8Array(1)), digit, `U+${code.toString(16)}`);
    assert.equal(parseHex(`0x0${character}`, new Uint8Array(1)), digit, `U+${code.toString(16)}`);
  }
});
