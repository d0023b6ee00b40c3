// Orders by socket (decision 7.2): PlaceOrder, ReplaceOrder, CancelOrder, CancelOrderByClientId and their bulk forms, and what is
// about all of a wallet (decision 7.3): CancelAll, VoidNonces, CancelAfter, SetCancelOnDisconnect, with the fields, signatures and
// rules of REST.
// Answers come in the order of the requests, each with the request's `id`:
//   OrderResult      what the order update message of REST has; of an order also its own symbol, side, price and size. What
//                    REST answers with an error is REJECTED here, order_id null, the text of a bulk item as its reason, its code
//                    as `error`.
//   BulkOrderResult  `results`, as in a bulk answer of REST.
//   ActionResult     to the last four: the body of REST, and `action`, the type of the message.
// Many may be in flight, and act in the order in which they came: while the reader is asked for what one is signed with, those behind
// it are held. Never waits otherwise: a request beyond a bound is refused in its turn, a client that reads no answers is closed.

import { BULK_ITEMS } from '../../core/limits.ts';
import { BOUNDS } from '../http/limits.ts';
import type { Ending } from '../api/action.ts';
import type { Api } from '../api/context.ts';
import type { ToldConnection } from '../api/connection-notes.ts';
import { submitAll, submitOne, type Prepare } from '../api/submit.ts';
import { extraOf, INTERNAL, refuse, type Checked, type Refused } from '../http/errors.ts';
import type { Schema, Values } from '../http/fields.ts';
import { readSigned } from '../http/unknown-fields.ts';
import type { JsonObject } from '../process/json-object.ts';
import { errorText, resultText, walletOf } from '../api/routes/bulk.ts';
import { CANCEL, CANCEL_BY_CLOID, cancelAction, cancelByCloidAction } from '../api/routes/cancels.ts';
import { PLACE_BY_SOCKET, preparePlace, REPLACE_BY_SOCKET, replaceAction } from '../api/routes/orders.ts';
import {
  CANCEL_AFTER_FIELDS, CANCEL_ALL_FIELDS, cancelAfterAction, cancelAllAction, DISCONNECT_FIELDS, disconnectAction, VOID_FIELDS,
  voidNoncesAction,
} from '../api/routes/safety.ts';
import type { Source } from '../http/source.ts';
import { BAD_ID, idOf, type Id } from './request-id.ts';

/** `beside`: names that the item has besides its fields. */
type PrepareItem = (api: Api, source: Source, item: unknown, beside: readonly string[]) => Prepare;
/**
 * `list`: the field with the items of a bulk; null: the message is the one item. `action`: the type of what is no order. `places`: a
 * new order.
 */
type Kind = { readonly list: string | null; readonly prepare: PrepareItem; readonly action?: string; readonly places?: true };
/** An answer in its turn; null while it is not there. */
type Slot = { frame: string | null };

/** What a message has besides the fields of REST. */
const HEAD = ['type', 'id'];

const place = itemOf(PLACE_BY_SOCKET, (api, source, body) => preparePlace(api, source, body, true));
const replace = itemOf(REPLACE_BY_SOCKET, (_, source, body) => (take) => take(replaceAction(source, body)));
const cancel = itemOf(CANCEL, (_, source, body) => (take) => take(cancelAction(source, body)));
const cancelByClientId = itemOf(CANCEL_BY_CLOID, (_, source, body) => (take) => take(cancelByCloidAction(source, body)));

const cancelAll = itemOf(CANCEL_ALL_FIELDS, (_, source, body) => (take) => take(cancelAllAction(source, body)));
const voidNonces = itemOf(VOID_FIELDS, (_, source, body) => (take) => take(voidNoncesAction(source, body)));
const cancelAfter = itemOf(CANCEL_AFTER_FIELDS, (_, source, body) => (take) => take(cancelAfterAction(source, body)));
const cancelOnDisconnect = itemOf(DISCONNECT_FIELDS, (_, source, body) => (take) => take(disconnectAction(source, body)));

