// The account panel: tabs for positions, orders and history, and the button that cancels all.

import { useId } from 'preact/hooks';
import { openWalletMenu } from '../../keys/wallet-menu.tsx';
import { Button, Tabs } from '../../ui/controls.tsx';
import { chooseConfirmations } from '../../ui/confirm.tsx';
import { rememberedLayout } from '../../ui/remembered.ts';
import { portfolio, workingOrders } from '../../venue/account-data.ts';
import { connection } from '../../venue/connection.ts';
import { canAct, cancelAll, followCancelKey } from './acting.ts';
import { Equity } from './equity.tsx';
import { Orders } from './orders.tsx';
import { Fills, Funding, History, Ledger, Payouts } from './past.tsx';
import { Positions } from './positions.tsx';

const IDS = ['positions', 'orders', 'triggers', 'fills', 'history', 'payouts', 'funding', 'ledger', 'equity'] as const;
type ListId = (typeof IDS)[number];

const chosen = rememberedLayout<ListId>('list', 'positions', (value): value is ListId => IDS.includes(value as ListId));
followCancelKey();

export function Lists() {
  const id = useId();
  const account = connection.account.value;
  const working = workingOrders.value ?? [];
  const waiting = working.filter(({ status }) => status === 'untriggered').length;
  const tabs = [
    { id: 'positions', title: counted('Positions', portfolio.value?.positions.length ?? 0) },
    { id: 'orders', title: counted('Orders', working.length - waiting) },
    { id: 'triggers', title: counted('Triggers', waiting) },
    { id: 'fills', title: 'Fills' }, { id: 'history', title: 'History' }, { id: 'payouts', title: 'Payouts' },
    { id: 'funding', title: 'Funding' }, { id: 'ledger', title: 'Ledger' }, { id: 'equity', title: 'Equity' },
  ] as const;
  return (
    <section class="lists" aria-label="Positions and orders">
      <div class="bar">
        <Tabs label="List" tabs={tabs} chosen={chosen.value} onChoose={(next) => { chosen.value = next; }} controls={id} />
        <Button onClick={chooseConfirmations}>Ask before …</Button>
        <Button kind="danger" title="Shift-Esc" isDisabled={working.length === 0 || !canAct()} onClick={cancelAll}>Cancel all</Button>
      </div>
      <div class="list" id={id} role="tabpanel">
        {account === null ? <NoWallet /> : <List id={chosen.value} wallet={account.wallet} />}
      </div>
    </section>
  );
}

function List({ id, wallet }: { readonly id: ListId; readonly wallet: string }) {
  switch (id) {
    case 'positions': return <Positions />;
    case 'orders': return <Orders key={id} areWaiting={false} />;
    case 'triggers': return <Orders key={id} areWaiting />;
    case 'fills': return <Fills wallet={wallet} />;
    case 'history': return <History wallet={wallet} />;
    case 'payouts': return <Payouts wallet={wallet} />;
    case 'funding': return <Funding wallet={wallet} />;
    case 'ledger': return <Ledger wallet={wallet} />;
    case 'equity': return <Equity wallet={wallet} />;
  }
}

function NoWallet() {
  return (
    <div class="empty">
      <p>Your positions and orders will be here once you are connected. A throwaway key is the quickest way in; a wallet works too.</p>
      <Button kind="primary" onClick={openWalletMenu}>Choose a wallet or key</Button>
    </div>
  );
}

function counted(title: string, count: number): string {
  return count === 0 ? title : `${title} ${count}`;
}
