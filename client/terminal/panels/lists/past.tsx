// The account's history, newest first; older rows are read when the end is reached. Files are the venue's exports, or else the shown rows.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Fill, LedgerEntry, Order, Payout, Reads, Strikebook } from '../../../src/main.ts';
import { ABSENT, percent, price, signed, size } from '../../format.ts';
import { Button } from '../../ui/controls.tsx';
import { csvOf, download } from '../../ui/csv.ts';
import { DataGrid, type Column } from '../../ui/grid.tsx';
import { showToast } from '../../ui/notices.tsx';
import { news } from '../../venue/account-data.ts';
import { connection } from '../../venue/connection.ts';
import { usePaged } from '../../venue/paged.ts';
import { Gain, Moment, SideCell } from './cells.tsx';

type OfWallet = { readonly wallet: string };
type FundingPayment = Reads['/funding/payments']['answer']['data'][number];
type Answer<Row> = { readonly data: readonly Row[]; readonly pagination: { readonly limit: number } };
type Page = { readonly limit: number; readonly offset: number };
type PastProps<Row> = {
  readonly name: string; readonly wallet: string; readonly version: number; readonly columns: readonly Column<Row>[];
  readonly read: (client: Strikebook, page: Page, signal: AbortSignal) => Promise<Answer<Row>>;
  readonly rowKey: (row: Row) => string | number;
  readonly empty: string;
  readonly file?: (client: Strikebook) => Promise<string>;
  readonly note?: (rows: readonly Row[]) => ComponentChildren;
};

const PAGE = 50;
const FILE = { timeoutMs: 120_000 };

function Past<Row extends object>({ name, wallet, version, columns, read, rowKey, empty, file, note }: PastProps<Row>) {
  const isWriting = useSignal(false);
  const listing = usePaged<Row>(`${name} ${wallet}`, version, async (offset, signal) => {
    const client = connection.client.peek();
    if (client === null) throw new Error('The venue has not answered yet.');
    const { data, pagination } = await read(client, { limit: PAGE, offset }, signal);
    return { rows: data, limit: pagination.limit };
  }, rowKey);
  const rows = listing.rows ?? [];
  const write = async (): Promise<void> => {
    const client = connection.client.peek();
    if (client === null) return;
    isWriting.value = true;
    try {
      const made = file === undefined ? csvOf(rows as readonly Readonly<Record<string, unknown>>[]) : await file(client);
      download(`${name.toLowerCase().replaceAll(' ', '-')}-${wallet}.csv`, made);
    } catch (error) {
      showToast(`No file: ${(error as Error).message}`, 'bad');
    }
    isWriting.value = false;
  };
  return (
    <>
      {rows.length > 0 && (
        <div class="under">
          <span>{note?.(rows)}</span>
          <Button isDisabled={isWriting.value} title={file === undefined ? 'The rows shown here' : 'All rows'} onClick={() => void write()}>
            Save as CSV
          </Button>
        </div>
      )}
      {listing.error !== null && <p class="why" role="alert">{listing.error}</p>}
      <DataGrid
        label={name} columns={columns} rows={rows} rowKey={rowKey} onMore={listing.hasMore ? listing.more : undefined}
        empty={listing.rows === null ? 'Asking the venue …' : empty}
      />
    </>
  );
}

export function Fills({ wallet }: OfWallet) {
  return (
    <Past<Fill>
      name="Fills" wallet={wallet} version={news.fills.value} rowKey={(fill) => fill.fill_id}
      read={(client, page, signal) => client.get('/fills', { wallet, kind: 'all', ...page }, { signal })}
      file={(client) => client.export('/fills', { wallet, kind: 'all' }, FILE)}
      empty="No order of yours has traded yet. Click a bid or an ask in the chain to fill the ticket."
      columns={[
        moment('Time', (fill) => fill.timestamp), text('Contract', 'symbol'), side(), amount('Price', 'price'), amount('Size', 'size'),
        amount('Fee', 'fee'), gain('Realised', 'realized_pnl'),
        { id: 'role', title: 'Role', isText: true, cell: roleOf },
        id('Order id', (fill) => fill.order_id), id('Trade id', (fill) => fill.trade_id),
      ]}
    />
  );
}

export function History({ wallet }: OfWallet) {
  const query = { wallet, status: 'filled,canceled' };
  return (
    <Past<Order>
      name="Order history" wallet={wallet} version={news.orders.value} rowKey={(order) => order.order_id}
      read={(client, page, signal) => client.get('/orders', { ...query, ...page }, { signal })}
      file={(client) => client.export('/orders', query, FILE)} empty="No order of yours has ended yet."
      columns={[
        moment('Ended', (order) => (order.updated_at === null ? null : Date.parse(order.updated_at))), text('Contract', 'symbol'), side(),
        amount('Price', 'price'), amount('Size', 'size'), amount('Filled', 'filled_size'), text('Status', 'order_status'),
        { id: 'why', title: 'Why', isText: true, cell: (order) => order.end_reason ?? ABSENT }, text('In force', 'tif'),
        id('Order id', (order) => order.order_id),
        { id: 'client', title: 'Client id', isText: true, cell: (order) => order.client_id ?? ABSENT },
      ]}
    />
  );
}