/** By the type of the message. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['PlaceOrder', { list: null, prepare: place, places: true }], ['BulkPlaceOrder', { list: 'orders', prepare: place }],
  ['ReplaceOrder', { list: null, prepare: replace, places: true }], ['BulkReplaceOrder', { list: 'replacements', prepare: replace }],
  ['CancelOrder', { list: null, prepare: cancel }], ['BulkCancelOrder', { list: 'cancels', prepare: cancel }],
  ['CancelOrderByClientId', { list: null, prepare: cancelByClientId }],
  ['BulkCancelOrderByClientId', { list: 'cancels', prepare: cancelByClientId }],
  ['CancelAll', { list: null, prepare: cancelAll, action: 'CancelAll' }],
  ['VoidNonces', { list: null, prepare: voidNonces, action: 'VoidNonces' }],
  ['CancelAfter', { list: null, prepare: cancelAfter, action: 'CancelAfter' }],
  ['SetCancelOnDisconnect', { list: null, prepare: cancelOnDisconnect, action: 'SetCancelOnDisconnect' }],
]);

function itemOf<S extends Schema>(schema: S, prepare: (api: Api, source: Source, body: Values<S>) => Prepare): PrepareItem {
  return (api, source, item, beside) => {
    const body: Checked<Values<S>> = readSigned(schema, item, beside);
    return body.ok ? prepare(api, source, body.value) : (take) => take(body);
  };
}

type EntryParts = {
  readonly api: Api;
  readonly source: Source;
  /** Of the connection: 16 hex digits. */
  readonly connection: string;
  readonly send: (frame: string) => void;
  /** Ends the connection. */
  readonly end: (reason: string) => void;
};

/** The requests of one connection. */
export class OrderEntry {
  readonly #parts: EntryParts;
  readonly #slots: Slot[] = [];
  /** Actions asked for and not there yet, all of one message; the messages behind it. */
  #unprepared = 0;
  readonly #held: (() => void)[] = [];
  /** By wallet as it was written. Counted for each connection, since anybody may write any wallet. */
  readonly #inFlight = new Map<string, number>();
  /** Null: main could not be told of the connection, which ends. */
  readonly #told: ToldConnection | null;
  /** That of the connection, and which one it is. */
  readonly #source: Source;
  #isOver = false;

  constructor(parts: EntryParts) {
    this.#parts = parts;
    this.#told = parts.api.connectionNotes.open(parts.connection);
    this.#source = this.#told === null ? parts.source : { ...parts.source, connection: this.#told };
    if (this.#told === null) parts.end('too many requests in flight');
  }

  /**
   * True when the message was one of these, and is or will be answered. `refused`: why nothing is taken now, or null: the venue is
   * starting or stopping, or the source has spent its budget.
   */
  take(type: string, sent: JsonObject, refused: Refused | null): boolean {
    const kind = KINDS.get(type);
    if (kind === undefined) return false;
    if (this.#slots.length >= BOUNDS.resultsWaiting) this.#parts.end('too many requests in flight');
    else this.#enter(this.#open(), kind, sent, refused);
    return true;
  }

  /**
   * Answers that are still to come go nowhere; what the client sent stands. Main is told that the connection is over once all of
   * it has been answered (LATE at the latest): an order whose signature still waits for its check comes before that too.
   */
  close(): void {
    this.#isOver = true;
    this.#endConnection();
  }

  #endConnection(): void {
    if (this.#isOver && this.#slots.length === 0) this.#told?.close();
  }

  #enter(slot: Slot, kind: Kind, sent: JsonObject, refused: Refused | null): void {
    const id = idOf(sent);
    if (id === undefined) this.#fill(slot, resultFrame(kind, null, BAD_ID, {}));
    else if (refused !== null) this.#fill(slot, resultFrame(kind, id, refused, sent));
    else if (this.#unprepared > 0) this.#held.push(() => this.#submit(slot, kind, sent, id));
    else this.#submit(slot, kind, sent, id);
  }

  #submit(slot: Slot, kind: Kind, sent: JsonObject, id: Id): void {
    try {
      this.#act(slot, kind, sent, id);
    } catch (error) {
      // A fault of ours: answered all the same, or nothing behind it ever would be.
      this.#parts.api.fault('order entry', error);
      this.#fill(slot, resultFrame(kind, id, INTERNAL, sent));
    }
  }

  #act(slot: Slot, kind: Kind, sent: JsonObject, id: Id): void {
    const { list, prepare } = kind;
    const { api } = this.#parts;
    const source = this.#source;
    const end = (fault: Refused): void => this.#fill(slot, resultFrame(kind, id, fault, sent));
    const items = list === null ? itemsOf([sent]) : bulkItems(list, sent);
    if (!items.ok) return end(items);
    const wallets = list === null ? [walletOf(sent)] : [...new Set(items.value.map(walletOf))];
    if (wallets.some((wallet) => (this.#inFlight.get(wallet) ?? 0) >= BOUNDS.requestsInFlight)) {
      return end(refuse('limit_exceeded', `Too many requests in flight: ${BOUNDS.requestsInFlight} is the maximum`));
    }
    const beside = list === null ? HEAD : [];
    const prepared = items.value.map((item) => this.#ahead(prepare(api, source, item, beside)));
    for (const wallet of wallets) this.#inFlight.set(wallet, (this.#inFlight.get(wallet) ?? 0) + 1);
    const landed = (frame: string): void => {
      for (const wallet of wallets) this.#landed(wallet);
      this.#fill(slot, frame);
    };
    if (list === null) submitOne(api, source, prepared[0]!, (ending) => landed(resultFrame(kind, id, ending, sent)));
    else submitAll(api, source, prepared, (endings) => landed(bulkFrame(id, endings)));
  }

  /** As `prepare`; what comes behind is held until the action is there. */
  #ahead(prepare: Prepare): Prepare {
    return (take) => {
      let isLater = false;
      this.#unprepared++;
      prepare((prepared) => {
        this.#unprepared--;
        take(prepared);
        if (isLater) this.#release();
      });
      isLater = true;
    };
  }

  #release(): void {
    while (this.#unprepared === 0 && this.#held.length > 0) this.#held.shift()!();
  }

  #landed(wallet: string): void {
    const left = this.#inFlight.get(wallet)! - 1;
    if (left === 0) this.#inFlight.delete(wallet);
    else this.#inFlight.set(wallet, left);
  }

  #open(): Slot {
    const slot: Slot = { frame: null };
    this.#slots.push(slot);
    return slot;
  }

