// The generated part of client/python: records of all answers and messages, a method for every read, and the tables of structures, channels
// and bounds. `npm run docs` writes them, from the descriptions that a venue serves.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VenueProcess } from '../venue-process.ts';
import { CLIENT_TABLES } from './python-tables.ts';
import { COLUMNS, comment, pascal, PythonTypes, type Schema } from './python-types.ts';

type Content = { readonly 'application/json'?: { readonly schema: Schema } };
type Parameter = {
  readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Schema; readonly deprecated?: boolean;
  readonly description?: string;
};
type Operation = {
  readonly summary: string; readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly security?: readonly object[];
};
type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type AsyncApi = {
  readonly channels: Readonly<Record<string, { readonly messages: Readonly<Record<string, unknown>> }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly payload: Schema }>>; readonly schemas: Readonly<Record<string, Schema>>;
  };
};

const HEAD = '# Written by `npm run docs`; do not edit.\n';
/** Parts of the description for browsers and tools, and ways that stand beside the interface. */
const LEFT_OUT = /^\/(?:$|docs|assets|metrics|openapi\.json|asyncapi\.json|hl|compat)/;
/** The channel of requests and their answers. */
const SOCKET = 'socket';
/** Its subscriptions name a market too. */
const NAMED = 'candles';

/** The texts of the generated modules, by file name. */
function pythonModules(rest: OpenApi, socket: AsyncApi): ReadonlyMap<string, string> {
  const records = new PythonTypes(rest.components.schemas);
  const answers = answerTypes(rest, records);
  const reads = readMethods(rest, answers, records);
  const messages = new PythonTypes(socket.components.schemas, records);
  const streamed = messageTypes(socket, messages);
  return new Map([
    ['records.py', moduleText('The records of answers by REST, which are those of answers by socket too.', records, [])],
    ['messages.py', moduleText('The messages of the socket’s streams.', messages, [
      `MESSAGES: dict[str, Any] = {\n${streamed.map(([type, name]) => `    '${type}': ${name},\n`).join('')}}\n`,
    ])],
    ['reads.py', reads],
    ['streams.py', streamMethods(socket, new Map(streamed))],
    ['tables.py', `${HEAD}"""Tables of the interface."""\n\nfrom typing import Any\n\n${CLIENT_TABLES}\n${answerTable(answers)}`],
  ]);
}

function moduleText(doc: string, types: PythonTypes, rest: readonly string[]): string {
  const shared = types.imported.length === 0 ? '' : `from .records import (\n${types.imported.map((name) => `    ${name},\n`).join('')})\n`;
  const imports = `from decimal import Decimal\nfrom typing import Any, Literal\n\nfrom .decoding import record\n${shared}`;
  return [`${HEAD}"""${doc}"""\n\n${imports}`, types.text(), ...rest].join('\n\n');
}

function operationsOf({ paths }: OpenApi): readonly [method: string, path: string, operation: Operation][] {
  return Object.entries(paths).filter(([path]) => !LEFT_OUT.test(path)).flatMap(([path, methods]) => (
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [method.toUpperCase(), path, operation])
  ));
}

/** The Python type of each answer, by method and path. */
function answerTypes(rest: OpenApi, records: PythonTypes): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const [method, path, { responses }] of operationsOf(rest)) {
    const schema = responses['200']?.content?.['application/json']?.schema;
    // A description without a body says that the body is empty.
    const name = `${pascal(path)}Answer`;
    const free = records.has(name) ? `${pascal(method.toLowerCase())}${name}` : name;
    types.set(`${method} ${path}`, schema === undefined ? 'None' : records.typeOf(schema, free));
  }
  return types;
}

function messageTypes({ channels, components }: AsyncApi, messages: PythonTypes): readonly [type: string, name: string][] {
  const streamed = Object.entries(channels).filter(([name]) => name !== SOCKET).flatMap(([, channel]) => Object.keys(channel.messages));
  return [...new Set(streamed)].map((type) => [type, messages.typeOf(components.messages[type]!.payload, type)]);
}

/** The method of subscribing, with the type of each channel's messages. */
function streamMethods({ channels }: AsyncApi, names: ReadonlyMap<string, string>): string {
  const rows = Object.entries(channels).filter(([name]) => name !== SOCKET);
  const overloads = rows.map(([name, channel]) => {
    const types = Object.keys(channel.messages).map((type) => `messages.${names.get(type)!.replaceAll(' | ', ' | messages.')}`).join(' | ');
    // Channels with a part after a colon have any name.
    return name === NAMED ? '' : subscribeMethod(`Literal['${name}']`, types);
  });
  return `${HEAD}"""Subscribing, with the type of each channel's messages."""\n\n`
    + 'from typing import Any, Literal, Unpack, overload\n\nfrom . import messages\nfrom .stream import Stream, SubscribeOptions\n\n\n'
    + `class Streams:\n${[...overloads, subscribeMethod('str', 'Any')].filter(Boolean).join('\n')}\n`
    + '    async def subscribe(self, channel: str, **options: Unpack[SubscribeOptions]) -> Stream[Any]:\n'
    + '        """Returns when subscribed. Throws `subscription_refused` if the venue refuses, for all symbols together."""\n'
    + '        return await self._subscribe(channel, options)\n\n'
    + '    async def _subscribe(self, name: str, options: SubscribeOptions) -> Stream[Any]:\n        raise NotImplementedError\n';
}

