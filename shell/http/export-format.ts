// Rows of listings as lines of text (decision 6.13). text/csv by RFC 4180: a header row, CRLF, quotes where a field needs them,
// nothing for null. A text that the client chose and that a spreadsheet would take for a formula (it begins with = + - @, a tab
// or a return) gets an apostrophe before it; application/x-ndjson has it as it is. Numbers are the JSON's own texts.

const COLUMNS = {
  fills: [
    'fill_id', 'trade_id', 'wallet_address', 'symbol', 'price', 'size', 'fee', 'side', 'is_taker', 'timestamp', 'created_at',
    'builder_code_address', 'builder_code_fee', 'realized_pnl', 'explorer_url', 'instrument_type',
  ],
  trades: [
    'trade_id', 'symbol', 'price', 'size', 'maker_address', 'taker_address', 'maker_fee', 'taker_fee', 'taker_side', 'timestamp',
    'created_at',
  ],
  orders: [
    'order_id', 'wallet_address', 'symbol', 'side', 'price', 'size', 'tif', 'status', 'created_at', 'updated_at', 'filled_size',
    'client_id', 'reduce_only', 'mmp_enabled', 'instrument_type',
  ],
} as const;
const CHOSEN_BY_CLIENT = 'client_id';

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

/** The format that the header `accept` names first; null for JSON. */
export function formatOf(accept: string): Format | null {
  for (const part of accept.toLowerCase().split(',')) {
    const type = part.split(';')[0]!.trim();
    if (type === 'text/csv') return CSV;
    if (type === 'application/x-ndjson') return NDJSON;
  }
  return null;
}

function cell(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = name === CHOSEN_BY_CLIENT && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
