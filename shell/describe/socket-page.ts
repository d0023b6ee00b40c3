// The page that shows the description of the socket, as HTML made of the AsyncAPI document: no script, one style sheet. Channels,
// then requests, then messages, each with its fields. Never shows what the document does not say; every text is escaped.

import type { Json } from '../http/json-schema.ts';

export const STYLE = `:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
nav { display: flex; gap: 1.5rem; border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
h2 { margin-top: 2.5rem; }
h3 { margin: 2rem 0 .25rem; font-family: ui-monospace, monospace; font-size: 1.05rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: var(--soft); border-radius: 3px; }
code { padding: 0 .25em; }
pre { padding: .75rem; overflow-x: auto; }
`;

type Documents = {
  readonly info: { readonly title: string; readonly description: string };
  readonly channels: Readonly<Record<string, ShownChannel>>;
  readonly operations: Readonly<Record<string, Shown & { readonly reply?: Shown }>>;
  readonly components: { readonly messages: Readonly<Record<string, ShownMessage>>; readonly schemas: Readonly<Record<string, Json>> };
};
type Ref = { readonly $ref: string };
type Shown = { readonly messages: readonly Ref[] };
type ShownChannel = {
  readonly title: string; readonly summary: string; readonly description?: string; readonly messages: Readonly<Record<string, Ref>>;
  readonly 'x-subscribe'?: { readonly filters: readonly string[]; readonly resume: boolean };
};
type ShownMessage = {
  readonly summary: string; readonly payload: Json; readonly examples?: readonly { readonly payload: Json }[]; readonly 'x-rest'?: string;
};

/** `links`: where the style sheet and the icon are. */
export function socketPage(document: Json, links: { readonly style: string; readonly icon: string }): string {
  const { info, channels, operations, components } = document as unknown as Documents;
  const requests = Object.values(operations).filter(({ reply }) => reply !== undefined);
  const asked = new Set(requests.flatMap(({ messages }) => messages.map(nameOf)));
  const told = Object.entries(components.messages).filter(([type]) => !asked.has(type));
  const shown = [
    `<p><a href="../asyncapi.json">asyncapi.json</a></p>`, ...info.description.split('\n\n').map((text) => `<p>${markdown(text)}</p>`),
    '<h2 id="channels">Channels</h2>', channelTable(Object.values(channels)),
    '<h2 id="requests">What a client sends</h2>',
    ...requests.map(({ messages, reply }) => section(nameOf(messages[0]!), components, reply!.messages)),
    '<h2 id="messages">What the venue sends</h2>', ...told.map(([type]) => section(type, components)),
    '<h2 id="records">Records</h2>',
    ...Object.entries(components.schemas).map(([name, schema]) => `<h3 id="${name}">${name}</h3>${fieldTables(schema)}`),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)}</title>
<link rel="icon" type="image/png" href="${links.icon}">
<link rel="stylesheet" href="${links.style}">
</head>
<body>
<nav>
<a href="../docs">REST</a><strong>Socket</strong>
<a href="#channels">Channels</a><a href="#requests">Requests</a><a href="#messages">Messages</a><a href="#records">Records</a>
</nav>
<h1>${escaped(info.title)}</h1>
${shown.join('\n')}
</body>
</html>
`;
}

function channelTable(channels: readonly ShownChannel[]): string {
  const rows = channels.flatMap(({ title, summary, description = '', messages, 'x-subscribe': how }) => (how === undefined ? [] : [[
    code(title), escaped(summary), escaped(description), [...how.filters, ...(how.resume ? ['from_seq'] : [])].map(code).join(', '),
    linksTo(Object.keys(messages)),
  ]]));
  return table(['Channel', 'What it tells', 'Who does not read', 'Subscribe takes', 'Messages'], rows);
}

function section(type: string, { messages }: Documents['components'], answers?: readonly Ref[]): string {
  const { summary, payload, examples, 'x-rest': rest } = messages[type]!;
  const like = rest === undefined ? '' : ` As ${code(rest)}.`;
  const told = answers === undefined ? '' : `<p>Answered by ${linksTo(answers.map(nameOf))}.${like}</p>`;
  const shown = (examples ?? []).map((example) => `<pre>${escaped(JSON.stringify(example.payload, null, 2))}</pre>`).join('');
  return `<h3 id="${type}">${type}</h3>\n<p>${markdown(summary)}</p>${told}${fieldTables(payload)}${shown}`;
}

/** One table, or one for each form that an object may have. */
function fieldTables(schema: Json): string {
  const forms = (schema['oneOf'] ?? [schema]) as readonly Json[];
  return forms.map((form) => ('properties' in form ? fieldTable(form) : `<p>${typeText(form)}</p>`)).join('\n');
}

function fieldTable({ properties, required = [] }: Json): string {
  const names = required as readonly string[];
  const rows = Object.entries(properties as Readonly<Record<string, Json>>).map(([name, field]) => [
    code(name), `${typeText(field)}${names.includes(name) ? '' : ', optional'}`, notes(field),
  ]);
  return table(['Field', 'Type', ''], rows);
}

function typeText(schema: Json): string {
  if ('$ref' in schema) return linksTo([nameOf(schema as unknown as Ref)]);
  if ('const' in schema) return code(JSON.stringify(schema['const']));
  if ('enum' in schema) return (schema['enum'] as readonly unknown[]).map((value) => code(JSON.stringify(value))).join(', ');
  if ('anyOf' in schema) return (schema['anyOf'] as readonly Json[]).map(typeText).join(' or ');
  if ('items' in schema) return `list of ${typeText(schema['items'] as Json)}`;
  if ('properties' in schema) {
    const fields = Object.entries(schema['properties'] as Readonly<Record<string, Json>>);
    return `{ ${fields.map(([name, field]) => `${escaped(name)}: ${typeText(field)}`).join(', ')} }`;
  }
  const type = (schema['type'] ?? 'anything') as string | readonly string[];
  return [type].flat().map(escaped).join(' or ');
}

function notes(schema: Json): string {
  const { description, default: standard, minimum, maximum, maxItems } = schema as Readonly<Record<string, string | number | undefined>>;
  return [
    ...(description === undefined ? [] : [markdown(String(description))]),
    ...(standard === undefined ? [] : [`Default ${code(JSON.stringify(standard))}.`]),
    ...(maximum === undefined || Number(maximum) >= Number.MAX_SAFE_INTEGER ? [] : [`From ${minimum ?? 0} to ${maximum}.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
  ].join(' ');
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string): string => `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${line(heads, 'th')}${rows.map((cells) => line(cells, 'td')).join('\n')}</table>`;
}

function linksTo(names: readonly string[]): string {
  return names.map((name) => `<a href="#${name}">${name}</a>`).join(', ');
}

function nameOf({ $ref }: Ref): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/** Code and bold: what the texts use. */
function markdown(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
