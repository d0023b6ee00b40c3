// JSON Schemas of the requests that a socket takes, by type, from the fields that the venue checks.

import { BULK_ITEMS } from '../../core/limits.ts';
import { AMEND } from '../api/routes/amends.ts';
import { CANCEL, CANCEL_BY_CLOID } from '../api/routes/cancels.ts';
import { PLACE_BY_SOCKET, REPLACE_BY_SOCKET } from '../api/routes/orders.ts';
import { CANCEL_QUOTES_FIELDS, MASS_QUOTE_FIELDS } from '../api/routes/quotes.ts';
import { CANCEL_AFTER_FIELDS, CANCEL_ALL_FIELDS, DISCONNECT_FIELDS, VOID_FIELDS } from '../api/routes/safety.ts';
import { schemaOfFields } from '../http/field-schemas.ts';
import type { Schema } from '../http/fields.ts';
import { REQUEST_ID, type MessageType } from '../http/shapes/messages.ts';
import { TEXT, type Json } from '../http/shapes/shape.ts';
import { AUTHENTICATE, SUBSCRIBE, SYMBOL_CHARS } from './connection.ts';

type RequestType = { readonly doc: string; readonly payload: Json; readonly answers: readonly MessageType[]; readonly like?: string };

const SYMBOL: Json = { ...TEXT, minLength: 1, maxLength: SYMBOL_CHARS };

function entry(type: string, doc: string, fields: Schema, like: string): Readonly<Record<string, RequestType>> {
  return { [type]: { doc, like, payload: requestOf(type, schemaOfFields(fields)), answers: ['OrderResult'] } };
}

function bulk(type: string, doc: string, of: string, fields: Schema, like: string): Readonly<Record<string, RequestType>> {
  const items = schemaOfFields(fields);
  const payload = requestOf(type, { properties: { [of]: { type: 'array', items, minItems: 1, maxItems: BULK_ITEMS } }, required: [of] });
  return { [type]: { doc, like, payload, answers: ['BulkOrderResult', 'OrderResult'] } };
}

function safety(type: string, doc: string, fields: Schema, like: string): Readonly<Record<string, RequestType>> {
  return { [type]: { doc, like, payload: requestOf(type, schemaOfFields(fields)), answers: ['ActionResult'] } };
}

function requestOf(type: string, { properties, required }: Json): Json {
  return {
    type: 'object', properties: { type: { const: type }, id: REQUEST_ID, ...properties as Json },
    required: ['type', ...(required ?? []) as readonly string[]],
  };
}

const { from_seq: _, min_seq: __, ...UNSUBSCRIBE } = SUBSCRIBE;

export const REQUESTS: Readonly<Record<string, RequestType>> = {
  Subscribe: {
    doc: 'Subscribes to a channel: a snapshot, then each change. With `from_seq`: the messages after that number instead of a snapshot. '
      + 'Symbols are added to those you already have, also on `fills` and `order_updates`. Without symbols you get all of them.',
    payload: controlOf('Subscribe', SUBSCRIBE, SYMBOL), answers: ['Subscribed', 'Error'],
  },
  Unsubscribe: {
    doc: 'Unsubscribes from a channel, or from the given symbols. In channels with a stream per symbol, the empty string among the symbols '
      + 'ends a subscription to all symbols.',
    payload: controlOf('Unsubscribe', UNSUBSCRIBE, { ...SYMBOL, minLength: 0 }), answers: ['Unsubscribed', 'Error'],
  },
  Authenticate: {
    doc: 'Sets the wallet of the connection, as `?wallet=` does. No proof is needed: every order is signed by itself. Another wallet ends '
      + 'the subscriptions of the previous one: `Unsubscribed` comes first for each of its channels.',
    payload: controlOf('Authenticate', AUTHENTICATE, SYMBOL), answers: ['Authenticated', 'Error'],
  },
  ...entry('PlaceOrder', 'Places an order.', PLACE_BY_SOCKET, 'POST /order'),
  ...entry('ReplaceOrder', 'Cancels an open order and places another in one step.', REPLACE_BY_SOCKET, 'PUT /order'),
  ...entry('AmendOrder', 'Changes size and price of an open order, which keeps its id.', AMEND, 'POST /amend'),
  ...entry('CancelOrder', 'Cancels an open order by its id.', CANCEL, 'POST /cancel'),
  ...entry('CancelOrderByClientId', 'Cancels an open order by its client id.', CANCEL_BY_CLOID, 'POST /cancel-by-cloid'),
  ...bulk('BulkPlaceOrder', 'Places several orders, each with its own signature.', 'orders', PLACE_BY_SOCKET, 'POST /bulk_order'),
  ...bulk('BulkReplaceOrder', 'Replaces several orders.', 'replacements', REPLACE_BY_SOCKET, 'PUT /bulk_order'),
  ...bulk('BulkAmendOrder', 'Amends several orders.', 'amends', AMEND, 'PUT /bulk_amend'),
  ...bulk('BulkCancelOrder', 'Cancels several orders by id.', 'cancels', CANCEL, 'DELETE /bulk_order'),
  ...bulk('BulkCancelOrderByClientId', 'Cancels several orders by client id.', 'cancels', CANCEL_BY_CLOID, 'DELETE /bulk_order_cloid'),
  ...safety('CancelAll', 'Cancels every open order, or those of an underlying or a symbol.', CANCEL_ALL_FIELDS, 'POST /cancel-all'),
  MassQuote: {
    doc: 'Sets the bids and asks of a set in up to 100 contracts of one underlying.', like: 'POST /mass-quote',
    payload: requestOf('MassQuote', schemaOfFields(MASS_QUOTE_FIELDS)), answers: ['QuoteResult'],
  },
  ...safety('CancelQuotes', 'Cancels the quotes of a set or of all sets.', CANCEL_QUOTES_FIELDS, 'POST /cancel-quotes'),
  ...safety('VoidNonces', 'Voids every nonce of the wallet up to `up_to`.', VOID_FIELDS, 'POST /void-nonces'),
  ...safety('CancelAfter', 'Cancels every open order unless you repeat the request in time.', CANCEL_AFTER_FIELDS, 'POST /cancel-after'),
  ...safety(
    'SetCancelOnDisconnect', 'Sets whether every open order is cancelled when the connection is lost.', DISCONNECT_FIELDS,
    'POST /cancel-on-disconnect',
  ),
};

function controlOf(type: string, fields: Schema, item: Json): Json {
  const { properties, required = [] } = schemaOfFields(fields, item);
  return {
    type: 'object', properties: { type: { const: type }, id: REQUEST_ID, ...properties as Json },
    required: ['type', ...required as readonly string[]],
  };
}
