// What the interface promises in words beside its tables of endpoints, errors and bounds: states and their moves, who may sign
// what, headers, encodings, events.

import { doubled, endpoint, error, of, rule, type Shown } from './shown.ts';

type Rule = { readonly section: string; readonly rule: string; readonly shown: Shown };

type Row = readonly [rule: string, shown: Shown];

/** A rule whose test has its words. */
const shown = (what: string): Row => [what, rule(what)];

const STATES: readonly Row[] = [
  ['an order that the engine takes is ACKED and has an id', endpoint('POST /order')],
  ['one that it rejects is REJECTED inside a 200, with a reason and without an id', error('route rfq_only')],
  ['an open order that is cancelled is told by an order update', endpoint('POST /cancel')],
  ['a filled order stays filled', error('cancel after full fill')],
  ['a cancelled order stays cancelled', error('repeated cancel')],
  shown('a trigger cancels the other orders of the wallet and underlying'),
  ['a trigger cancels what is left of the order that breached', error('limits breached while filling')],
  ['an agent is active once its wallet approved it', rule('an agent is active once its wallet approved it, and none once it was revoked')],
  ['an agent is none once its wallet revoked it', error('the agent was revoked')],
  shown('an agent is none after its expiry'),
  ['a reset clears the fills and ends the freeze', error('an order while frozen')],
  ['the margin mode changes without positions only', error('the margin mode while positions are open')],
  ['an instrument is ACTIVE, then EXPIRED_PENDING_PRICE', error('an order on an expired instrument')],
  ['an instrument is SETTLED when every position is paid', endpoint('GET /settlement-payouts')],
];

const AUTHENTICATION: readonly Row[] = [
  ['the structures, member by member', of('e2e/compat/sdk', 'the client works at the root, and its types hold')],
  ['routed and reduce-only orders, in the domain of the live venue',
    of('e2e/compat/sdk', 'the client works at the root, and its types hold')],
  shown('perp orders sign the Agent of Exchange, 1337'),
  shown('price and size are signed as the texts of the body'),
  shown('the signer is the wallet or an active agent'),
  shown('each item of a bulk is verified by itself'),
  ['nonces are unique a wallet; gaps are allowed', rule('nonces are unique a wallet; gaps are allowed, and so is any order')],
  shown('a request that failed may be sent again with its nonce'),
  ['a wallet in a query is not verified', endpoint('GET /portfolio')],
  ['signature fields of a market are not validated', endpoint('POST /markets')],
];

const LIMITS: readonly Row[] = [
  ['X-RateLimit headers on success and on error', rule('X-RateLimit headers on success and on error, and a window that ends')],
  ['Retry-After and limit on a 429 only, retry_after_secs in the body of that and of a 503', error('the budget of a wallet is spent')],
  [
    'placements, cancels and requests are counted apart',
    of('e2e/rest/rates', 'placements, cancels and other writes have each a budget, counted by items'),
  ],
];

const ENCODINGS: readonly Row[] = [
  shown('an expiry may be written as DDMMMYY'),
  ['side is exactly Buy or Sell', error('side is none')],
  ['tif is exactly gtc, ioc or fok', error('tif is none')],
  ['sizes of books are contracts', endpoint('GET /orderbook')],
  ['what is answered is JSON, errors too', error('a read of an unknown path')],
];

const EVENTS: readonly Row[] = [
  shown('a private channel without a wallet is told so'),
  [
    'whom the venue loses is told `Client not found`',
    doubled(
      'shell/api/socket', 'a lost message ends only its own subscription, with an Error',
      'a reader that loses a message: this one loses none',
    ),
  ],
  shown('order updates and books come over the socket'),
];

const SECTIONS = { States: STATES, Authentication: AUTHENTICATION, 'Rate limiting': LIMITS, Encodings: ENCODINGS, Events: EVENTS };

export const RULES: readonly Rule[] = Object.entries(SECTIONS).flatMap(([section, rows]) => (
  rows.map(([what, by]) => ({ section, rule: what, shown: by }))
));
