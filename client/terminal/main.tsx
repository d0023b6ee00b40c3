// The trading page's entry: connects to the venue that served the page, and mounts the page.

import { render } from 'preact';
import { followSession } from './account.tsx';
import { App } from './app.tsx';
import { startKeys } from './keyboard.ts';
import { followAddress } from './venue/address.ts';
import { startClock } from './venue/clock.ts';
import { connection } from './venue/connection.ts';

followAddress();
connection.start();
startClock();
followSession();
startKeys();
const page = document.getElementById('page')!;
page.replaceChildren();
render(<App />, page);
