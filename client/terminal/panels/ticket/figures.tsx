// The account before the order and once it is filled: the core's figures, all digits in the title.

import { ABSENT, price, rounded } from '../../format.ts';
import type { AccountView, WhatIfAnswer } from '../../whatif/what-if.ts';

type Row = {
  readonly title: string; readonly what: string; readonly places: number; readonly of: (view: AccountView) => string | number | null;
};
type FiguresProps = { readonly before: AccountView | null; readonly answer: WhatIfAnswer | null; readonly underlying: string };

const MONEY = 2;
const GREEK = 4;

function rowsOf(underlying: string): readonly Row[] {
  return [
    { title: 'Initial margin', what: 'What open positions need for new orders, USD', places: MONEY, of: (view) => view.initial_margin },
    {
      title: 'Maintenance', what: 'Below this equity positions are taken over, USD', places: MONEY, of: (view) => view.maintenance_margin,
    },
    { title: 'Free collateral', what: 'What is left for new orders, USD', places: MONEY, of: (view) => view.free_collateral },
    { title: 'Delta', what: 'Of the account, contracts of the underlying', places: GREEK, of: ({ greeks }) => greeks.delta },
    { title: 'Gamma', what: 'Change of delta for one USD of the index', places: GREEK + 4, of: ({ greeks }) => greeks.gamma },
    { title: 'Vega', what: 'USD for one point of volatility', places: GREEK, of: ({ greeks }) => greeks.vega },
    { title: 'Theta', what: 'USD for one day', places: GREEK, of: ({ greeks }) => greeks.theta },
    {
      title: 'Liquidation', what: `Index of ${underlying} at which equity meets maintenance margin; none within the searched range: –`,
      places: MONEY, of: (view) => view.liquidation_prices[underlying] ?? null,
    },
  ];
}

export function Figures({ before, answer, underlying }: FiguresProps) {
  const resting = answer?.resting.free_collateral;
  return (
    <table class="before-after">
      <caption class="unseen">The account before and after the order</caption>
      <thead><tr><th scope="col">USD</th><th scope="col">Before</th><th scope="col">If filled</th></tr></thead>
      <tbody>
        {rowsOf(underlying).map((row) => (
          <tr key={row.title}>
            <th scope="row" title={row.what}>{row.title}</th>
            <Cell row={row} view={answer?.before ?? before} />
            <Cell row={row} view={answer?.filled ?? null} />
          </tr>
        ))}
        <tr>
          <th scope="row" title="What is left for new orders while the order waits in the book, USD">Free, resting</th>
          <td />
          <td title={resting}>{price(rounded(resting, MONEY))}</td>
        </tr>
        <tr>
          <th scope="row" title="If all of the order takes, USD">Fee, as taker</th>
          <td />
          <td title={answer?.fee}>{price(rounded(answer?.fee, MONEY))}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Cell({ row: { of, places }, view }: { readonly row: Row; readonly view: AccountView | null }) {
  const value = view === null ? null : of(view);
  return <td title={value === null ? undefined : price(value)}>{value === null ? ABSENT : price(rounded(value, places))}</td>;
}
