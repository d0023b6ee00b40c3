// Amends an order in its row: fields for price, size and trigger; Enter sends what they show, Esc leaves. Updates meanwhile do not touch
// them.

import { signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Order } from '../../../src/main.ts';
import { price, size } from '../../format.ts';
import { confirmFirst } from '../../ui/confirm.tsx';
import { canAct, send } from './acting.ts';

type FieldName = 'price' | 'size' | 'trigger';
type Edit = { readonly id: number; readonly first: FieldName } & Readonly<Record<FieldName, string>>;

export class Amending {
  readonly edit = signal<Edit | null>(null);
  readonly why = signal<string | null>(null);

  begin({ order_id: id, price: limit, size: total, trigger }: Order, first: FieldName): void {
    this.why.value = null;
    this.edit.value = { id, first, price: limit, size: total, trigger: trigger?.price ?? '' };
  }

  isEditing({ order_id: id }: Order): boolean {
    return this.edit.value?.id === id;
  }

  write(field: FieldName, text: string): void {
    if (this.edit.value !== null) this.edit.value = { ...this.edit.value, [field]: text };
  }

  leave(): void {
    const cell = document.activeElement?.closest<HTMLElement>('[role=gridcell]');
    this.edit.value = null;
    this.why.value = null;
    cell?.focus();
  }

  submit(order: Order): void {
    const { price: limit, size: total, trigger } = this.edit.value!;
    const terms = { order_id: order.order_id, size: total, price: limit, ...(order.trigger !== undefined && { trigger_price: trigger }) };
    confirmFirst({
      action: 'amend', title: 'Amend this order?', verb: 'Amend the order',
      text: `${nameOf(order)}: from now on ${total} at ${limit}${order.trigger === undefined ? '' : `, trigger at ${trigger}`}`,
      run: () => void send((client) => client.amendOrder(terms)).then(({ why }) => {
        if (why !== null) this.why.value = `Not amended: ${why} (${nameOf(order)})`;
        else if (this.isEditing(order)) this.leave();
      }),
    });
  }
}

type AmendableProps = {
  readonly amending: Amending; readonly order: Order; readonly field: FieldName; readonly name: string; readonly text: string;
};

/** A quote is amended by its mass quote only. */
export function Amendable({ amending, order, field, name, text }: AmendableProps) {
  if (amending.isEditing(order)) return <AmendField {...{ amending, order, field, name, text }} />;
  if (!canAct() || order.quote_set !== undefined) return <>{text}</>;
  return (
    <button
      type="button" class="value" tabIndex={-1} title="Amend" aria-label={`${name} ${text}: amend`}
      onClick={() => amending.begin(order, field)}
    >{text}</button>
  );
}

function AmendField({ amending, order, field, name }: AmendableProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (amending.edit.value?.first !== field) return;
    input.current?.focus();
    input.current?.select();
  }, []);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    // Arrows are the text's, not the grid's; Shift-Esc is the page's.
    if (event.shiftKey && event.key === 'Escape') return;
    event.stopPropagation();
    if (event.key === 'Enter') amending.submit(order);
    if (event.key === 'Escape') amending.leave();
  };
  return (
    <span class="edit">
      <input
        ref={input} type="text" inputMode="decimal" autocomplete="off" spellcheck={false} aria-label={`${name} of ${nameOf(order)}`}
        value={amending.edit.value?.[field] ?? ''} onInput={(event) => amending.write(field, event.currentTarget.value)}
        onKeyDown={onKeyDown} onClick={(event) => event.stopPropagation()}
      />
    </span>
  );
}

export function nameOf({ side, size: total, symbol, price: limit }: Order): string {
  return `${side} ${size(total)} ${symbol} at ${price(limit)}`;
}
