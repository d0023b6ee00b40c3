// The heat map and the tails: real tables, coloured by classes, with the binding scenario marked.

import type { ComponentChildren } from 'preact';
import { percent, price, rounded, signed } from '../../format.ts';
import type { HeatCell, HeatMap } from './heat.ts';

type HeatProps = { readonly underlying: string; readonly map: HeatMap };

export function HeatTable({ underlying, map: { cells, spots, volatilities } }: HeatProps) {
  return (
    <Frame label={`Scenarios of ${underlying}`}>
      <caption>Gain or loss, USD, if the index (columns) and volatility (rows) move at once</caption>
      <thead>
        <tr>
          <th scope="col">Volatility</th>
          {spots.map((spot) => <th key={spot} scope="col">{shock(spot)}</th>)}
        </tr>
      </thead>
      <tbody>
        {cells.map((row, at) => (
          <tr key={volatilities[at]}>
            <th scope="row">{shock(volatilities[at]!)}</th>
            {row.map((cell, column) => (cell === null ? <td key={spots[column]} /> : <Result key={spots[column]} cell={cell} />))}
          </tr>
        ))}
      </tbody>
    </Frame>
  );
}

const TAIL_COLUMNS = ['Index', 'Volatility', 'Share', 'Counts as'];

export function TailTable({ underlying, map: { tails } }: HeatProps) {
  if (tails.length === 0) return null;
  return (
    <Frame label={`Tails of ${underlying}`}>
      <caption>Far moves, of which a share counts</caption>
      <thead><tr>{TAIL_COLUMNS.map((title) => <th key={title} scope="col">{title}</th>)}</tr></thead>
      <tbody>
        {tails.map((cell) => (
          <tr key={cell.id}>
            <th scope="row">{shock(cell.spot_shock_pct)}</th>
            <td>{shock(cell.vol_shock_pct)}</td>
            <td>{`${percent(cell.pnl_weight)} %`}</td>
            <Result cell={cell} />
          </tr>
        ))}
      </tbody>
    </Frame>
  );
}

function Frame({ children, label }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="heat-frame" role="region" aria-label={`${label}, scrolls`} tabIndex={0}>
      <table class="heat" aria-label={label}>{children}</table>
    </div>
  );
}

function Result({ cell }: { readonly cell: HeatCell }) {
  const { heat, id, isWorst, total_pnl: pnl } = cell;
  return (
    <td
      data-scenario={id} data-heat={heat} class={isWorst ? 'binding' : undefined}
      title={`${scenarioText(cell)}: ${signed(pnl)} USD${isWorst ? ', the scanning risk' : ''} (GET /risk/grid)`}
    >
      {signed(rounded(pnl, 0))}{isWorst && <span class="unseen"> binding</span>}
    </td>
  );
}

export function scenarioText({ id, pnl_weight: weight, spot_shock_pct: spot, vol_shock_pct: volatility }: HeatCell): string {
  return `${id}: index ${shock(spot)}, volatility ${shock(volatility)}${Number(weight) === 1 ? '' : `, counted ${percent(weight)} %`}`;
}

function shock(fraction: string): string {
  const text = percent(fraction);
  return `${Number(fraction) > 0 ? '+' : ''}${text} %`;
}

export function money(amount: string | null | undefined): string {
  return price(rounded(amount, 2));
}
