// A venue as a process of its own that is ready to be asked, for a test that starts one or several after another on a folder.

import { Http } from '../../scripts/client.ts';
import { VenueProcess, type VenueOptions } from '../../scripts/venue-process.ts';
import type { Ends } from './temporary.ts';

/** Both end with the test, whatever it has done with them. */
export async function runningVenue(t: Ends, options: VenueOptions): Promise<{ readonly venue: VenueProcess; readonly http: Http }> {
  const venue = await VenueProcess.start(options);
  t.after(() => venue.kill());
  await venue.ready();
  const http = new Http(venue.url);
  t.after(() => http.close());
  return { venue, http };
}
