// What is about to be signed, as labelled lines: every member of the typed data in hash order, so nothing is signed unseen.

import type { TypedData } from '../../src/main.ts';

type Line = { readonly label: string; readonly value: string };
type Readable = { readonly title: string; readonly lines: readonly Line[] };

const TITLES: Readonly<Record<string, string>> = {
  ApproveAgent: 'Approve an agent key without expiry', ApproveAgentUntil: 'Approve an agent key', RevokeAgent: 'Revoke an agent key',
  RevokeAllAgents: 'Revoke all agent keys', PlaceOrderExtended: 'Place order', PlaceOrderReduceOnly: 'Place order',
  ReplaceOrderExtended: 'Replace order', ReplaceOrderReduceOnly: 'Replace order', Agent: 'Place perp order',
  VoidNonces: 'Void all earlier signatures', MassQuote: 'Replace quotes', CancelAfter: 'Set the dead man’s switch',
};
const LABELS: Readonly<Record<string, string>> = {
  tif: 'Time in force', clientId: 'Client id', orderId: 'Order id', linkId: 'Link id', stp: 'Self-trade prevention',
  connectionId: 'Hash of the order', upTo: 'Up to nonce',
};
const TIMES = new Set(['expiresAt', 'validUntil']);
const DURATIONS = new Set(['intervalMs', 'frozenTimeMs', 'graceMs', 'timeoutMs']);
const LAST_MS = 8.64e15;

export function readable({ domain, message, primaryType, types }: TypedData): Readable {
  const members = types[primaryType] ?? [];
  return {
    title: TITLES[primaryType] ?? spaced(primaryType),
    lines: [
      ...members.map(({ name }) => ({ label: LABELS[name] ?? spaced(name.replace(/Ms$/, '')), value: valueOf(name, message[name]) })),
      { label: 'Signed for', value: `${domain.name} version ${domain.version}, chain ${domain.chainId}` },
    ],
  };
}

function valueOf(name: string, value: string | boolean | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === undefined || value === '') return 'none';
  if (TIMES.has(name) && Number(value) <= LAST_MS) return value === '0' ? 'never' : timeText(Number(value));
  return TIMES.has(name) || DURATIONS.has(name) ? `${value} ms` : value;
}

/** UTC, to the millisecond: no two times look alike. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

function spaced(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
