// The report of a simulated day, as lines. Money of the core in micros becomes USDC.

import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../core/accounts/accounts.ts';
import type { DayReport } from './run.ts';

const STATES: Readonly<Record<number, string>> = {
  [HEALTHY]: 'healthy', [PRE_LIQUIDATION]: 'pre_liquidation', [IN_LIQUIDATION]: 'in_liquidation', [LIQUIDATED]: 'liquidated',
};

export function reportLines({ desk, record, audit, checks, seconds, auditSeconds }: DayReport): string[] {
  const { counts, fund } = record;
  const { cash, perpCost, house } = record.sums();
  const atEnd = record.fundAtEnd();
  const isAll = checks.every(({ isSo }) => isSo);
  const rates = record.fundings.map(({ rate }) => rate);
  return [
    `  requests      ${listed(desk.sent)}; ${desk.answered} answered, ${desk.accepted} orders accepted`,
    ...[...desk.refused].sort(([, a], [, b]) => b - a).map(([what, times]) => `  refused       ${times} x ${what}`),
    `  fills         ${counts.fills}: ${counts.optionFills} of options, ${counts.perpFills} of perps`,
    `  funding       ${record.fundings.length} rates, ${percent(Math.min(...rates))} to ${percent(Math.max(...rates))} an hour; `
      + `paid by ${counts.funded} holdings`,
    `  protection    triggered ${counts.triggers} times`,
    ...record.standings.map(({ wallet, from, to, time }) => (
      `  liquidation   ${clockText(time)} ${wallet.slice(0, 10)} ${STATES[from]} -> ${STATES[to]}`
        + `${to === LIQUIDATED ? `, ${record.takenOver.get(wallet) ?? 0} positions to the fund` : ''}`
    )),
    `  liquidation   ${counts.closingFills} fills of the venue's own orders, ${fund.deleveraged} of deleveraging`,
    `  fund          ${atEnd === null ? 'never opened' : `fees ${usdc(fund.fees)}, cover ${usdc(fund.cover)}, `
      + `cash of takeovers ${usdc(fund.takeovers)}; at the end cash ${usdc(BigInt(atEnd.cash))}, ${atEnd.positions} positions`}`,
    `  money         cash ${usdc(cash)} - cost of perps ${usdc(perpCost)} + house ${usdc(house)} = ${usdc(cash - perpCost + house)}`,
    `  journal       seq ${audit.lastSeq}, head ${audit.head}`,
    `  audit         ${audit.signatures} signatures, ${audit.checkpoints} checkpoints, ${audit.snapshots} snapshots, `
      + `state ${audit.stateHash}`,
    ...checks.map(({ claim, isSo, found }) => `  ${isSo ? 'so ' : 'NOT'}           ${claim}: ${found}`),
    `day: ${isAll ? 'all of it is so' : 'FAILED'}, ${seconds.toFixed(1)} s of trading, ${auditSeconds.toFixed(1)} s of audit`,
  ];
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, times]) => `${what} ${times}`).join(', ');
}

function clockText(time: number): string {
  return new Date(time).toISOString().slice(11, 19);
}

function percent(rate: number): string {
  return `${(rate / 1e7).toFixed(4)} %`;
}

function usdc(micros: bigint): string {
  const size = (micros < 0n ? -micros : micros).toString().padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${size.slice(0, -6)}.${size.slice(-6)}`;
}
