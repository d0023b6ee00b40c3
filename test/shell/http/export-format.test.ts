// Lines of exports: RFC 4180 for any text, formulas defused in CSV only, and which format `Accept` selects.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { formatOf } from '../../../shell/http/export-format.ts';

const csv = formatOf('text/csv')!;

/** The cell of the client id in a row of orders. */
function clientIdCell(text: string): string {
  const line = csv.lines('orders', [{ client_id: text, reduce_only: false, mmp_enabled: true, instrument_type: 'perp' }]);
  const end = ',false,true,perp,,\r\n';
  assert.ok(line.endsWith(end));
  return line.slice(','.repeat(11).length, -end.length);
}

const BEGINS = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20'];
/** White space of Unicode, what has no width, and controls: what a spreadsheet may strip before it looks for a formula. */
const UNSEEN = [
  ' ', '\t', '\r', '\n', '\v', '\f', '\0', '\u0085', '\u00a0', '\u00ad', '\u034f', '\u061c', '\u115f', '\u1680', '\u180e', '\u2000',
  '\u2009', '\u200b', '\u200c', '\u200d', '\u200e', '\u2028', '\u2029', '\u202f', '\u205f', '\u2060', '\u2064', '\u2800', '\u3000',
  '\u3164', '\ufe0f', '\ufeff', '\uffa0', '\u{e0020}',
];

function plainCell(text: string): string {
  const cell = clientIdCell(text);
  if (!cell.startsWith('"')) assert.ok(!/[",\r\n]/.test(cell));
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

test('a client id survives CSV by RFC 4180, with an apostrophe only before a possible formula', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[=+@\-",\r\n\t]{0,6}$/)), (text) => {
    const plain = plainCell(text);
    const isFormula = text.startsWith('\t') || text.startsWith('\r') || /^\s*[=+@-]/.test(text);
    if (!/[;\t\r\n]/.test(text)) assert.equal(plain, isFormula ? `'${text}` : text);
    assert.equal(plain.replaceAll("'", ''), text.replaceAll("'", ''));
  }));
});

test('full-width formulas, and those after characters that a spreadsheet strips or hides, are defused too', () => {
  for (const begin of BEGINS) {
    assert.equal(plainCell(`${begin}1+1`), `'${begin}1+1`);
    for (const unseen of UNSEEN) {
      const text = `${unseen}${unseen}${begin}cmd`;
      assert.ok(plainCell(text).startsWith("'"), JSON.stringify(text));
      const second = plainCell(`a;${unseen}"${unseen}${begin}cmd`);
      assert.ok(second.startsWith("a;'"), JSON.stringify(second));
    }
  }
  for (const text of ['a=1', ' a-b', 'x\u200b=1', '\u00a0', '']) assert.equal(plainCell(text), text, JSON.stringify(text));
});

test('no formula begins in a client id when a spreadsheet splits cells at semicolons or tabs', () => {
  const formula = /(^|[;\t\r\n]"*)[=+\-@\t\r]/;
  const texts = fc.oneof(fc.stringMatching(/^[=@\-;",\r\n\t']{0,8}$/), fc.constantFrom('a;=1+1', 'a;"=1+1', 'a\n=1+1', 'a\t-1', ';\t\r='));
  fc.assert(fc.property(texts, (text) => {
    // So a spreadsheet would read the cell, whose quotes stand in the middle of what it takes for one.
    assert.doesNotMatch(clientIdCell(text).replace(/^"/, ''), formula);
  }));
  assert.deepEqual(['a;b', 'a-b;c=d', '1;2\n3'].map(clientIdCell), ['a;b', 'a-b;c=d', '"1;2\n3"']);
});

test('negative numbers stay numbers; null is an empty cell', () => {
  const [line] = csv.lines('fills', [{ fill_id: 1, realized_pnl: '-5.5', explorer_url: null, is_taker: true }]).split('\r\n');
  assert.equal(line, '1,,,,,,,,true,,,,,-5.5,,,,');
});

test('Accept selects the heaviest format, the first of equals; if none fits the export is JSON', () => {
  const [csv, ndjson, json] = ['text/csv', 'application/x-ndjson', null];
  const cases: [string, string | null][] = [
    ['text/csv', csv], ['application/x-ndjson; q=1, text/csv', ndjson], ['TEXT/CSV;header=absent', csv], ['text/csv; Q=0.1', csv],
    ['application/json', json], ['', json], ['*/*', json], ['application/*', json], ['text/*', csv], ['text/html', json],
    ['application/json, text/csv', json], ['text/csv, application/json', csv], ['*/*, text/csv', json], ['text/csv, */*', csv],
    ['application/*, text/csv', json], ['application/json;q=0.5, text/csv', csv], ['text/csv;q=0.8, application/x-ndjson;q=0.9', ndjson],
    ['text/csv;q=0, application/json', json], ['text/csv;q=0', json], ['text/csv;q=0.000, application/x-ndjson;q=0.001', ndjson],
    ['text/csv;q=0.5, */*;q=0.8', json], ['text/csv; header=present; q=0.9, */*;q=0.8', csv], ['application/json;q=0, */*', csv],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', json], ['text/csv;q=much', csv], [',;,text/csv', csv],
  ];
  for (const [accept, type] of cases) assert.equal(formatOf(accept)?.type.split(';')[0] ?? null, type, accept);
});

test('NDJSON keeps each row unchanged', () => {
  const rows = [{ client_id: '=1+1', a: null }, { client_id: '\n"' }];
  const text = formatOf('application/x-ndjson')!.lines('orders', rows);
  assert.deepEqual(text.split('\n').slice(0, -1).map((line) => JSON.parse(line) as object), rows);
});
