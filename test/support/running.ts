// A venue process that is ready for requests, for tests that start one or several on a folder.

import { setTimeout as sleep } from 'node:timers/promises';
import { Http } from '../../scripts/client.ts';
import { VenueProcess, type VenueOptions } from '../../scripts/venue-process.ts';
import type { Ends } from './temporary.ts';

type Running = { readonly venue: VenueProcess; readonly http: Http };
const LOOK_EVERY_MS = 20;

/** Both are closed at the end of the test, whatever it has done with them. */
export async function runningVenue(t: Ends, options: VenueOptions): Promise<Running> {
  const running = await startedVenue(t, options);
  await running.venue.ready();
  return running;
}

/** The same where its feed or its clock keeps it from being ready: it answers. */
export async function recoveredVenue(t: Ends, options: VenueOptions): Promise<Running> {
  const { venue, http } = await startedVenue(t, options);
  while ((await http.get('/exchange-info').catch(() => null))?.status !== 200) {
    if (venue.isOver) throw new Error(`the venue ended before it answered: ${venue.err}`);
    await sleep(LOOK_EVERY_MS);
  }
  return { venue, http };
}

async function startedVenue(t: Ends, options: VenueOptions): Promise<Running> {
  const venue = await VenueProcess.start(options);
  t.after(() => venue.kill());
  const http = new Http(venue.url);
  t.after(() => http.close());
  return { venue, http };
}
