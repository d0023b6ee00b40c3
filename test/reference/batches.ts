// Batches beside the reference model: one command of the venue is the model's commands one by one, under one nonce. Each item has the
// answer that the model gives, and the fills of all are compared.

import assert from 'node:assert/strict';
import { BATCH_ITEM } from '../../core/codec/events.ts';
import { ITEM_NUMBERS } from '../../core/codec/batch-items.ts';
import { copyOfRecord, writeBatch } from '../support/batch.ts';
import type { Command } from './terms.ts';
import { CODES, Twin } from './twin.ts';
import { recordOf } from './write.ts';

type Place = Extract<Command, { kind: 'place' }>;

export class BatchTwin extends Twin {
  /** How many orders had ended before each item of the present batch. The constructor of Twin hears events before there is any. */
  private marks: number[] | undefined;

  protected override hear(kind: number, slots: Float64Array): void {
    if (kind === BATCH_ITEM) this.marks?.push(this.told.ends.length);
    super.hear(kind, slots);
  }

  protected override play(command: Command): void {
    const { batches } = this.mix;
    if (command.kind !== 'place' || batches === 0 || !this.random.chance(batches)) super.play(command);
    else this.playBatch(command);
  }

  private playBatch(first: Place): void {
    const { model, told, venue } = this;
    const { result } = venue.state;
    const { wallet } = first.draft;
    const group = this.random.chance(0.4) ? this.generator.drawGroup(wallet) : [];
    const items = [first, ...group, ...this.generator.drawItems(wallet)];
    let hasFailed = false;
    const from = told.ends.length;
    told.fills = [];
    model.fills = [];
    this.marks = [];
    const records = items.map((item) => copyOfRecord(recordOf(venue, item, 0)));
    assert.equal(this.request(writeBatch(venue.write, { wallet, nonce: this.nonceOf(0) }, records)), 'OK', 'answer of a batch');
    model.world.market.now = venue.now;
    const answers = Array.from(result.answers.subarray(0, result.answered));
    // What falls due with the batch ends before its first item.
    const begins = [from, ...this.marks.slice(1)];
    items.forEach((item, at) => {
      const [number, ...numbers] = answers.slice(at * ITEM_NUMBERS, (at + 1) * ITEM_NUMBERS);
      const code = CODES.get(number!)!;
      const ends = told.ends.slice(begins[at], begins[at + 1]);
      const isKilled = ends.at(-1)?.reason === 'FOK_KILLED';
      const witness = { code, isKilled, isPending: false, ended: new Set(ends.map(({ id }) => id)) };
      const isRefused = item.kind === 'place' && item.draft.linkId !== '' && hasFailed;
      const kept = item.kind === 'replace' ? { ...item, draft: model.keepNames(item.draft, item.id) } : item;
      const { mmp: _, ...compared } = isRefused ? { code: 'NO_ENTRY' } : model.apply(kept, witness)!;
      if (item.kind === 'place' && item.draft.entryOf !== undefined) {
        hasFailed = compared.code !== 'OK' || (compared.end !== null && compared.numbers![1] === 0n);
      }
      this.count(`item ${item.kind} ${code}`);
      result.numbers.set(numbers.slice(0, 4));
      this.assertSameAnswer(code, compared);
    });
    assert.deepEqual(told.fills, model.fills, 'fills of a batch');
    this.refresh();
  }
}
