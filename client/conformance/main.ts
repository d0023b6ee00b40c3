// strikebook conformance URL [--token TOKEN] [--limits] [--all]
// Asks a venue that claims the interface, with new wallets. Prints a line for each row of the law that does not hold, with `--all` also
// what was not asked, and why. Exit code 0 when every row that was asked holds.

import { parseArgs } from 'node:util';
import { runConformance } from './run.ts';

const FLAG = { type: 'boolean' } as const;
const USAGE = 'usage: strikebook conformance URL [--token TOKEN] [--limits] [--all]';

async function main(): Promise<number> {
  const { positionals: [url, ...more], values } = parseArgs({
    options: { token: { type: 'string' }, limits: FLAG, all: FLAG, help: FLAG }, allowPositionals: true,
  });
  if (values.help === true || url === undefined || more.length > 0) {
    console.log(USAGE);
    return values.help === true ? 0 : 2;
  }
  const { failed, outcomes, skipped } = await runConformance(url, values, (line) => console.log(line));
  if (values.all === true) for (const { fault, isSkipped, name } of outcomes) if (isSkipped) console.log(`not asked ${name}: ${fault}`);
  console.log(`${url}: ${outcomes.length - skipped} asked, ${failed} failed, ${skipped} not asked`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`conformance: ${(error as Error).message}`);
  process.exitCode = 2;
}
