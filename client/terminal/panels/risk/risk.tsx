// The risk of the account: totals, the venue's scenarios, liquidation prices, payoff, and the margin mode.

import { useMemo } from 'preact/hooks';
import type { RiskGrid } from '../../../src/main.ts';
import { momentBoth, price } from '../../format.ts';
import { openWalletMenu } from '../../keys/wallet-menu.tsx';
import { Button } from '../../ui/controls.tsx';
import { connection } from '../../venue/connection.ts';
import { useRead } from '../../venue/hooks.ts';
import { selection } from '../../venue/store.ts';
import { heatMapOf, type UnderlyingRisk } from './heat.ts';
import { HeatTable, TailTable } from './heat-map.tsx';
import { MarginMode } from './margin-mode.tsx';
import { BookPayoff } from './payoff.tsx';
import { LiquidationPrices, Requirement, Totals } from './totals.tsx';

const EVERY_MS = 2_000;

export function Risk() {
  const wallet = connection.account.value?.wallet ?? null;
  if (wallet === null) {
    return (
      <section class="risk" aria-label="Risk">
        <div class="empty">
          <p>Choose a wallet or a throwaway key to see what your account would gain or lose when the index and volatility move.</p>
          <Button kind="primary" onClick={openWalletMenu}>Wallets and keys</Button>
        </div>
      </section>
    );
  }
  return <AccountRisk key={wallet} wallet={wallet} />;
}

function AccountRisk({ wallet }: { readonly wallet: string }) {
  const { underlying } = selection.value;
  const portfolio = useRead('/portfolio', { wallet }, { everyMs: EVERY_MS });
  const grid = useRead('/risk/grid', { wallet }, { everyMs: EVERY_MS });
  const inputs = useRead('/risk/inputs', { wallet }, { everyMs: EVERY_MS });
  const error = portfolio.error ?? grid.error ?? inputs.error;
  const refresh = (): void => [portfolio, grid, inputs].forEach((read) => read.refresh());
  const risk = grid.data?.data.underlyings.find((one) => one.underlying === underlying);
  return (
    <section class="risk" aria-label="Risk">
      {error !== null && <p class="note bad" role="status">{error.message}</p>}
      <div class="risk-head">
        <Totals grid={grid.data?.data ?? null} portfolio={portfolio.data} />
        {portfolio.data !== null && <LiquidationPrices portfolio={portfolio.data} />}
        {inputs.data !== null && <MarginMode inputs={inputs.data.data} onChanged={refresh} />}
      </div>
      <div class="risk-body">
        {grid.data !== null && (risk === undefined
          ? <p class="empty">No positions or orders in {underlying}: its scenarios move nothing. Trade, or choose another underlying.</p>
          : <Scenarios grid={grid.data.data} risk={risk} />)}
        {inputs.data !== null && <BookPayoff inputs={inputs.data.data} underlying={underlying} />}
      </div>
    </section>
  );
}

function Scenarios({ grid, risk }: { readonly grid: RiskGrid; readonly risk: UnderlyingRisk }) {
  const map = useMemo(() => heatMapOf(risk), [risk]);
  const { underlying } = risk;
  return (
    <div class="scenario-view">
      <h3 title={`Marks ${risk.vintage} of ${momentBoth(risk.marked_at)}. GET /risk/grid`}>
        Scenarios of {underlying} at index <span class="figure">{price(risk.index_price)}</span>
      </h3>
      <div class="scenarios">
        <div>
          <HeatTable underlying={underlying} map={map} />
          <Requirement grid={grid} map={map} />
        </div>
        <TailTable underlying={underlying} map={map} />
      </div>
    </div>
  );
}
