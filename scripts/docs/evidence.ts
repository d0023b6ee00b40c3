// The table of runs in docs/RELIABILITY.md, made from docs/evidence: one file per claim with its runs, the newest first. The kills of all
// crash runs together bound the rate of losses.

import { readdirSync, readFileSync } from 'node:fs';

type EvidenceRun = {
  readonly date: string; readonly commit: string; readonly machine: string; readonly command: string; readonly result: string;
  readonly kills?: number; readonly answers?: number; readonly simulations?: number;
  /** The run failed, and the cause was not found. */
  readonly open?: boolean;
};
type Evidence = { readonly claim: string; readonly runs: readonly EvidenceRun[] };

const FOLDER = new URL('../../docs/evidence/', import.meta.url);
const BEGIN = '<!-- evidence -->\n';
const END = '<!-- /evidence -->';

function readEvidence(): readonly Evidence[] {
  return readdirSync(FOLDER).sort().map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Evidence);
}

/** Upper bound of the failure rate in per cent, with 95 % confidence, after this many trials without a failure. */
function boundPercent(trials: number): string {
  return n(Math.ceil(300 / trials * 100) / 100);
}

function n(amount: number): string {
  return amount.toLocaleString('en-US');
}

function evidenceTable(all: readonly Evidence[]): string {
  // The last run of each claim, and older failed runs whose cause was not found.
  const shown = all.flatMap(({ claim, runs }) => runs.filter((run, at) => at === 0 || run.open === true).map((run) => ({ claim, run })));
  const rows = shown.map(({ claim, run: { date, commit, machine, command, result } }) => (
    `| ${claim} | ${date}, ${commit}, ${machine} | \`${command}\` | ${result} |`
  ));
  const sum = (of: 'kills' | 'answers' | 'simulations'): number => (
    all.flatMap(({ runs }) => runs).reduce((total, run) => total + (run[of] ?? 0), 0)
  );
  const [kills, answers, simulations] = [sum('kills'), sum('answers'), sum('simulations')];
  return [
    '| Claim | Run | Command | Result |', '|---|---|---|---|', ...rows, '',
    `All recorded crash runs together: ${n(kills)} kills, ${n(answers)} answers, nothing lost. So the rate of losses is below `
      + `${boundPercent(kills)} % a kill (95 %). The last ${n(simulations)} simulations of 20,000 steps: below `
      + `${boundPercent(simulations)} % each.`,
  ].join('\n');
}

/** The document with the table of the present evidence. */
export function withEvidence(page: string): string {
  const [before, rest] = page.split(BEGIN) as [string, string?];
  const after = rest?.split(END)[1];
  if (after === undefined) throw new RangeError(`the page has no lines ${BEGIN.trim()} and ${END}`);
  return `${before}${BEGIN}\n${evidenceTable(readEvidence())}\n\n${END}${after}`;
}
