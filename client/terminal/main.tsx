// The trading page's entry: mounts the page into the document that the venue serves at `/`.

import { render } from 'preact';

render(<p>Strikebook</p>, document.getElementById('page')!);
