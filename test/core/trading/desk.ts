// A perp floor whose wallets send batches: items as records, codes and answers of the last batch.

import { CONTRACT, GTC, USDC } from '../../../core/units.ts';
import { ITEM_NUMBERS } from '../../../core/codec/batch-items.ts';
import { copyOfRecord, writeBatch } from '../../support/batch.ts';
import type { OrderFields } from '../../support/records.ts';
import { TriggerScene } from './trigger-scene.ts';

export type Bytes = Uint8Array<ArrayBuffer>;
type Made = Partial<OrderFields> & { slot?: number };

export class Desk extends TriggerScene {
  item(side: number, price: number, size: number, { slot = this.perp, ...more }: Made = {}): Bytes {
    return copyOfRecord(this.write.place({
      ...this.contract(slot), wallet: 0, nonce: 0, side, price: Math.round(price * USDC), size: Math.round(size * CONTRACT),
      tif: GTC, ...more,
    }));
  }

  replacement(id: number, side: number, price: number, size: number, { slot = this.perp, ...more }: Made = {}): Bytes {
    return copyOfRecord(this.write.replace({
      ...this.contract(slot), wallet: 0, nonce: 0, side, price: Math.round(price * USDC), size: Math.round(size * CONTRACT), ...more,
    }, id));
  }

  removal(id: number | string): Bytes {
    return copyOfRecord(typeof id === 'number' ? this.write.cancel(0, 0, id) : this.write.cancelByClientId(0, 0, id));
  }

  batch(wallet: number, records: readonly Bytes[], { nonce = this.next(), signer = wallet, ...more } = {} as {
    nonce?: number; signer?: number; until?: number; rate?: number;
  }): number {
    return this.send(writeBatch(this.write, { wallet, nonce, signer }, records, more));
  }

  /** Codes of the items of the last batch. */
  codes(): number[] {
    return this.answers().map(([code]) => code!);
  }

  answers(): number[][] {
    const { answered, answers } = this.state.result;
    return Array.from({ length: answered / ITEM_NUMBERS }, (_, i) => [...answers.subarray(i * ITEM_NUMBERS, (i + 1) * ITEM_NUMBERS)]);
  }
}
