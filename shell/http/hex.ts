// Hex text to bytes and back. Strict: lower-case '0x', then two digits per byte in either letter case.

const INVALID = 0xff;

const NIBBLES = new Uint8Array(128).fill(INVALID);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  NIBBLES[digit.charCodeAt(0)] = value;
  NIBBLES[digit.toUpperCase().charCodeAt(0)] = value;
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function nibble(code: number): number {
  return code < 128 ? NIBBLES[code]! : INVALID;
}

export function isHex(text: string, bytes: number): boolean {
  if (text.length !== 2 + 2 * bytes || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false;
  let seen = 0;
  for (let at = 2; at < text.length; at++) seen |= nibble(text.charCodeAt(at));
  return seen <= 15;
}

export function parseHex(text: string, out: Uint8Array): boolean {
  if (text.length !== 2 + 2 * out.length || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false;
  for (let i = 0; i < out.length; i++) {
    const high = nibble(text.charCodeAt(2 + 2 * i));
    const low = nibble(text.charCodeAt(3 + 2 * i));
    if ((high | low) > 15) return false;
    out[i] = high * 16 + low;
  }
  return true;
}

export function toHex(bytes: Uint8Array): string {
  let text = '0x';
  for (let i = 0; i < bytes.length; i++) text += PAIRS[bytes[i]!];
  return text;
}
