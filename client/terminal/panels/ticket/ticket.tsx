// The ticket. It shows the contract, side and price that a click in the chain or the book chose; nothing is sent from here.

import { selection, ticketFill } from '../../venue/store.ts';

export function Ticket() {
  const fill = ticketFill.value;
  const { contract } = selection.value;
  if (fill === null || fill.symbol !== contract) {
    return <p class="empty">Choose a bid or an ask {contract === null ? 'in the chain' : `of ${contract}`} to fill the ticket.</p>;
  }
  return (
    <dl class="facts">
      <dt>Contract</dt><dd>{fill.symbol}</dd>
      <dt>Side</dt><dd class={fill.side === 'Buy' ? 'up' : 'down'}>{fill.side}</dd>
      <dt>Price, USD</dt><dd>{fill.price}</dd>
    </dl>
  );
}
