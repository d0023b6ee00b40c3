// Positions with greeks each and in sum, and the portfolio. Every amount is of the last answer to /portfolio.

import { useSignal } from '@preact/signals';
import type { Position } from '../../../src/main.ts';
import { sumOf } from '../../exact.ts';
import { ABSENT, price, signed } from '../../format.ts';
import { Button } from '../../ui/controls.tsx';
import { DataGrid } from '../../ui/grid.tsx';
import { accountProblem, portfolio, portfolioGreeks } from '../../venue/account-data.ts';
import { select, selection } from '../../venue/store.ts';
import { canAct } from './acting.ts';
import { Gain, Greek, withActions } from './cells.tsx';
import { Deal, type DealKind } from './deal.tsx';

const GREEKS = [['Delta', 'delta', 3], ['Gamma', 'gamma', 6], ['Vega', 'vega', 2], ['Theta', 'theta', 2]] as const;

export function Positions() {
  const deal = useSignal<{ readonly kind: DealKind; readonly position: Position } | null>(null);
  const told = portfolio.value;
  const greeks = portfolioGreeks.value;
  const bySymbol = new Map(greeks?.per_leg.map((leg) => [leg.symbol, leg]));
  const isAble = canAct();
  const action = (kind: DealKind, title: string) => ({
    id: kind, title: '', label: title,
    cell: (position: Position) => (
      <Button
        isInCell isDisabled={!isAble} label={`${title} ${position.symbol}`} onClick={() => { deal.value = { kind, position }; }}
      >{title}</Button>
    ),
  });
  const greekColumn = ([title, id, places]: (typeof GREEKS)[number]) => ({
    id, title, order: ({ symbol }: Position) => bySymbol.get(symbol)?.[id] ?? 0,
    cell: ({ symbol }: Position) => <Greek value={bySymbol.get(symbol)?.[id]} places={places} />,
  });
  const columns = withActions<Position>([
    { id: 'symbol', title: 'Contract', isText: true, order: ({ symbol }: Position) => symbol, cell: ({ symbol }: Position) => symbol },
    { id: 'size', title: 'Size', order: ({ amount }: Position) => Number(amount), cell: ({ amount }: Position) => signed(amount) },
    { id: 'entry', title: 'Entry', order: (one: Position) => Number(one.entry_price), cell: (one: Position) => price(one.entry_price) },
    {
      id: 'unrealised', title: 'Unrealised', order: (one: Position) => Number(one.unrealized_pnl),
      cell: (one: Position) => <Gain value={one.unrealized_pnl} />,
    },
    {
      id: 'realised', title: 'Realised', order: (one: Position) => Number(one.realized_pnl),
      cell: (one: Position) => <Gain value={one.realized_pnl} />,
    },
    ...GREEKS.map(greekColumn),
    {
      id: 'liquidation', title: 'Liq. at', label: 'Liquidation at this index', order: (one: Position) => Number(one.liquidation_price ?? 0),
      cell: (one: Position) => price(one.liquidation_price),
    },
    { id: 'margin', title: 'Margin', order: (one: Position) => Number(one.margin_posted), cell: marginOf },
  ], [action('close', 'Close'), action('reverse', 'Reverse')], 2);
  const positions = told?.positions ?? [];
  const totals = {
    symbol: 'Sum',
    unrealised: <Gain value={sumOf(positions.map((one) => one.unrealized_pnl))} />,
    realised: <Gain value={sumOf(positions.map((one) => one.realized_pnl))} />,
    ...Object.fromEntries(GREEKS.map(([, id, places]) => [id, <Greek value={greeks?.aggregate?.[id]} places={places} />])),
  };
  return (
    <>
      <Sums />
      <DataGrid
        label="Positions" columns={columns} rows={positions} rowKey={({ symbol }) => symbol} totals={totals}
        isSelected={({ symbol }) => symbol === selection.value.contract}
        onChoose={({ symbol }) => select({ contract: symbol, underlying: symbol.split('-')[0]! })}
        empty={told === null ? accountProblem.value ?? 'Asking the venue …'
          : 'You hold no position. Click a bid or an ask in the chain to fill the ticket, and send an order.'}
      />
      {deal.value !== null && <Deal {...deal.value} onClose={() => { deal.value = null; }} />}
    </>
  );
}

function marginOf({ margin_posted: margin }: Position): string {
  return price(margin);
}

export function Sums() {
  const told = portfolio.value;
  const facts: readonly (readonly [string, string, string])[] = [
    ['Equity', price(told?.margin_summary?.equity), 'USDC, options at their marks'],
    ['Margin used', price(told?.total_margin_used), 'USDC that positions and open orders bind'],
    ['Available', price(told?.available_balance), 'USDC free for new orders'],
    ['Above maintenance', price(told?.margin_summary?.maintenance_margin), 'Equity less the maintenance margin, USDC'],
    ['Margin mode', told?.margin_mode ?? ABSENT, 'How the margin is computed'],
  ];
  return (
    <dl class="sums" aria-label="Portfolio">
      {facts.map(([name, text, title]) => <div key={name} title={title}><dt>{name}</dt><dd>{text}</dd></div>)}
    </dl>
  );
}
