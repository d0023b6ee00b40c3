// Working orders, and those that wait for a trigger: each can be cancelled, and its price and size amended in the row.

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Order } from '../../../src/main.ts';
import { ABSENT, price, size } from '../../format.ts';
import { Button } from '../../ui/controls.tsx';
import { DataGrid } from '../../ui/grid.tsx';
import { accountProblem, workingOrders } from '../../venue/account-data.ts';
import { select, selection } from '../../venue/store.ts';
import { canAct, cancel } from './acting.ts';
import { Amendable, Amending, nameOf } from './amending.tsx';
import { Moment, SideCell, withActions } from './cells.tsx';

export function Orders({ areWaiting }: { readonly areWaiting: boolean }) {
  const amending = useMemo(() => new Amending(), []);
  const rows = (workingOrders.value ?? []).filter(({ status }) => (status === 'untriggered') === areWaiting);
  const why = amending.why.value;
  const choose = ({ symbol }: Order): void => {
    if (!rows.some((row) => amending.isEditing(row))) select({ contract: symbol, underlying: symbol.split('-')[0]! });
  };
  return (
    <>
      <div role="alert">{why !== null && <p class="why">{why}</p>}</div>
      <DataGrid
        label={areWaiting ? 'Orders that wait for a trigger' : 'Open orders'} columns={columnsOf(amending, areWaiting)} rows={rows}
        rowKey={(order) => order.order_id} isSelected={({ symbol }) => symbol === selection.value.contract} onChoose={choose}
        empty={emptyText(areWaiting)}
      />
    </>
  );
}

function columnsOf(amending: Amending, areWaiting: boolean) {
  const amended = (field: 'price' | 'size' | 'trigger', name: string, text: (order: Order) => string) => (order: Order) => (
    <Amendable amending={amending} order={order} field={field} name={name} text={text(order)} />
  );
  const trigger = {
    id: 'trigger', title: 'Trigger', order: (order: Order) => Number(order.trigger?.price ?? 0),
    cell: amended('trigger', 'Trigger', triggerText),
  };
  return withActions<Order>([
    { id: 'symbol', title: 'Contract', isText: true, order: ({ symbol }: Order) => symbol, cell: ({ symbol }: Order) => symbol },
    { id: 'side', title: 'Side', isText: true, order: ({ side }: Order) => side, cell: ({ side }: Order) => <SideCell side={side} /> },
    ...(areWaiting ? [trigger] : []),
    {
      id: 'price', title: 'Price', order: (order: Order) => Number(order.price),
      cell: amended('price', 'Price', (order) => price(order.price)),
    },
    { id: 'size', title: 'Size', order: (order: Order) => Number(order.size), cell: amended('size', 'Size', (order) => size(order.size)) },
    { id: 'filled', title: 'Filled', order: (order: Order) => Number(order.filled_size), cell: (order: Order) => size(order.filled_size) },
    { id: 'terms', title: 'Terms', isText: true, cell: termsOf },
    { id: 'placed', title: 'Placed', order: (order: Order) => order.created_at, cell: (order: Order) => <Moment ms={order.created_at} /> },
    { id: 'id', title: 'Order id', order: (order: Order) => order.order_id, cell: (order: Order) => String(order.order_id) },
  ], [{ id: 'cancel', title: '', label: 'Cancel', cell: cancelCell }], areWaiting ? 5 : 4);
}

function cancelCell(order: Order): ComponentChildren {
  const name = nameOf(order);
  return <Button isInCell isDisabled={!canAct()} label={`Cancel ${name}`} onClick={() => cancel(order.order_id, name)}>Cancel</Button>;
}

function triggerText({ trigger }: Order): string {
  if (trigger === undefined) return ABSENT;
  return `${trigger.by} ${trigger.direction === 'above' ? '≥' : '≤'} ${price(trigger.price)}`;
}

function termsOf(order: Order): string {
  const { tif, post_only: postOnly, reduce_only: reduceOnly, link_id: link, quote_set: set, client_id: client } = order;
  return [
    tif, ...(postOnly === undefined ? [] : ['post-only']), ...(reduceOnly === true ? ['reduce-only'] : []),
    ...(link === undefined ? [] : [`link ${link}`]), ...(set === undefined ? [] : [`quote ${set}`]),
    ...((client ?? '') === '' ? [] : [client]),
  ].join(', ');
}

function emptyText(areWaiting: boolean): string {
  if (workingOrders.value === null) return accountProblem.value ?? 'Asking the venue …';
  return areWaiting ? 'No order waits for a trigger. Set one in the ticket: a stop or a take-profit.'
    : 'No order is open. Click a bid or an ask in the chain to fill the ticket.';
}
