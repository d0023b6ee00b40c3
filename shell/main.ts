// The process: reads the settings, opens the venue, says that it is ready, and stops it on a signal. A fault of the start
// is one clear line and exit code 2; a fault later is one line and the end of the process (shell/fatal).

import * as fs from 'node:fs';
import { banner } from './banner.ts';
import { BadSetting } from './bad-setting.ts';
import { processConfig } from './config.ts';
import { fatal, guardThread } from './fatal.ts';
import { tuneRuntime } from './flags.ts';
import { CommandFailed } from './recovery.ts';
import { isRefusal, Venue } from './venue.ts';

guardThread('main');
tuneRuntime();
try {
  const config = processConfig();
  if ('help' in config) {
    fs.writeSync(1, `${config.help}\n`);
  } else {
    const venue = await Venue.open(config);
    const stop = (reason: string): void => {
      fs.writeSync(1, `stopping: ${reason}\n`);
      venue.stop().then((line) => {
        fs.writeSync(1, `${line}\n`);
        process.exit(0);
      }, (error: unknown) => fatal('main', error));
    };
    // A signal that comes while the venue recovers is obeyed as soon as it can stop cleanly.
    let early: string | null = null;
    let isReady = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        if (isReady) stop(signal);
        else early = signal;
      });
    }
    const state = await venue.start();
    isReady = true;
    if (early !== null) stop(early);
    venue.onDiskFull(() => stop('the disk is nearly full'));
    fs.writeSync(1, banner(venue.config, state));
  }
} catch (error) {
  if (!isRefusal(error) && !(error instanceof BadSetting)) fatal('main', error);
  fs.writeSync(2, `strikebook: ${lineOf(error)}\n`);
  process.exit(2);
}

function lineOf(error: Error): string {
  if (error instanceof CommandFailed) return `${error.message}; start with --quarantine ${error.seq} to skip exactly that one`;
  return error.message;
}
