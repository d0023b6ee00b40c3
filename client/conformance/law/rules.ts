// What the interface promises beside its tables: states and their moves, who may sign what, headers, encodings, events.

import { doubled, endpoint, error, of, rule, type Shown } from './shown.ts';

type Rule = { readonly section: string; readonly rule: string; readonly shown: Shown };

type Row = readonly [rule: string, shown: Shown];

/** A rule whose test has its words. */
const shown = (what: string): Row => [what, rule(what)];

const STATES: readonly Row[] = [
  ['an order that the engine accepts is ACKED and has an id', endpoint('POST /order')],
  ['a rejected order is REJECTED inside a 200, with a reason and without an id', error('route rfq_only')],
  ['a cancelled open order is sent as an order update', endpoint('POST /cancel')],
  ['a filled order stays filled', error('cancel after full fill')],
  ['a cancelled order stays cancelled', error('repeated cancel')],
  shown('a protection trigger cancels the wallet\'s other orders in the underlying'),
  ['a trigger cancels what is left of the order that breached', error('limits breached while filling')],
  [
    'an agent acts once its wallet has approved it',
    rule('an agent acts once its wallet has approved it, and no longer once it is revoked'),
  ],
  ['an agent does not act once its wallet has revoked it', error('the agent was revoked')],
  shown('an agent does not act after its expiry'),
  ['a reset clears the fills and ends the freeze', error('an order while frozen')],
  ['the margin mode can change only without positions', error('the margin mode while positions are open')],
  ['an instrument is ACTIVE, then EXPIRED_PENDING_PRICE', error('an order on an expired instrument')],
  ['an instrument is SETTLED when every position is paid', endpoint('GET /settlement-payouts')],
];

const AUTHENTICATION: readonly Row[] = [
  ['the structures, member by member', of('e2e/compat/sdk', 'the client works at the root, and its types hold')],
  ['routed and reduce-only orders, in the domain of the live venue',
    of('e2e/compat/sdk', 'the client works at the root, and its types hold')],
  shown('a perp order is signed as an Agent in the domain Exchange, 1337'),
  shown('price and size are signed exactly as the texts in the body'),
  shown('the signer is the wallet or an active agent'),
  shown('each item of a bulk is verified by itself'),
  ['nonces are unique per wallet; gaps are allowed', rule('nonces are unique per wallet, with gaps and in any order')],
  shown('a failed request may be sent again with its nonce'),
  ['a wallet in a query is not verified', endpoint('GET /portfolio')],
  ['signature fields of a market are not validated', endpoint('POST /markets')],
];

const LIMITS: readonly Row[] = [
  ['X-RateLimit headers on success and on error', rule('success and error have X-RateLimit headers, and a spent window ends')],
  ['Retry-After and limit on a 429 only, retry_after_secs in the body of that and of a 503', error('the budget of a wallet is spent')],
  [
    'placements, cancels and requests are counted separately',
    of('e2e/rest/rates', 'placements, cancels and other writes have a budget each, counted by items, and the dialect tells the orders'),
  ],
];

const ENCODINGS: readonly Row[] = [
  shown('an expiry may be written as DDMMMYY'),
  ['side is exactly Buy or Sell', error('side is invalid')],
  ['tif is exactly gtc, ioc or fok', error('tif is invalid')],
  ['sizes of books are contracts', endpoint('GET /orderbook')],
  ['every answer is JSON, errors too', error('a read of an unknown path')],
];

const EVENTS: readonly Row[] = [
  shown('a private channel without a wallet is refused by name'),
  [
    'a client whose subscription the venue loses gets `Client not found`',
    doubled(
      'shell/api/socket', 'a lost message ends only its own subscription, with an Error',
      'a reader that loses a message: this one loses none',
    ),
  ],
  shown('order updates and book updates arrive over the socket'),
];

const SECTIONS = { States: STATES, Authentication: AUTHENTICATION, 'Rate limiting': LIMITS, Encodings: ENCODINGS, Events: EVENTS };

export const RULES: readonly Rule[] = Object.entries(SECTIONS).flatMap(([section, rows]) => (
  rows.map(([what, by]) => ({ section, rule: what, shown: by }))
));
