// The process: reads the settings, opens the venue, says that it is ready, and stops it on a signal. A fault of the start
// is one clear line and exit code 2; a fault later is one line and the end of the process (shell/fatal).

import { banner } from './banner.ts';
import { BadSetting } from './bad-setting.ts';
import { processConfig } from './config.ts';
import { fatal, guardThread } from './fatal.ts';
import { tuneRuntime } from './flags.ts';
import { JournalRefusal } from './journal/errors.ts';
import { log, logAs } from './observability/log.ts';
import { fewFiles, openFilesLimit } from './open-files.ts';
import { CommandFailed } from './recovery.ts';
import { isRefusal } from './refusal.ts';
import { Venue } from './venue.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

guardThread('main');
tuneRuntime();
try {
  const config = processConfig();
  if ('help' in config) {
    log('info', 'help', config.help);
  } else {
    logAs(config.log, 'main');
    const remark = fewFiles(openFilesLimit(), config.workers);
    if (remark !== null) log('warn', 'files', remark);
    const venue = await Venue.open(config);
    const stop = (reason: string): void => {
      log('info', 'stopping', `stopping: ${reason}`);
      venue.stop().then((line) => {
        log('info', 'stopped', line);
        process.exit(0);
      }, (error: unknown) => fatal('main', error));
    };
    // A signal that comes while the venue recovers is obeyed as soon as it can stop cleanly.
    let early: string | null = null;
    let isReady = false;
    let isAsked = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isAsked) endBy(signal, onSignal);
      isAsked = true;
      if (isReady) stop(signal);
      else early = signal;
    };
    for (const each of SIGNALS) process.on(each, onSignal);
    const state = await venue.start();
    isReady = true;
    if (early !== null) {
      stop(early);
    } else {
      venue.onDiskFull(() => stop('the disk is nearly full'));
      log('info', 'ready', banner(venue.config, state));
    }
  }
} catch (error) {
  if (!isRefusal(error) && !(error instanceof BadSetting)) fatal('main', error);
  log('error', 'refused', lineOf(error));
  process.exit(2);
}

/** The second signal, whichever it is, does what it does to a process that does not listen. */
function endBy(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): void {
  for (const each of SIGNALS) process.off(each, listener);
  process.kill(process.pid, signal);
}

function lineOf(error: Error): string {
  if (error instanceof CommandFailed) return `${error.message}; start with --quarantine ${error.seq} to skip exactly that one`;
  if (error instanceof JournalRefusal && error.code === 'ends_early') return `${error.message} (docs/OPERATIONS.md: A lost end)`;
  return error.message;
}
