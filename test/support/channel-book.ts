// A client's book built from messages of the channel `book`, by the description of the channel alone: each message follows the one before,
// changes the levels that it names, and its checksum is that of the resulting book. Shares nothing with the venue.

import assert from 'node:assert/strict';

type Message = Readonly<Record<string, unknown>>;

export class ChannelBook {
  seq: number | null = null;
  /** Messages that were no snapshot, and those among them that skipped a seq. */
  deltas = 0;
  jumps = 0;
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();

  apply(message: Message): void {
    assert.equal(message['type'], 'BookUpdate');
    if (message['is_snapshot'] === true) {
      assert.equal(message['prev_seq'], null);
      this.#bids.clear();
      this.#asks.clear();
    } else {
      assert.equal(message['prev_seq'], this.seq, 'a message is missing');
      assert.ok((message['seq'] as number) > this.seq!, 'the seq goes on');
      this.deltas++;
      if ((message['seq'] as number) > this.seq! + 1) this.jumps++;
    }
    this.seq = message['seq'] as number;
    for (const [levels, sent] of [[this.#bids, message['bids']], [this.#asks, message['asks']]] as const) {
      for (const [price, size] of sent as [string, string][]) {
        if (message['is_snapshot'] === false) assert.notEqual(levels.get(price) ?? '0', size, 'a level that has not changed');
        if (size === '0') levels.delete(price);
        else levels.set(price, size);
      }
    }
    assert.equal(message['checksum'], this.#checksum(), 'checksum');
  }

  /** As GET /orderbook shows them. */
  get bids(): number[][] {
    return this.#sorted(this.#bids, -1).map((level) => level.map(Number));
  }

  get asks(): number[][] {
    return this.#sorted(this.#asks, 1).map((level) => level.map(Number));
  }

  #sorted(levels: ReadonlyMap<string, string>, sign: 1 | -1): [string, string][] {
    return [...levels].sort(([a], [b]) => sign * (Number(a) - Number(b)));
  }

  #checksum(): number {
    const bids = this.#sorted(this.#bids, -1);
    const asks = this.#sorted(this.#asks, 1);
    const parts: string[] = [];
    for (let rank = 0; rank < 25; rank++) parts.push(...bids[rank] ?? [], ...asks[rank] ?? []);
    return crc(parts.join(':'));
  }
}

/** CRC-32 of IEEE 802.3, bit by bit. */
function crc(text: string): number {
  let remainder = 0xffffffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ ((remainder & 1) === 1 ? 0xedb88320 : 0);
  }
  return (remainder ^ 0xffffffff) >>> 0;
}
