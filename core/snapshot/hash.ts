// The hash of a state: four lanes of 32 bits over every used word of every section, with names and lengths. Not cryptographic; the
// journal's hash chain is.

import type { Section } from '../columns.ts';

type StateHash = Uint32Array;

const SEEDS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f];

export function hashSections(sections: readonly Section[]): StateHash {
  const lanes = new Uint32Array(SEEDS);
  for (const section of sections) {
    const used = section.used();
    mix(lanes, nameHash(section.name), used);
    hashBytes(lanes, usedBytes(section));
  }
  return lanes;
}

export function usedBytes(section: Section): Uint8Array {
  const { column } = section;
  return new Uint8Array(column.buffer, column.byteOffset, section.used() * column.BYTES_PER_ELEMENT);
}

function nameHash(name: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
  return h;
}

function mix(lanes: Uint32Array, a: number, b: number): void {
  lanes[0] = step(lanes[0], a);
  lanes[1] = step(lanes[1], b);
  lanes[2] = step(lanes[2], lanes[0]);
  lanes[3] = step(lanes[3], lanes[1]);
}

function step(lane: number, word: number): number {
  const h = Math.imul(lane ^ word, 0x9e3779b1);
  return (h << 15 | h >>> 17) + Math.imul(word, 0x85ebca77) | 0;
}

/** Four words at a time, one per lane. */
function hashBytes(lanes: Uint32Array, bytes: Uint8Array): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  const end = words.length & ~3;
  let a = lanes[0] | 0;
  let b = lanes[1] | 0;
  let c = lanes[2] | 0;
  let d = lanes[3] | 0;
  for (let i = 0; i < end; i += 4) {
    a = step(a, words[i]);
    b = step(b, words[i + 1]);
    c = step(c, words[i + 2]);
    d = step(d, words[i + 3]);
  }
  for (let i = end; i < words.length; i++) a = step(a, words[i]);
  for (let i = words.length * 4; i < bytes.length; i++) a = step(a, bytes[i]);
  lanes[0] = a ^ (d >>> 7);
  lanes[1] = b ^ (a >>> 9);
  lanes[2] = c ^ (b >>> 11);
  lanes[3] = d ^ (c >>> 13);
}
