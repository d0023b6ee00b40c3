// Renders the AsyncAPI document as the page /docs/socket. HTML with one style sheet and no script. Must escape every
// text.

import type { Json } from '../http/shapes/shape.ts';

export const STYLE = `:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: .75rem 1rem 4rem; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
h1 { font-size: 1.5rem; margin: .75rem 0; }
h2 { font-size: 1.15rem; margin: 1.75rem 0 .5rem; }
details { border-bottom: 1px solid var(--line); padding: .35rem 0; }
summary { cursor: pointer; }
summary code { font-size: 14px; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: var(--soft); border-radius: 3px; }
code { padding: 0 .25em; }
pre { padding: .75rem; overflow-x: auto; }
@media (max-width: 40rem) {
  tr { display: block; padding: .35rem 0; border-bottom: 1px solid var(--line); }
  tr.heads { display: none; }
  td { display: block; border: 0; padding: 0; }
  td[data-head]::before { content: attr(data-head) ": "; opacity: .7; }
}
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
  readonly 'x-subscribe'?: { readonly private: boolean; readonly filters: readonly string[]; readonly resume: boolean };
};
type ShownMessage = {
  readonly summary: string; readonly payload: Json; readonly examples?: readonly { readonly payload: Json }[]; readonly 'x-rest'?: string;
};

export function socketPage(
  document: Json, sections: Readonly<Record<string, () => string>>, links: { readonly style: string; readonly icon: string },
): string {
  const { info, channels, operations, components } = document as unknown as Documents;
  const requests = Object.values(operations).filter(({ reply }) => reply !== undefined);
  const asked = new Set(requests.flatMap(({ messages }) => messages.map(nameOf)));
  const told = Object.entries(components.messages).filter(([type]) => !asked.has(type));
  const shown = [
    '<h2 id="channels">Channels</h2>', ...Object.values(channels).flatMap(channelSection),
    '<h2 id="guide">How it works</h2>',
    ...Object.entries(sections).map(([title, text]) => folded(escaped(title), paragraphs(text()))),
    '<h2 id="requests">Requests</h2>',
    ...requests.map(({ messages, reply }) => messageSection(nameOf(messages[0]!), components, reply!.messages)),
    '<h2 id="messages">Messages</h2>', ...told.map(([type]) => messageSection(type, components)),
    '<h2 id="records">Records</h2>',
    ...Object.entries(components.schemas).map(([name, schema]) => folded(code(name), fieldTables(schema), name)),
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
<a href="../docs">REST</a><strong>WebSocket</strong><a href="../asyncapi.json">asyncapi.json</a>
<a href="#channels">Channels</a><a href="#guide">How it works</a><a href="#requests">Requests</a>
<a href="#messages">Messages</a><a href="#records">Records</a>
</nav>
<h1>${escaped(info.title)}</h1>
${shown.join('\n')}
</body>
</html>
`;
}

function channelSection({ title, summary, description = '', messages, 'x-subscribe': how }: ShownChannel): readonly string[] {
  if (how === undefined) return [];
  const rows = [
    ['Messages', linksTo(Object.keys(messages))],
    ['Filters', how.filters.length === 0 ? 'none' : how.filters.map(code).join(', ')],
    ['Wallet', how.private ? 'yes: name it with <code>?wallet=</code> or Authenticate' : 'not needed'],
    ['If I read too slowly', escaped(description)],
    ['Can I resume?', how.resume ? 'yes, with <code>from_seq</code>' : 'no, it begins with a snapshot'],
  ];
  return [folded(`${code(title)} ${escaped(summary)}`, table([], rows))];
}

function messageSection(type: string, { messages }: Documents['components'], answers?: readonly Ref[]): string {
  const { summary, payload, examples, 'x-rest': rest } = messages[type]!;
  const like = rest === undefined ? '' : ` The same request by REST: ${code(rest)}.`;
  const answered = answers === undefined ? '' : `<p>Answered by ${linksTo(answers.map(nameOf))}.${like}</p>`;
  const shown = (examples ?? []).map((example) => `<pre>${escaped(JSON.stringify(example.payload, null, 2))}</pre>`).join('');
  return folded(`${code(type)} ${markdown(summary)}`, `${answered}${shown}${fieldTables(payload)}`, type);
}

function folded(summary: string, body: string, id?: string): string {
  const target = id === undefined ? '' : `<span id="${id}"></span>`;
  return `<details>\n<summary>${summary}</summary>\n${target}${body}\n</details>`;
}

function paragraphs(text: string): string {
  return text.split('\n\n').map((one) => `<p>${markdown(one)}</p>`).join('\n');
}

function fieldTables(schema: Json): string {
  const forms = (schema['oneOf'] ?? [schema]) as readonly Json[];
  return forms.map((form) => ('properties' in form ? fieldTable(form) : `<p>${typeText(form)}</p>`)).join('\n');
}

function fieldTable({ properties, required = [] }: Json): string {
  const names = required as readonly string[];
  const rows = Object.entries(properties as Readonly<Record<string, Json>>).map(([name, field]) => [
    code(name), `${typeText(field)}${names.includes(name) ? '' : ', optional'}`, notes(field),
  ]);
  return table(['Field', 'Type', 'Notes'], rows);
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
  const top = heads.length === 0 ? '' : `<tr class="heads">${heads.map((head) => `<th>${head}</th>`).join('')}</tr>`;
  const line = (cells: readonly string[]): string => cells.map((cell, at) => (
    at === 0 || heads.length === 0 || cell === '' ? `<td>${cell}</td>` : `<td data-head="${heads[at]}">${cell}</td>`
  )).join('');
  return `<table>${top}${rows.map((cells) => `<tr>${line(cells)}</tr>`).join('\n')}</table>`;
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

function markdown(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>').replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
