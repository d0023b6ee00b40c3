// The newest trades of a contract. The side of the taker shows by sign and colour.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { momentBoth, price, size, timeOfDay } from '../../format.ts';
import { onGridFocus, onGridKey } from '../../ui/grid.tsx';
import { useRead, useStream } from '../../venue/hooks.ts';
import { inNextFrame } from '../../venue/frames.ts';
import { RecentTrades, type RecentTrade } from './recent-trades.ts';

const READ = 50;

export function Trades({ symbol }: { readonly symbol: string }) {
  const trades = useMemo(() => new RecentTrades(), []);
  const rows = useSignal<readonly RecentTrade[]>([]);
  const show = useMemo(() => () => { rows.value = trades.rows; }, []);
  const read = useRead('/trades', { symbol, limit: READ });
  useStream('trades', { symbols: [symbol] }, (trade) => {
    trades.takeStreamed(trade);
    inNextFrame(show);
  }, read.refresh);
  useEffect(() => {
    if (read.data === null) return;
    trades.takeRead(read.data.data);
    inNextFrame(show);
  }, [read.data]);
  return (
    <div class="grid-frame trades">
      <table
        class="grid" role="grid" aria-label={`Last trades of ${symbol}`} aria-rowcount={rows.value.length + 1} onKeyDown={onGridKey}
        onFocusIn={onGridFocus}
      >
        <thead>
          <tr role="row">
            <th role="columnheader" scope="col" tabIndex={0}>Trade at</th>
            <th role="columnheader" scope="col" tabIndex={-1}>Size</th>
            <th role="columnheader" scope="col" tabIndex={-1}>Time</th>
          </tr>
        </thead>
        <tbody>{rows.value.map((trade) => <TradeLine key={trade.id} trade={trade} />)}</tbody>
      </table>
      {rows.value.length === 0 && <p class="empty">{read.error?.message ?? 'No trade yet.'}</p>}
    </div>
  );
}

function TradeLine({ trade: { price: at, size: contracts, isBuy, timestamp } }: { readonly trade: RecentTrade }) {
  const { kind, sign, word } = isBuy ? { kind: 'up', sign: '▴', word: 'buy' } : { kind: 'down', sign: '▾', word: 'sell' };
  return (
    <tr role="row">
      <td role="gridcell" tabIndex={-1} class={kind}><span class="move" role="img" aria-label={word}>{sign}</span>{price(at)}</td>
      <td role="gridcell" tabIndex={-1}>{size(contracts)}</td>
      <td role="gridcell" tabIndex={-1} class="soft" title={momentBoth(timestamp)}>{timeOfDay(timestamp)}</td>
    </tr>
  );
}
