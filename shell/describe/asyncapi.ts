// The AsyncAPI 3.0 description of the socket, from the tables of channels, requests and messages. All channels share one connection.

import { createHasher, type Hasher } from '../api/auth/eip712.ts';
import { hostAndPort, type Config } from '../process/config.ts';
import { CHANNELS, type Channel } from '../ipc/channels.ts';
import { MESSAGES, type MessageSchema } from '../http/shapes/messages.ts';
import { definitionsIn, oneOf, type Json } from '../http/shapes/shape.ts';
import { REQUESTS } from '../ws/requests.ts';
import { examplesOf, type Example, type VenueFacts } from './examples.ts';
import { VERSION } from '../ipc/version.ts';
import { signedBody } from './openapi.ts';
import { EXAMPLE_WALLET } from './signing.ts';
import { SLOW_TEXTS, socketDescription } from './asyncapi-intro.ts';

const ADDRESS = '/ws';
const SOCKET = 'socket';

const EXAMPLE_FIELDS: Readonly<Record<string, Json>> = {
  Subscribe: { channel: 'book', symbols: ['BTC-PERP'] }, Unsubscribe: { channel: 'book', symbols: ['BTC-PERP'] },
  Authenticate: { wallet: EXAMPLE_WALLET },
};

export function asyncApi(config: Config, facts: VenueFacts): Json {
  const examples = examplesOf(facts);
  const hasher = createHasher(config.serviceName, config.chainId);
  const rows: readonly Channel[] = CHANNELS;
  const messages: Record<string, Json> = {};
  for (const type of Object.keys(REQUESTS)) messages[type] = request(type, hasher, examples);
  for (const [type, { doc, payload }] of Object.entries<MessageSchema>(MESSAGES)) {
    messages[type] = { name: type, title: type, summary: doc, payload };
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${config.serviceName}: the socket`, version: VERSION, description: socketDescription(),
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      venue: {
        host: '{host}', protocol: 'ws', description: 'The address that serves this description.',
        variables: { host: { default: hostAndPort(config) } },
      },
    },
    channels: { [SOCKET]: socketChannel(), ...Object.fromEntries(rows.map((row) => [row.name, channel(row)])) },
    operations: { ...requestOperations(), ...Object.fromEntries(rows.map((row) => [`${row.name}_stream`, streamOperation(row)])) },
    components: { messages, schemas: definitionsIn(messages) },
  };
}

function request(type: string, hasher: Hasher, examples: readonly Example[]): Json {
  const { doc, payload, like } = REQUESTS[type]!;
  const example = examples.find(({ row }) => row === like);
  const body = example?.body === undefined || example.signed === undefined ? EXAMPLE_FIELDS[type]
    : { id: 1, ...signedBody(hasher, example.signed, example.body) };
  return {
    name: type, title: type, summary: doc, payload, ...(body && { examples: [{ payload: { type, ...body } }] }),
    ...(like !== undefined && { correlationId: { location: '$message.payload#/id' }, 'x-rest': like }),
  };
}

function socketChannel(): Json {
  const types = [...Object.keys(REQUESTS), ...controlTypes()];
  return {
    address: ADDRESS, title: 'The connection', summary: 'Requests and their answers.', messages: messagesOf(types),
    bindings: {
      ws: {
        method: 'GET',
        query: {
          type: 'object',
          properties: {
            wallet: { type: 'string', description: 'The wallet of the connection, as Authenticate names it.' },
            encoding: { ...oneOf('json', 'msgpack'), default: 'json' },
          },
        },
      },
    },
  };
}

function controlTypes(): readonly string[] {
  const streamed = new Set(CHANNELS.flatMap(({ messages }) => [...messages] as string[]));
  return Object.keys(MESSAGES).filter((type) => !streamed.has(type));
}

function channel({ name, written, older, key, filters, slow, resume, messages, doc }: Channel): Json {
  return {
    address: ADDRESS, title: written ?? name, summary: doc, description: SLOW_TEXTS[slow], messages: messagesOf(messages),
    'x-subscribe': { channel: written ?? name, ...(older && { older }), private: key === 'wallet', filters, resume, slow },
  };
}

function requestOperations(): Json {
  const from = (types: readonly string[]): readonly Json[] => types.map((type) => refTo(SOCKET, type));
  const operations = Object.entries(REQUESTS).map(([type, { doc, answers }]) => [type.replace(/^./, (first) => first.toLowerCase()), {
    action: 'receive', channel: { $ref: `#/channels/${SOCKET}` }, summary: doc, messages: from([type]),
    reply: { channel: { $ref: `#/channels/${SOCKET}` }, messages: from(answers) },
  }] as const);
  const hello = { action: 'send', channel: { $ref: `#/channels/${SOCKET}` }, summary: MESSAGES.Hello.doc, messages: from(['Hello']) };
  return { hello, ...Object.fromEntries(operations) };
}

function streamOperation({ name, doc, messages }: Channel): Json {
  return { action: 'send', channel: { $ref: `#/channels/${name}` }, summary: doc, messages: messages.map((type) => refTo(name, type)) };
}

function messagesOf(types: readonly string[]): Json {
  return Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }]));
}

function refTo(name: string, type: string): Json {
  return { $ref: `#/channels/${name}/messages/${type}` };
}
