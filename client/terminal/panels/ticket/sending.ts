// Exactly the reviewed request is signed and sent. Its bytes are kept: sent again, they act once.

import { computed, signal } from '@preact/signals';
import {
  digestOf, mayHaveActed, StrikebookError, type BulkAnswer, type OrderTerms, type OrderUpdate, type Request, type TypedData, type Unsigned,
} from '../../../src/main.ts';
import { showToast } from '../../ui/notices.tsx';
import { connection } from '../../venue/connection.ts';
import { sentenceOf, type Kind } from './fields.ts';

type Answer = OrderUpdate | BulkAnswer;
export type Reviewed = {
  readonly kind: Kind; readonly orders: readonly OrderTerms[]; readonly unsigned: Unsigned<Answer>;
  /** The account's signer may have changed since. */
  readonly wallet: string;
};
export type OrderOutcome = {
  readonly sentence: string; readonly digest: string; readonly isAccepted: boolean;
  /** True if the order has ended without a fill. */
  readonly isVoid: boolean; readonly orderId: number | null;
  readonly text: string;
};
type Refusal = {
  readonly text: string; readonly mayHaveActed: boolean; readonly hashed: readonly (readonly [label: string, value: string])[];
};
export type Outcome = {
  readonly reviewed: Reviewed; readonly at: number;
  readonly orders: readonly OrderOutcome[]; readonly refusal: Refusal | null;
  readonly request: Request<Answer> | null;
};

export const outcome = signal<Outcome | null>(null);
export const isSending = signal(false);

/** The client is made anew after a change of the key. */
export const canSign = computed(() => {
  const [client, account] = [connection.client.value, connection.account.value];
  if (client === null || client.isReadOnly || account === null || account.signer === null) return false;
  return client.wallet === account.wallet.toLowerCase();
});

export function review(kind: Kind, orders: readonly OrderTerms[]): Reviewed {
  const client = connection.client.peek();
  if (client === null) throw new Error('There is no connection to the venue yet');
  const { forms } = client;
  const unsigned: Unsigned<Answer> = orders.length === 1 ? forms.placeOrder(orders[0]!) : forms.placeOrders(orders);
  return { kind, orders, unsigned, wallet: forms.wallet };
}

export async function send(reviewed: Reviewed): Promise<void> {
  const client = connection.client.peek();
  if (client === null || isSending.value) return;
  isSending.value = true;
  try {
    if (client.wallet !== reviewed.wallet) throw new Error('Another wallet is in use than when this was reviewed. Review it again.');
    const request = await client.sign(reviewed.unsigned);
    await carry(reviewed, request);
  } catch (error) {
    tell({ reviewed, at: connection.now(), orders: [], request: null, refusal: refusalOf(error) });
  } finally {
    isSending.value = false;
  }
}

/** The venue acts on them once, and repeats what it said. */
export async function sendAgain({ request, reviewed }: Outcome): Promise<void> {
  if (request === null || isSending.value) return;
  isSending.value = true;
  await carry(reviewed, request);
  isSending.value = false;
}

async function carry(reviewed: Reviewed, request: Request<Answer>): Promise<void> {
  const at = connection.now();
  try {
    const answer = await connection.client.peek()!.send(request);
    tell({ reviewed, at, request, refusal: null, orders: outcomesOf(reviewed, answer) });
  } catch (error) {
    tell({ reviewed, at, request, orders: [], refusal: refusalOf(error) });
  }
}

/** What an entry that opened nothing leaves waiting. */
export function leftoverOf({ orders, reviewed: { kind } }: Outcome): readonly number[] {
  if (kind !== 'entry' || orders[0]?.isVoid !== true) return [];
  return orders.flatMap(({ isVoid: isOver, orderId }) => (isOver || orderId === null ? [] : [orderId]));
}

export async function cancelLeftover(orderIds: readonly number[]): Promise<void> {
  try {
    const { results } = await connection.client.peek()!.cancelOrders(orderIds);
    const refused = results.find(({ success }) => !success);
    if (refused === undefined) showToast('The stop and the target are cancelled.');
    else showToast(`Not cancelled: ${refused.error ?? refused.data?.reason}`, 'bad');
  } catch (error) {
    showToast(`Not cancelled: ${(error as Error).message}`, 'bad');
  }
}

function outcomesOf({ orders, unsigned }: Reviewed, answer: Answer): readonly OrderOutcome[] {
  const updates = 'results' in answer ? answer.results.map(({ data, error }) => data ?? error ?? 'No outcome') : [answer];
  return orders.map((order, at) => {
    const update = updates[at] ?? 'No outcome';
    const base = { sentence: sentenceOf(order), digest: digestText(dataOf(unsigned, at)) };
    if (typeof update === 'string') return { ...base, isAccepted: false, isVoid: true, orderId: null, text: update };
    return { ...base, isAccepted: update.status === 'ACKED', isVoid: isVoid(update), orderId: update.order_id, text: textOf(update) };
  });
}

const WORKING: readonly unknown[] = ['open', 'partially_filled', 'untriggered'] satisfies OrderUpdate['order_status'][];

function isVoid({ filled_size: filled, order_status: status }: OrderUpdate): boolean {
  return Number(filled) === 0 && !WORKING.includes(status);
}

function textOf({ end_reason: end, filled_size: filled, order_status: status, reason, status: answer }: OrderUpdate): string {
  const state = status === null || answer === 'REJECTED' ? answer : `${answer}, ${status}`;
  const reasons = [reason, end === reason ? null : end].filter((one) => one !== null);
  return [state, ...(answer === 'ACKED' ? [`filled ${filled}`] : []), ...reasons].join(': ');
}

export function dataOf({ items }: Unsigned<Answer>, at: number): TypedData {
  return items[at]!.data;
}

export function digestText(data: TypedData): string {
  return `0x${Array.from(digestOf(data), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const HASHED = [['digest', 'Digest'], ['struct_hash', 'Struct hash'], ['recovered', 'Signer it found'], ['hint', 'Accepted']] as const;

function refusalOf(error: unknown): Refusal {
  const { message } = error as Error;
  const base = { text: message, mayHaveActed: mayHaveActed(error) };
  if (!(error instanceof StrikebookError)) return { ...base, hashed: [] };
  const details = (error.details ?? {}) as Readonly<Record<string, unknown>>;
  const hashed = HASHED.flatMap(([name, label]) => (typeof details[name] === 'string' ? [[label, details[name]] as const] : []));
  const { domain } = details;
  return { ...base, hashed: domain === undefined ? hashed : [...hashed, ['Domain', JSON.stringify(domain)]] };
}

function tell(what: Outcome): void {
  outcome.value = what;
  const { orders, refusal } = what;
  if (refusal !== null) showToast(refusal.text, 'bad');
  for (const { isAccepted, orderId, sentence, text } of orders) {
    showToast(`${sentence}: ${text}${orderId === null ? '' : ` (order ${orderId})`}`, isAccepted ? 'good' : 'bad');
  }
}
