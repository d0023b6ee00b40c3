// The conformance report: each endpoint with its fields, each required field of a body, each error, bound and rule of the law,
// with the test that shows it. Written to docs/CONFORMANCE.md by `npm run conformance`; a test holds that file against this.

import { ENDPOINTS, type Endpoint, type Parameter } from '../../../client/conformance/law/endpoints.ts';
import { BOUNDS } from '../../../client/conformance/law/bounds.ts';
import { ERRORS } from '../../../client/conformance/law/errors.ts';
import { REQUESTS } from '../../../client/conformance/law/requests.ts';
import { RULES } from '../../../client/conformance/law/rules.ts';
import type { Shape } from '../../../client/conformance/law/shapes.ts';
import type { Shown } from '../../../client/conformance/law/shown.ts';

type Line = { readonly section: string; readonly cells: readonly string[]; readonly shown: Shown };

const HEADS: { readonly [section: string]: readonly string[] } = {
  Endpoints: ['Endpoint', 'Asked by', 'Query', 'Statuses'], Fields: ['Answer of', 'Fields'],
  Bodies: ['Body of', 'Fields it must have'], Errors: ['When', 'Status', 'Code', 'Text'], Bounds: ['What', 'Bound'],
  Rules: ['Of', 'Rule'],
};
const INTRODUCTION = `# Conformance

Every row of the interface, and the test that shows it. What the rows mean: [spec](spec/README.md). \`npm run conformance\` writes this page
and \`npm test\` checks it.

A parameter in bold is required; \`=\` is its default, \`≤\` its maximum, \`{…}\` all that it takes. Every endpoint may also answer 429, 500
and 503. A field whose name ends in \`?\` may be absent; the types of fields are in \`client/conformance/law/shapes.ts\`.

The tests run against a venue process with all its threads, over the network, with requests signed by code that is not the venue's. Where
that is not possible, the last column says what replaces it and why.
`;

const here = (file: string, title: string): Shown => ({ file: `test/e2e/conformance/${file}.test.ts`, title });

/** Every row of the law. */
export function lines(): readonly Line[] {
  const endpoints = ENDPOINTS.map((one): Line => {
    const shown = one.shown ?? here('endpoints', `endpoint: ${one.method} ${one.path}`);
    return { section: 'Endpoints', cells: [what(one), one.auth, query(one), [200, ...one.statuses].join(' ')], shown };
  });
  const fields = ENDPOINTS.map((one): Line => {
    const shown = one.shown ?? here('endpoints', `endpoint: ${one.method} ${one.path}`);
    return { section: 'Fields', cells: [what(one), one.shape === '' ? 'none' : code(shapeText(one.shape))], shown };
  });
  const bodies = Object.entries(REQUESTS).map(([name, body]): Line => (
    { section: 'Bodies', cells: [code(name), Object.keys(body).map(code).join(' ')], shown: here('endpoints', `endpoint: ${name}`) }
  ));
  const errors = ERRORS.map(({ when, status, code: of, text, shown = here('errors', `error: ${when}`) }): Line => (
    { section: 'Errors', cells: [when, String(status), of, code(text)], shown }
  ));
  const bounds = BOUNDS.map(({ item, bound, shown = here('bounds', `bound: ${item}`) }): Line => (
    { section: 'Bounds', cells: [item, bound], shown }
  ));
  const rules = RULES.map(({ section, rule, shown }): Line => ({ section: 'Rules', cells: [inSpec(section), rule], shown }));
  return [...endpoints, ...fields, ...bodies, ...errors, ...bounds, ...rules];
}

/** The page, as Markdown. */
export function report(): string {
  const all = lines();
  const sections = Object.entries(HEADS).map(([section, head]) => {
    const rows = all.filter((line) => line.section === section);
    const table = [
      [...head, 'Shown by', 'Test double'], [...head, '', ''].map(() => '---'),
      ...rows.map(({ cells, shown }) => [...cells, test(shown), shown.double ?? '']),
    ];
    return `## ${section}: ${rows.length}\n\n${table.map((cells) => `| ${cells.map(escape).join(' | ')} |`).join('\n')}\n`;
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

/** A link to the part of the interface that a rule is of. */
function inSpec(section: string): string {
  return `[${section}](spec/interface.md#${section.toLowerCase().replaceAll(' ', '-')})`;
}

function what({ method, path }: Endpoint): string {
  return code(`${method} ${path}`);
}

function query({ query: parameters }: Endpoint): string {
  return Object.entries(parameters).map(([name, parameter]) => parameterText(name, parameter)).join(', ');
}

function parameterText(name: string, { required, default: standard, max, values }: Parameter): string {
  const bounds = [
    ...(standard === undefined ? [] : [` = ${standard}`]), ...(max === undefined ? [] : [` ≤ ${max}`]),
    ...(values === undefined ? [] : [` {${values.join(', ')}}`]),
  ];
  return `${required ? `**${name}**` : name}${bounds.join('')}`;
}

/** The names, those of records within records too; the types stand in law/shapes.ts. */
function shapeText(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (Array.isArray(shape)) return `[${shapeText(shape[0] as Shape)}]`;
  return `{${Object.entries(shape).map(([name, one]) => (typeof one === 'string' ? name : `${name} ${shapeText(one)}`)).join(', ')}}`;
}

function test({ file, title }: Shown): string {
  return `${file.replace(/^test\/|\.test\.ts$/g, '')}: ${title}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|');
}
