// Writes rows of listings as text/csv (RFC 4180) or application/x-ndjson (decision 6.13). Numbers keep their JSON text.
// In CSV, an apostrophe protects text that a spreadsheet would read as a formula.

const COLUMNS = {
  fills: [
    'fill_id', 'trade_id', 'wallet_address', 'symbol', 'price', 'size', 'fee', 'side', 'is_taker', 'timestamp', 'created_at',
    'builder_code_address', 'builder_code_fee', 'realized_pnl', 'explorer_url', 'instrument_type', 'order_id', 'kind',
  ],
  trades: [
    'trade_id', 'symbol', 'price', 'size', 'maker_address', 'taker_address', 'maker_fee', 'taker_fee', 'taker_side', 'timestamp',
    'created_at',
  ],
  ledger: [
    'seq', 'wallet_address', 'kind', 'symbol', 'amount', 'balance', 'time_ms', 'created_at', 'trade_id', 'order_id', 'payout_id', 'hour_ms',
    'credit_id', 'reason', 'command_seq',
  ],
  orders: [
    'order_id', 'wallet_address', 'symbol', 'side', 'price', 'size', 'tif', 'status', 'created_at', 'updated_at', 'filled_size',
    'client_id', 'reduce_only', 'mmp_enabled', 'instrument_type', 'order_status', 'end_reason',
  ],
} as const;
const CHOSEN_TEXTS: readonly string[] = ['client_id', 'credit_id', 'reason'];
/** = + - @, also full-width and small forms, tab and return. */
const BEGIN = '=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20\\uFE66\\uFE62\\uFE63\\uFE6B\\t\\r';
const UNSEEN = '\\s\\p{White_Space}\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800';
/** The start of a cell; in many locales semicolon, tab and line end also end one. */
const FORMULA = new RegExp(`(?<=^)(?=[${UNSEEN}]*[${BEGIN}])|(?<=[;\\t\\r\\n])(?=["${UNSEEN}]*[${BEGIN}])`, 'gu');

export type ListName = keyof typeof COLUMNS;
type Row = Readonly<Record<string, unknown>>;
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

/** Null: JSON. */
const OFFERED: readonly { readonly names: readonly string[]; readonly format: Format | null }[] = [
  { names: ['application/json', 'application/*', '*/*'], format: null },
  { names: ['text/csv', 'text/*', '*/*'], format: CSV },
  { names: ['application/x-ndjson', 'application/*', '*/*'], format: NDJSON },
];
const WEIGHT = /;\s*q\s*=\s*([01](?:\.\d*)?)\s*(?:;|$)/;

/** The most specific range counts (RFC 9110 12.5.1). Null means JSON, also if nothing matches. */
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
  const safe = CHOSEN_TEXTS.includes(name) ? text.replace(FORMULA, "'") : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
