// All accounts of the venue for its operator, a page at a time, in the order of their rows.

import { useSignal } from '@preact/signals';
import type { AccountRow, Operator } from '../../../src/main.ts';
import { momentBoth, price } from '../../format.ts';
import { Button } from '../../ui/controls.tsx';
import { DataGrid } from '../../ui/grid.tsx';
import { usePolled } from './use-polled.ts';

const EVERY_MS = 5_000;
const ROWS = 100;

const COLUMNS = [
  { id: 'wallet', title: 'Wallet', isText: true, cell: (row: AccountRow) => row.wallet },
  textColumn('tier', 'Tier'),
  textColumn('mode', 'Mode'),
  textColumn('margin_mode', 'Margin'),
  textColumn('status', 'Status'),
  { id: 'balance', title: 'Balance', cell: (row: AccountRow) => price(row.balance), order: (row: AccountRow) => Number(row.balance) },
  { id: 'orders', title: 'Orders', cell: (row: AccountRow) => row.open_orders, order: (row: AccountRow) => row.open_orders },
  { id: 'positions', title: 'Positions', cell: (row: AccountRow) => row.positions, order: (row: AccountRow) => row.positions },
  {
    id: 'used', title: 'Last used', isText: true, cell: (row: AccountRow) => momentBoth(row.last_used_ms),
    order: (row: AccountRow) => row.last_used_ms,
  },
];

export function Accounts({ operator }: { readonly operator: Operator }) {
  const offset = useSignal(0);
  const { data, problem } = usePolled(() => operator.accounts({ limit: ROWS, offset: offset.value }), EVERY_MS, offset.value);
  const next = data?.next_offset ?? null;
  return (
    <>
      <DataGrid
        label="Accounts" columns={COLUMNS} rows={data?.data ?? []} rowKey={({ wallet }) => wallet}
        empty={problem ?? (data === null ? 'Asking the venue …' : 'No wallet has an account yet: it begins with its first request.')}
      />
      <div class="bar">
        <span class="soft">From row {offset.value}</span>
        <span class="switch">
          <Button isDisabled={offset.value === 0} onClick={() => { offset.value = 0; }}>First page</Button>
          <Button isDisabled={next === null} onClick={() => { offset.value = next!; }}>Next page</Button>
        </span>
      </div>
    </>
  );
}

function textColumn(id: 'tier' | 'mode' | 'margin_mode' | 'status', title: string) {
  return { id, title, isText: true, cell: (row: AccountRow) => row[id], order: (row: AccountRow) => row[id] };
}
