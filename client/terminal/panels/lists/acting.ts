// What the lists send: cancels, amends, closing orders. A refusal is told with the venue's own text.

import type { OrderUpdate, Strikebook } from '../../../src/main.ts';
import { registerKeys } from '../../keyboard.ts';
import { confirmFirst } from '../../ui/confirm.tsx';
import { showToast } from '../../ui/notices.tsx';
import { workingOrders } from '../../venue/account-data.ts';
import { connection } from '../../venue/connection.ts';

type Sent = { readonly update: OrderUpdate | null; readonly why: string | null };

const NO_SIGNER = 'This page has no key for the wallet. Choose one in the menu at the top right.';

export function canAct(): boolean {
  return (connection.account.value?.signer ?? null) !== null;
}

export async function send(ask: (client: Strikebook) => Promise<OrderUpdate>): Promise<Sent> {
  const client = connection.client.value;
  if (client === null || !canAct()) return { update: null, why: NO_SIGNER };
  try {
    const update = await ask(client);
    return { update, why: update.status === 'REJECTED' ? update.reason ?? 'The venue gave no reason.' : null };
  } catch (error) {
    return { update: null, why: (error as Error).message };
  }
}

export function cancel(id: number, what: string): void {
  confirmFirst({
    action: 'cancel', title: 'Cancel this order?', text: what, verb: 'Cancel the order',
    run: () => void send((client) => client.cancelOrder(id)).then(({ why }) => {
      showToast(why === null ? `Cancelled: ${what}.` : `Not cancelled: ${why}`, why === null ? 'plain' : 'bad');
    }),
  });
}

export function cancelAll(): void {
  const orders = workingOrders.value ?? [];
  if (orders.length === 0) return showToast('No order is open.');
  const waiting = orders.filter(({ status }) => status === 'untriggered').length;
  confirmFirst({
    action: 'cancelAll', title: 'Cancel all orders?', verb: 'Cancel all orders',
    text: `In the books of all markets: ${orders.length - waiting}. Waiting for a trigger: ${waiting}. Positions stay as they are.`,
    run: () => void cancelEverything(),
  });
}

async function cancelEverything(): Promise<void> {
  const client = connection.client.value;
  if (client === null || !canAct()) return showToast(NO_SIGNER, 'bad');
  try {
    const { data, error } = await client.cancelAll();
    if (data === null) return showToast(`Not cancelled: ${error}`, 'bad');
    showToast(data.pending ? 'The venue is cancelling all orders.' : `Orders cancelled: ${data.cancelled}.`);
  } catch (error) {
    showToast(`Not cancelled: ${(error as Error).message}`, 'bad');
  }
}

export function followCancelKey(): void {
  registerKeys([{ key: 'Shift+Escape', what: 'Cancel all orders, also while you type', isEverywhere: true, run: cancelAll }]);
}
