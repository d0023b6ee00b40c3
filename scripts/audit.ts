// npm run audit -- DATA [--head HASH] [--from-snapshot] [--service-name NAME] [--chain-id N]
// Verifies a data folder offline: chain, signatures, replay, checkpoints, snapshots, sums (scripts/audit/replay.ts). Prints one line with
// the verdict on standard output, progress on standard error. --head: a head hash noted elsewhere, which the chain must pass
// through. --service-name, --chain-id (or SERVICE_NAME, CHAIN_ID): the signing domain of records before the first domain that the
// folder names; a folder of this version names all. Exit code: 0 sound, 1 committed data has changed, 2 the audit could not run.

import { accessSync, constants, existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { HistoryRefusal } from '../shell/storage/history/history-errors.ts';
import { journalFolder } from '../shell/storage/journal/segment.ts';
import { JournalRefusal } from '../shell/storage/journal/journal-errors.ts';
import { lockFolder, unlockFolder } from '../shell/storage/journal/lock.ts';
import { snapshotFolder } from '../shell/storage/journal/snapshot-format.ts';
import { auditFolder, CannotAudit, Unsound, type AuditReport } from './audit/replay.ts';
import { endWithReader } from './output.ts';

const USAGE = 'usage: npm run audit -- DATA [--head HASH] [--from-snapshot] [--service-name NAME] [--chain-id N]';
const PROGRESS_EVERY_MS = 1_000;

type Arguments = {
  readonly data: string; readonly head: string | null; readonly fromSnapshot: boolean;
  readonly name: string | null; readonly chainId: number | null;
};

function readArguments(): Arguments {
  const options = {
    head: { type: 'string' }, 'from-snapshot': { type: 'boolean', default: false },
    'service-name': { type: 'string' }, 'chain-id': { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const [data, more] = positionals;
    if (data === undefined || more !== undefined) throw new Error('one data folder is to be named');
    const head = values.head?.toLowerCase().replace(/^0x/, '') ?? null;
    if (head !== null && !/^[0-9a-f]{64}$/.test(head)) throw new Error('--head has 64 hex digits');
    const name = values['service-name'] ?? process.env['SERVICE_NAME'] ?? null;
    const chain = values['chain-id'] ?? process.env['CHAIN_ID'] ?? null;
    const chainId = chain === null ? null : Number(chain);
    if (chainId !== null && (!Number.isSafeInteger(chainId) || chainId < 1)) throw new Error(`--chain-id is a number, not "${chain}"`);
    return { data, head, fromSnapshot: values['from-snapshot'], name, chainId };
  } catch (error) {
    throw new CannotAudit(`${(error as Error).message.split('. ')[0]}; ${USAGE}`);
  }
}

function progress(): (stage: string, seq: number, lastSeq: number) => void {
  const started = performance.now();
  let told = started;
  return (stage, seq, lastSeq) => {
    const now = performance.now();
    if (now - told < PROGRESS_EVERY_MS) return;
    told = now;
    const part = stage === 'chain' ? `${seq}` : `${seq} of ${lastSeq}`;
    console.error(`audit: ${stage} ${part}, ${((now - started) / 1_000).toFixed(0)} s`);
  };
}

function verdict(report: AuditReport, seconds: number): string {
  const { firstSeq, appliedFrom, lastSeq, head, knownAt, signatures, checkpoints, snapshots, quarantined, domains, stateHash } = report;
  return [
    `audit: sound: seq ${firstSeq} to ${lastSeq}`, `head ${head}`,
    ...(knownAt === null ? [] : [knownAt === lastSeq ? 'as given' : `the head given is that of seq ${knownAt}`]),
    `${signatures} signatures`,
    `${domains.length === 1 ? 'domain' : 'domains'} ${domains.map(({ name, chainId, fromSeq }) => (
      `"${name}" ${chainId} from seq ${fromSeq}`)).join(', ')}`,
    `${lastSeq + 1 - appliedFrom} commands replayed${appliedFrom === firstSeq ? '' : ` from seq ${appliedFrom}`}`,
    `${checkpoints} checkpoints`, `${snapshots} snapshots`, `state ${stateHash}`, 'sums zero',
    ...(quarantined.length === 0 ? [] : [`quarantined: ${quarantined.join(' ')}`]), `${seconds.toFixed(1)} s`,
  ].join(', ');
}

async function lock(data: string): Promise<void> {
  try {
    await lockFolder(data);
  } catch (error) {
    throw new CannotAudit((error as Error).message);
  }
}

/** For a folder without read permission, `existsSync` would report that it has no journal. */
function needReadable(data: string): void {
  try {
    accessSync(data, constants.R_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new CannotAudit(`${data} cannot be read: ${(error as Error).message}`);
  }
}

async function main(): Promise<void> {
  const { data, head, fromSnapshot, name, chainId } = readArguments();
  needReadable(data);
  // Checked before taking the lock, which would create the folder.
  if (![journalFolder(data), snapshotFolder(data)].some((folder) => existsSync(folder))) throw new CannotAudit(`${data} has no journal`);
  await lock(data);
  try {
    const started = performance.now();
    const report = auditFolder({ dataFolder: data, name, chainId, fromSnapshot, knownHead: head, onProgress: progress() });
    console.log(verdict(report, (performance.now() - started) / 1_000));
  } finally {
    unlockFolder(data);
  }
}

endWithReader();
try {
  await main();
} catch (error) {
  if (error instanceof Unsound) {
    console.log(`audit: NOT sound: first bad seq ${error.seq}: ${error.message}`);
    process.exitCode = 1;
  } else if (error instanceof JournalRefusal || error instanceof HistoryRefusal) {
    console.log(`audit: NOT sound: ${error.message}`);
    process.exitCode = 1;
  } else {
    // The audit itself failed; for an unexpected error the stack is printed.
    console.error(`audit: ${error instanceof CannotAudit ? error.message : (error as Error).stack}`);
    process.exitCode = 2;
  }
}
