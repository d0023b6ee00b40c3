// The account's worth and requirement, as the venue says: rounded to cents, with all digits and the source in the title.

import type { Portfolio, RiskGrid } from '../../../src/main.ts';
import { ABSENT, price } from '../../format.ts';
import { scenarioText, money } from './heat-map.tsx';
import type { HeatMap } from './heat.ts';

type Figure = {
  readonly name: string; readonly value: string | null | undefined; readonly source: string; readonly isBinding?: boolean;
  readonly none?: string;
};

export function Totals({ grid, portfolio }: { readonly grid: RiskGrid | null; readonly portfolio: Portfolio | null }) {
  const figures: readonly Figure[] = [
    { name: 'Equity', value: portfolio?.margin_summary?.equity, source: 'GET /portfolio, margin_summary.equity' },
    { name: 'Initial margin', value: grid?.total_initial_margin, source: 'GET /risk/grid, total_initial_margin' },
    { name: 'Maintenance margin', value: grid?.position_maintenance_margin, source: 'GET /risk/grid, position_maintenance_margin' },
    { name: 'Reserved for orders', value: grid?.open_orders_reserved, source: 'GET /risk/grid, open_orders_reserved' },
    { name: 'Free collateral', value: portfolio?.available_balance, source: 'GET /portfolio, available_balance' },
  ];
  return <Figures label="Margin, USD" figures={figures} />;
}

type RequirementProps = { readonly grid: RiskGrid; readonly map: HeatMap };

/** Portfolio mode: the larger of scanning risk and floor, and the overlay. */
export function Requirement({ grid, map: { worst } }: RequirementProps) {
  const isScan = Number(grid.scanning_risk) >= Number(grid.option_floor);
  const isPortfolio = grid.margin_mode === 'portfolio';
  return (
    <div class="requirement">
      <Figures
        label="Requirement by scenarios, USD"
        figures={[
          { name: 'Scanning risk', value: grid.scanning_risk, source: 'GET /risk/grid, scanning_risk', isBinding: isScan },
          { name: 'Option floor', value: grid.option_floor, source: 'GET /risk/grid, option_floor', isBinding: !isScan },
          { name: 'Gamma overlay', value: grid.gamma_overlay, source: 'GET /risk/grid, gamma_overlay' },
        ]}
      />
      <p class="soft">
        {isScan
          ? worst === null ? 'No scenario loses anything. ' : `Binding is scenario ${scenarioText(worst)}. `
          : 'Binding is the floor for short options. '}
        The larger of scanning risk and floor is required, and the overlay.
        {!isPortfolio && ' The account is in standard mode: this is what portfolio mode would require.'}
      </p>
    </div>
  );
}

export function LiquidationPrices({ portfolio }: { readonly portfolio: Portfolio }) {
  const prices = new Map(portfolio.positions.map(({ symbol, liquidation_price: at }) => [symbol.slice(0, symbol.indexOf('-')), at]));
  if (prices.size === 0) return null;
  return (
    <Figures
      label="Liquidation prices"
      figures={[...prices].map(([underlying, at]) => (
        { name: `Liquidation at ${underlying} index`, value: at, none: 'none', source: at === null ? NO_PRICE : SOURCE_OF_PRICE }
      ))}
    />
  );
}

const SOURCE_OF_PRICE = 'GET /portfolio, positions[].liquidation_price';
const NO_PRICE = `No price between 0.01 and 10 times the index liquidates the account. ${SOURCE_OF_PRICE}`;

function Figures({ figures, label }: { readonly figures: readonly Figure[]; readonly label: string }) {
  return (
    <dl class="figures" aria-label={label}>
      {figures.map(({ name, isBinding, none, source, value }) => (
        <div key={name} class={isBinding === true ? 'binding' : undefined}>
          <dt>{name}{isBinding === true && <em> binds</em>}</dt>
          <dd title={`${price(value)}: ${source}`}>{value === null ? none ?? ABSENT : money(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