  #fill(slot: Slot, frame: string): void {
    slot.frame = frame;
    for (let first = this.#slots[0]; first !== undefined && first.frame !== null; first = this.#slots[0]) {
      this.#slots.shift();
      if (!this.#isOver) this.#parts.send(first.frame);
    }
    this.#endConnection();
  }
}

function itemsOf(items: readonly unknown[]): Checked<readonly unknown[]> {
  return { ok: true, value: items };
}

function bulkItems(list: string, sent: JsonObject): Checked<readonly unknown[]> {
  const body = readSigned({ [list]: { kind: 'list', max: BULK_ITEMS } }, sent, HEAD);
  return body.ok ? itemsOf(body.value[list] as readonly unknown[]) : body;
}

/** What an order is told by beside its outcome; texts as they were sent. */
function headOf(action: string | undefined, id: Id, { symbol, side, price, size }: JsonObject): object {
  if (action !== undefined) return { type: 'ActionResult', id, action };
  return { type: 'OrderResult', id, symbol: textOf(symbol), side: textOf(side), price: textOf(price), size: textOf(size) };
}

function textOf(sent: unknown): string | undefined {
  return typeof sent === 'string' ? sent : undefined;
}

function resultFrame({ action, places }: Kind, id: Id, ending: Ending, sent: JsonObject): string {
  const head = headOf(action, id, sent);
  if (!ending.ok) {
    const { code: error, message } = ending;
    const reason = errorText(ending);
    const standing = places === true ? { order_status: 'rejected', end_reason: reason } : { order_status: null, end_reason: null };
    const refusal = action === undefined ? { order_id: null, status: 'REJECTED', reason, ...standing, error, filled_size: 0 }
      : { success: false, data: null, error, message };
    return JSON.stringify({ ...head, ...refusal, ...extraOf(ending) });
  }
  // The body is text already: its nonce may have more digits than a number holds.
  const { body, isReplay } = ending;
  return `${JSON.stringify(isReplay ? { ...head, replayed: true } : head).slice(0, -1)},${body.slice(1)}`;
}

function bulkFrame(id: Id, endings: readonly Ending[]): string {
  const limited = endings.find((ending): ending is Refused => !ending.ok && ending.code === 'rate_limit_exceeded');
  const head = JSON.stringify({ type: 'BulkOrderResult', id, ...limited?.extra });
  return `${head.slice(0, -1)},"results":[${endings.map(resultText).join(',')}]}`;
}
