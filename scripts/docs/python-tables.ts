// Tables of client/python that stand in the code of the venue: signed structures, channels, error codes, bounds that a client heeds.

import { STRUCTURES } from '../../core/codec/signed-commands.ts';
import { BOUNDS } from '../../shell/http/limits.ts';
import { CODES } from '../../shell/http/shapes/error-codes.ts';
import { CHANNELS, type Channel } from '../../shell/ipc/channels.ts';
import { python } from './python-types.ts';

const rows = (entries: readonly (readonly [string, string])[]): string => (
  entries.map(([name, text]) => `    '${name}': ${text},\n`).join('')
);

function channelRow({ name, older = [], key, filters, slow, resume, messages }: Channel): readonly [string, string][] {
  const text = `{'name': ${python(name)}, 'key': ${python(key)}, 'filters': ${python(filters)}, 'slow': ${python(slow)}, `
    + `'resume': ${python(resume)}, 'messages': ${python(messages)}}`;
  return [name, ...older].map((one) => [one, text]);
}

export const CLIENT_TABLES = `# EIP-712 structures; the text holds the primary type.
STRUCTURES: dict[str, str] = {
${rows(Object.entries(STRUCTURES).map(([name, text]) => [name, python(text)]))}}

# By the name that a subscription gives, without what follows a colon.
CHANNELS: dict[str, dict[str, Any]] = {
${rows((CHANNELS as readonly Channel[]).flatMap(channelRow))}}

VENUE_CODES: tuple[str, ...] = (
${CODES.map((code) => `    '${code}',\n`).join('')})

# Bounds of one socket: symbols of a subscription, messages a second, bytes of a message, requests without an answer.
SYMBOLS_A_SUBSCRIPTION = ${BOUNDS.subscriptions}
MESSAGES_A_SECOND = ${BOUNDS.messagesPerTick}
MESSAGE_BYTES = ${BOUNDS.messageBytes}
REQUESTS_IN_FLIGHT = ${BOUNDS.requestsInFlight}
`;
