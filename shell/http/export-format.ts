// Rows of listings as lines of text (decision 6.13). text/csv by RFC 4180: a header row, CRLF, quotes where a field needs them,
// nothing for null. Where a text that the client chose has what a spreadsheet would take for a formula, an apostrophe stands before it;
// application/x-ndjson has the text as it is. Numbers are the JSON's own texts.

const COLUMNS = {
  fills: [
    'fill_id', 'trade_id', 'wallet_address', 'symbol', 'price', 'size', 'fee', 'side', 'is_taker', 'timestamp', 'created_at',
    'builder_code_address', 'builder_code_fee', 'realized_pnl', 'explorer_url', 'instrument_type', 'order_id', 'kind',
  ],
  trades: [
    'trade_id', 'symbol', 'price', 'size', 'maker_address', 'taker_address', 'maker_fee', 'taker_fee', 'taker_side', 'timestamp',
    'created_at',
  ],
  orders: [
    'order_id', 'wallet_address', 'symbol', 'side', 'price', 'size', 'tif', 'status', 'created_at', 'updated_at', 'filled_size',
    'client_id', 'reduce_only', 'mmp_enabled', 'instrument_type', 'order_status', 'end_reason',
  ],
} as const;
const CHOSEN_BY_CLIENT = 'client_id';
/** What begins a formula: = + - @, also in full width and as small forms, a tab or a return. */
const BEGIN = '=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\t\\r';
/** What a spreadsheet strips or does not show: white space, control characters, what has no width, the empty braille pattern. */
const UNSEEN = '\\s\\p{White_Space}\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800';
/**
 * Where a formula would begin: at the start of the cell; and where cells end with a semicolon or a tab, as they do for spreadsheets of
 * much of the world, also behind one of those or the end of a line, since quotes bind nothing there.
 */
const FORMULA = new RegExp(`(?<=^)(?=[${UNSEEN}]*[${BEGIN}])|(?<=[;\\t\\r\\n])(?=["${UNSEEN}]*[${BEGIN}])`, 'gu');

export type ListName = keyof typeof COLUMNS;
type Row = Readonly<Record<string, unknown>>;
/** `head` comes once, before the lines. */
type Format = { readonly type: string; head(list: ListName): string; lines(list: ListName, rows: readonly Row[]): string };

const CSV: Format = {
  type: 'text/csv; charset=utf-8; header=present',
  head: (list) => `${COLUMNS[list].join(',')}\r\n`,
  lines: (list, rows) => rows.map((row) => `${COLUMNS[list].map((name) => cell(name, row[name])).join(',')}\r\n`).join(''),
};
const NDJSON: Format = {
  type: 'application/x-ndjson',
  head: () => '',
  lines: (_, rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
};

/** What a listing can be, for a client that takes all alike in this order; null: JSON. */
const OFFERED: readonly { readonly names: readonly string[]; readonly format: Format | null }[] = [
  { names: ['application/json', 'application/*', '*/*'], format: null },
  { names: ['text/csv', 'text/*', '*/*'], format: CSV },
  { names: ['application/x-ndjson', 'application/*', '*/*'], format: NDJSON },
];
const WEIGHT = /;\s*q\s*=\s*([01](?:\.\d*)?)\s*(?:;|$)/;

/**
 * The format that the header `accept` gives the most weight (RFC 9110 12.5.1: the range that names a format most closely counts), of
 * equals the one named first; null for JSON, also when the header takes none of them.
 */
export function formatOf(accept: string): Format | null {
  const ranges = accept.toLowerCase().split(',').map((range) => (
    { name: range.split(';')[0]!.trim(), weight: Number(WEIGHT.exec(range)?.[1] ?? 1) }
  ));
  let chosen: Format | null = null;
  let most = 0;
  let first = 0;
  for (const { names, format } of OFFERED) {
    const [at] = names.map((name) => ranges.findIndex((range) => range.name === name)).filter((found) => found >= 0);
    if (at === undefined) continue;
    const { weight } = ranges[at]!;
    if (weight < most || weight === 0 || (weight === most && at >= first)) continue;
    chosen = format;
    most = weight;
    first = at;
  }
  return chosen;
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = name === CHOSEN_BY_CLIENT ? text.replace(FORMULA, "'") : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
