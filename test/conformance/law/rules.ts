// What the interface promises in words beside its tables of endpoints, errors and bounds: states and their moves, who may sign
// what, headers, encodings, events.

import { endpoint, error, of, type Shown } from './shown.ts';

type Rule = { readonly section: string; readonly rule: string; readonly shown: Shown };

type Row = readonly [rule: string, shown: Shown];

const STATES: readonly Row[] = [
  ['an order that the engine takes is ACKED and has an id', endpoint('POST /order')],
  ['one that it rejects is REJECTED inside a 200, with a reason and without an id', error('route rfq_only')],
  ['an open order that is cancelled is told by an order update', endpoint('POST /cancel')],
  ['a filled order stays filled', error('cancel after full fill')],
  ['a cancelled order stays cancelled', error('repeated cancel')],
  [
    'a trigger cancels the other orders of the wallet and underlying',
    of('trading/protection', 'protection: a maker that triggers loses the rest of its order and all others that take part'),
  ],
  ['a trigger cancels what is left of the order that breached', error('limits breached while filling')],
  ['an agent is active once its wallet approved it', of('api/accounts', 'approve, trade, revoke by POST and by DELETE')],
  ['an agent is none once its wallet revoked it', error('the agent was revoked')],
  ['an agent is none after its expiry', of('api/accounts', 'an expiry is signed, lies in the future, and ends the authority')],
  ['a reset clears the fills and ends the freeze', error('an order while frozen')],
  ['the margin mode changes without positions only', error('the margin mode while positions are open')],
  ['an instrument is ACTIVE, then EXPIRED_PENDING_PRICE', error('an order on an expired instrument')],
  ['an instrument is SETTLED when every position is paid', endpoint('GET /settlement-payouts')],
];

const AUTHENTICATION: readonly Row[] = [
  [
    'the structures, member by member',
    of('auth/eip712', 'the vectors of the wire contract: type hash, digest, and the signature recovers to the wallet'),
  ],
  ['routed and reduce-only orders, in the domain of the live venue', of('compat/sdk', 'the client works at the root, and its types hold')],
  [
    'perp orders sign the Agent of Exchange, 1337',
    of('conformance/vectors', 'a published perp order is an order of this venue: limit order'),
  ],
  [
    'price and size are signed as the texts of the body',
    of('api/orders', 'every signed field that is changed is refused, and nothing acts'),
  ],
  ['the signer is the wallet or an active agent', of('api/orders', 'an agent acts for its wallet until it is revoked')],
  ['each item of a bulk is verified by itself', of('bulk/bulk', 'what fails fails alone, with the text of the law')],
  ['nonces are unique a wallet; gaps are allowed', of('nonces/nonces', 'a nonce once used stays used, whatever comes after it')],
  ['a request that failed may be sent again with its nonce', of('api/replace', 'a new order that is refused leaves the old one open')],
  ['a wallet in a query is not verified', endpoint('GET /portfolio')],
  ['signature fields of a market are not validated', endpoint('POST /markets')],
];

const LIMITS: readonly Row[] = [
  [
    'X-RateLimit headers on success and on error',
    of('api/limits', 'the budget of a wallet: headers on every answer, then 429 until the minute ends'),
  ],
  ['Retry-After and limit on a 429 only, retry_after_secs in the body of that and of a 503', error('the budget of a wallet is spent')],
  [
    'placements, cancels and requests are counted apart',
    of('rest/rates', 'placements, cancels and other writes have each a budget, counted by items'),
  ],
];

const ENCODINGS: readonly Row[] = [
  ['an expiry may be written as DDMMMYY', of('api/orders', 'the exchange style of a symbol is signed as sent and shown canonical')],
  ['side is exactly Buy or Sell', error('side is none')],
  ['tif is exactly gtc, ioc or fok', error('tif is none')],
  ['sizes of books are contracts', endpoint('GET /orderbook')],
  ['what is answered is JSON, errors too', error('a read of an unknown path')],
];

const EVENTS: readonly Row[] = [
  [
    'a private channel without a wallet is told so',
    of('api/socket', 'private channels need a wallet, named in the query or by Authenticate'),
  ],
  [
    'whom the venue loses is told `Client not found`',
    of('api/socket', 'a message that is lost on its way ends that subscription alone, and the client is told'),
  ],
  ['order updates and books come over the socket', of('api/socket', 'subscribe, snapshot, stream, unsubscribe')],
];

const SECTIONS = { States: STATES, Authentication: AUTHENTICATION, 'Rate limits': LIMITS, Encodings: ENCODINGS, Events: EVENTS };

export const RULES: readonly Rule[] = Object.entries(SECTIONS).flatMap(([section, rows]) => (
  rows.map(([rule, shown]) => ({ section, rule, shown }))
));
