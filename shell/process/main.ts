// The process: reads settings, opens the venue, stops on a signal. A failed start is one line and exit code 2.

import { banner, sharedDomainWarning } from './banner.ts';
import { BadSetting } from './bad-setting.ts';
import { requireKnownBinaries } from './native-binaries.ts';
import { steady } from './clock.ts';
import { processConfig, processLog, type Config } from './config.ts';
import { fatal, guardThread } from './fatal.ts';
import { tuneRuntime } from './v8-flags.ts';
import { JournalRefusal } from '../storage/journal/journal-errors.ts';
import { log, logAs, type Fields } from './observability/log.ts';
import { openFilesWarning, openFilesLimit } from './open-files.ts';
import { CommandFailed } from '../storage/recovery-errors.ts';
import { isStartRefusal } from './start-refusal.ts';
import { Venue } from './venue.ts';

/** An unhandled SIGHUP from a closing terminal would end the venue without a snapshot. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A signal repeated within this time counts once: npm and `timeout` pass on the terminal's Ctrl-C. */
const SAME_SIGNAL_MS = 1_000;

guardThread('main');
// Files are private, because the journal contains signed orders.
process.umask(0o077);
tuneRuntime();
try {
  logAs(processLog(), 'main');
  const config = processConfig();
  if ('help' in config) {
    logAs('text', 'main');
    log('info', 'help', config.help);
  } else {
    const remark = openFilesWarning(openFilesLimit(), config.workers);
    if (remark !== null) log('warn', 'files', remark);
    requireKnownBinaries();
    await run(config);
  }
} catch (error) {
  if (!isStartRefusal(error) && !(error instanceof BadSetting)) fatal('main', error);
  log('error', 'refused', refusalLine(error), refusalFields(error));
  process.exit(2);
}

async function run(config: Config): Promise<void> {
  let venue: Venue | null = null;
  let isReady = false;
  let asked: { readonly signal: NodeJS.Signals; readonly at: number } | null = null;
  const say = (reason: string): void => log('info', 'stopping', `stopping: ${reason}`, { reason });
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked?.signal === signal && steady() - asked.at < SAME_SIGNAL_MS) return;
    if (asked !== null) endBy(signal, onSignal);
    asked = { signal, at: steady() };
    say(signal);
    if (isReady) stop(venue!);
    else venue?.cancelStart();
  };
  for (const each of SIGNALS) process.on(each, onSignal);
  venue = await Venue.open(config);
  if (asked !== null) venue.cancelStart();
  const state = await venue.start().catch((error: unknown) => {
    if (asked === null || !isStartRefusal(error)) throw error;
    log('info', 'stopped', `stopped before it was ready: ${error.message}`);
    process.exit(0);
  });
  isReady = true;
  if (asked !== null) return stop(venue);
  venue.onDiskFull(() => {
    say('the disk is nearly full');
    stop(venue);
  });
  const shared = sharedDomainWarning(venue.config);
  if (shared !== null) log('warn', 'domain', shared);
  const { text, fields, more } = banner(venue.config, state);
  log('info', 'ready', text, fields, more);
  const { playsScenario, scenario } = config;
  if (!playsScenario || scenario === null) return;
  for (const line of await venue.playScenario(scenario)) log('info', 'scenario', line);
  say('the scenario is over');
  stop(venue);
}

function stop(venue: Venue): void {
  venue.stop().then((end) => {
    if (end === null) log('info', 'stopped', 'stopped');
    else log('info', 'stopped', `stopped at seq ${end.seq}, head ${end.head}`, end);
    process.exit(0);
  }, (error: unknown) => fatal('main', error));
}

function endBy(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): void {
  for (const each of SIGNALS) process.off(each, listener);
  process.kill(process.pid, signal);
}

function refusalFields(error: Error): Fields {
  return 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
}

function refusalLine(error: Error): string {
  if (error instanceof CommandFailed) return `${error.message}; start with --quarantine ${error.seq} to skip exactly that one`;
  if (error instanceof JournalRefusal && error.code === 'ends_early') return `${error.message} (docs/OPERATIONS.md: A lost end)`;
  return error.message;
}
