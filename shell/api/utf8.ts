// UTF-8 of texts in records: nearly all are short and ASCII, for which a loop is faster than a new buffer.

const ASCII = 0x7f;

export function utf8Bytes(text: string): number {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > ASCII) return Buffer.byteLength(text);
  return text.length;
}

export function putUtf8(u8: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > ASCII) {
      const bytes = Buffer.from(text);
      u8.set(bytes, at);
      return bytes.length;
    }
    u8[at + i] = unit;
  }
  return text.length;
}
