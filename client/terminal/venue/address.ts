// What is looked at, in the address: `?underlying=BTC&expiry=20261225&contract=BTC-20261225-90000-C`; `&side=Buy&price=5000&size=0.5` fills
// the ticket and never sends anything.

import { effect } from '@preact/signals';
import { arrangementText, chosenPanels, sizes, takeArrangement } from '../arrangement.ts';
import { fillTicket, selection, type Selection, type TicketFill } from './store.ts';

const UNDERLYING = /^[A-Z0-9]{1,8}$/;
const EXPIRY = /^(\d{4})(\d{2})(\d{2})$/;
const CONTRACT = /^([A-Z0-9]{1,8})-(?:PERP|([0-9]{8})-[0-9.]{1,16}-[CP])$/;
const AMOUNT = /^[0-9]{1,20}(\.[0-9]{1,18})?$/;
/** Contracts expire at this time of day, UTC. */
const EXPIRY_HOUR = 8;

/** Malformed fields are left out. What a contract's name says of underlying and expiry counts unless the query says it. */
export function selectionIn(query: string): Partial<Selection> {
  const fields = new URLSearchParams(query);
  const contract = fields.get('contract') ?? '';
  const [, ofContract = '', dayOfContract = ''] = CONTRACT.exec(contract) ?? [];
  const underlying = fields.get('underlying') ?? ofContract;
  const day = EXPIRY.exec(fields.get('expiry') ?? (underlying === ofContract ? dayOfContract : ''));
  return {
    ...(UNDERLYING.test(underlying) && { underlying }),
    ...(day !== null && { expiry: Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]), EXPIRY_HOUR) / 1_000 }),
    ...(CONTRACT.test(contract) && { contract }),
  };
}

/** What the query says of a ticket; null unless it names contract and side. */
export function ticketIn(query: string): TicketFill | null {
  const fields = new URLSearchParams(query);
  const { contract } = selectionIn(query);
  const [side, price, size] = [fields.get('side'), fields.get('price') ?? '', fields.get('size') ?? ''];
  if (typeof contract !== 'string' || (side !== 'Buy' && side !== 'Sell')) return null;
  return { symbol: contract, side, price: AMOUNT.test(price) ? price : null, ...(AMOUNT.test(size) && { size }) };
}

export function queryOf({ underlying, expiry, contract }: Selection, layout = ''): string {
  const fields = new URLSearchParams({ underlying });
  if (expiry !== null) fields.set('expiry', new Date(expiry * 1_000).toISOString().slice(0, 10).replaceAll('-', ''));
  if (contract !== null) fields.set('contract', contract);
  if (layout !== '') fields.set('layout', layout);
  return `?${fields}`;
}

export function followAddress(): void {
  const fill = ticketIn(location.search);
  selection.value = { ...selection.value, ...selectionIn(location.search) };
  takeArrangement(location.search);
  if (fill !== null) fillTicket(fill);
  effect(() => {
    const layout = arrangementText(sizes.value, chosenPanels.value);
    history.replaceState(null, '', queryOf(selection.value, layout));
  });
}