function subscribeMethod(channel: string, message: string): string {
  const line = `    async def subscribe(self, channel: ${channel}, **options: Unpack[SubscribeOptions]) -> Stream[${message}]: ...`;
  const parameters = '        self, channel: ' + channel + ', **options: Unpack[SubscribeOptions],\n';
  const parts = message.split(' | ').map((one) => `        ${one}`).join(' |\n');
  const folded = `    async def subscribe(\n${parameters}    ) -> Stream[\n${parts}\n    ]: ...`;
  return `    @overload\n${line.length <= COLUMNS ? line : folded}\n`;
}

function answerTable(answers: ReadonlyMap<string, string>): string {
  const rows = [...answers].map(([route, type]) => `    '${route}': '${type}',\n`);
  return `\n# The type of each answer, as written in records.py.\nANSWERS: dict[str, str] = {\n${rows.join('')}}\n`;
}

function readMethods(rest: OpenApi, answers: ReadonlyMap<string, string>, records: PythonTypes): string {
  const operations = operationsOf(rest).filter(([method, , { security }]) => method === 'GET' && security === undefined);
  const methods = operations.map(([, path, operation]) => readMethod(path, operation, answers.get(`GET ${path}`)!, records)).join('\n');
  const used = records.names.filter((name) => new RegExp(`\\b${name}\\b`).test(methods)).sort();
  return `${HEAD}"""A method for every read of the interface."""\n\n`
    + 'from collections.abc import Mapping\nfrom typing import Any, Literal\n\n'
    + `from .records import (\n${used.map((name) => `    ${name},\n`).join('')})\n\n\n`
    + 'class Reads:\n    """Reads are public and not signed. A `wallet` that is left out is the client\'s own."""\n\n'
    + '    async def _read(self, path: str, query: Mapping[str, Any], answer: Any) -> Any:\n        raise NotImplementedError\n\n'
    + methods;
}

function readMethod(path: string, { summary, parameters = [] }: Operation, type: string, records: PythonTypes): string {
  // In the order of the description, required ones first.
  const wanted = parameters.filter(({ name, deprecated }) => deprecated !== true && !name.startsWith('_') && name !== 'export');
  const sorted = [...wanted].sort((a, b) => Number(isOptional(a)) - Number(isOptional(b)));
  const list = sorted.map((one) => `${one.name}: ${parameterType(one, records)}${isOptional(one) ? ' | None = None' : ''}`);
  const docs = sorted.flatMap(({ name, description = '' }) => (description === '' ? [] : comment(`${name}: ${description}`, '        ')));
  const query = sorted.map(({ name }) => `'${name}': ${name}`);
  const head = `    async def ${methodName(path)}(self${list.length === 0 ? '' : `, *, ${list.join(', ')}`}) -> ${type}:`;
  const call = `        return await self._read('${path}', {${query.join(', ')}}, ${type})`;
  const foldedCall = `        return await self._read('${path}', {\n            ${query.join(', ')},\n        }, ${type})`;
  return `${head.length <= COLUMNS ? head : folded(head, list)}\n        """${summary}"""\n${docs.join('')}`
    + `${call.length <= COLUMNS ? call : foldedCall}\n`;
}

/** Own wallets need not be named. */
function isOptional({ name, required }: Parameter): boolean {
  return !required || name === 'wallet';
}

function parameterType({ schema }: Parameter, records: PythonTypes): string {
  if (schema.$ref !== undefined || schema.enum !== undefined) return records.typeOf(schema, '');
  const types = [schema.type ?? 'string'].flat().map((type) => (
    type === 'integer' ? 'int' : type === 'boolean' ? 'bool' : type === 'array' ? 'str | tuple[str, ...]' : 'str'
  ));
  return [...new Set(types)].join(' | ');
}

/** `/trades/{trade_id}` is `get_trades_by_trade_id`. */
function methodName(path: string): string {
  const words = path.split('/').filter(Boolean).map((part) => (part.startsWith('{') ? `by_${part.slice(1, -1)}` : part));
  return `get_${words.join('_').replaceAll('-', '_')}`;
}

/** A parameter a line. */
function folded(head: string, list: readonly string[]): string {
  const [start] = head.split(', *, ') as [string];
  return `${start}, *,\n${list.map((one) => `        ${one},\n`).join('')}    ${head.slice(head.lastIndexOf(') ->'))}`;
}

/** Writes what the descriptions of a venue say into the package. */
export async function writePython(folder: URL): Promise<void> {
  for (const [name, text] of await servedModules()) writeFileSync(new URL(name, folder), text);
}

/** The modules, from the descriptions that a venue of this tree serves. */
export async function servedModules(): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-docs-'));
  const venue = await VenueProcess.start({ data: join(folder, 'data'), flags: ['--feed', 'manual', '--workers', '1'] });
  try {
    await venue.ready();
    const read = async (name: string): Promise<unknown> => (await fetch(`${venue.url}/${name}.json`)).json();
    return pythonModules(await read('openapi') as OpenApi, await read('asyncapi') as AsyncApi);
  } finally {
    await venue.kill();
    rmSync(folder, { recursive: true });
  }
}