export function Payouts({ wallet }: OfWallet) {
  return (
    <Past<Payout>
      name="Payouts" wallet={wallet} version={news.payouts.value} rowKey={(payout) => payout.id}
      read={(client, page, signal) => client.get('/settlement-payouts', { wallet, ...page }, { signal })}
      empty="Nothing was paid out yet. An option that you hold until its expiry pays its value in cash."
      columns={[
        moment('Paid', (payout) => payout.created_at), text('Contract', 'symbol'), amount('Position', 'position_size'),
        amount('Settled at', 'settlement_price'), gain('Value', 'settlement_value'), amount('Entry', 'settlement_entry_price'),
        gain('Profit', 'net_pnl'), id('Payout id', (payout) => payout.id),
      ]}
    />
  );
}

export function Funding({ wallet }: OfWallet) {
  const accrued = useSignal<string | null>(null);
  return (
    <Past<FundingPayment>
      name="Funding payments" wallet={wallet} version={news.funding.value} rowKey={(one) => `${one.symbol} ${one.to_time}`}
      read={async (client, page, signal) => {
        const answer = await client.get('/funding/payments', { wallet, ...page }, { signal });
        accrued.value = answer.accrued;
        return answer;
      }}
      note={() => <>Charged and not booked yet: {signed(accrued.value)} USDC</>}
      empty="You have paid and received no funding. A position in a perp pays or receives it every hour."
      columns={[
        moment('Until', (one) => one.to_time), text('Contract', 'symbol'), amount('Position', 'position'),
        { id: 'hours', title: 'Hours', order: (one) => one.hours, cell: (one) => size(one.hours) },
        { id: 'rate', title: 'Rate, %', order: (one) => one.rate, cell: (one) => percent(one.rate) }, gain('Amount', 'amount'),
        moment('Booked', (one) => one.booked_ms),
      ]}
    />
  );
}

export function Ledger({ wallet }: OfWallet) {
  return (
    <Past<LedgerEntry>
      name="Ledger" wallet={wallet} version={news.ledger.value} rowKey={(entry) => entry.seq}
      read={(client, page, signal) => client.get('/ledger', { wallet, ...page }, { signal })}
      file={(client) => client.export('/ledger', { wallet }, FILE)}
      note={([newest]) => <>Cash: <span class="figure">{price(newest!.balance)}</span> USDC</>}
      empty="No cash of yours has moved yet. The account opens with its first order."
      columns={[
        moment('Time', (entry) => entry.time_ms),
        { id: 'kind', title: 'What', isText: true, cell: ({ kind }) => kind.replaceAll('_', ' ') },
        { id: 'symbol', title: 'Contract', isText: true, cell: ({ symbol }) => symbol ?? ABSENT }, gain('Amount', 'amount'),
        amount('Balance', 'balance'),
        { id: 'cause', title: 'Cause', isText: true, cell: causeOf }, id('No.', (entry) => entry.seq),
      ]}
    />
  );
}

function roleOf({ kind, is_taker: isTaker }: Fill): string {
  if (kind !== 'trade') return kind;
  return isTaker ? 'taker' : 'maker';
}

function causeOf(entry: LedgerEntry): ComponentChildren {
  const { trade_id: trade, payout_id: payout, hour_ms: hour, credit_id: credit, reason, order_id: order } = entry;
  if (credit !== null) return `${reason} (${credit})`;
  if (hour !== null) return <>until <Moment ms={hour} /></>;
  if (trade !== null) return `trade ${trade} of order ${order}`;
  if (payout !== null) return `payout ${payout}`;
  return order === null ? ABSENT : `order ${order}`;
}

type Keyed<Name extends string, Value> = { readonly [N in Name]: Value };

function text<Name extends string>(title: string, name: Name): Column<Keyed<Name, string>> {
  return { id: name, title, isText: true, order: (row) => row[name], cell: (row) => row[name] };
}

function amount<Name extends string>(title: string, name: Name): Column<Keyed<Name, string | null>> {
  return { id: name, title, order: (row) => Number(row[name]), cell: (row) => price(row[name]) };
}

function gain<Name extends string>(title: string, name: Name): Column<Keyed<Name, string | null>> {
  return { id: name, title, order: (row) => Number(row[name]), cell: (row) => <Gain value={row[name]} /> };
}

function side(): Column<{ readonly side: 'Buy' | 'Sell' }> {
  return { id: 'side', title: 'Side', isText: true, order: (row) => row.side, cell: (row) => <SideCell side={row.side} /> };
}

function moment<Row>(title: string, of: (row: Row) => number | null): Column<Row> {
  return { id: title, title, isText: true, order: (row) => of(row) ?? 0, cell: (row) => <Moment ms={of(row)} /> };
}

function id<Row>(title: string, of: (row: Row) => number | null): Column<Row> {
  return { id: title, title, order: (row) => of(row) ?? 0, cell: (row) => of(row) ?? ABSENT };
}
