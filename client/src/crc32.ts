// CRC-32 (IEEE 802.3, reflected) of an ASCII text: the checksum that the messages of a book carry.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
  return value;
});

export function crc32(text: string): number {
  let value = 0xffff_ffff;
  for (let i = 0; i < text.length; i++) value = TABLE[(value ^ text.charCodeAt(i)) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffff_ffff) >>> 0;
}
