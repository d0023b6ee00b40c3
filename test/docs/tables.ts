// The tables of a document as a test reads them: each under its caption (a line of bold text), each row a thing whose cells are
// either read as what an example starts from or compared with what the core says. A cell that is neither is a fault, so no
// number stands in a table unchecked. Numbers are as printed: 1,234.5, a minus of its own width, per cent.

import assert from 'node:assert/strict';

type Table = { readonly name: string; readonly line: number; readonly header: string[]; readonly rows: string[][] };

const NUMBER = /^-?[\d,]+(?:\.\d+)?$/;

/** All tables of a page in their order; one without a caption has the name ''. */
export function tablesOf(page: string): Table[] {
  const lines = page.split('\n');
  const tables: Table[] = [];
  let caption = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (!line.startsWith('|')) {
      if (line !== '') caption = /^\*\*(.+)\*\*$/.exec(line)?.[1] ?? '';
      continue;
    }
    const first = at;
    while (lines[at + 1]?.startsWith('|') === true) at++;
    const [header, rule, ...rows] = lines.slice(first, at + 1).map(cellsOf);
    assert.ok(rule?.every((cell) => /^:?-+:?$/.test(cell)), `line ${first + 2}: a table has a rule under its header`);
    for (const row of rows) assert.equal(row.length, header!.length, `line ${first + 1}: a row as wide as its header`);
    tables.push({ name: caption, line: first + 1, header: header!, rows });
    caption = '';
  }
  return tables;
}

function cellsOf(line: string): string[] {
  return line.split('|').slice(1, -1).map((cell) => cell.trim());
}

/** '1,234.5' and '-1,234.5' (with either minus), also with a plus or a unit behind: the number. */
export function numberOf(text: string): number {
  const [first] = text.replace('−', '-').replace('+', '').split(' ');
  assert.match(first!, NUMBER, `no number: ${text}`);
  return Number(first!.replaceAll(',', ''));
}

/** As a document prints it: at least two decimals are meant, zeros at the end are left out. */
function printed(value: number, decimals: number): string {
  const [whole, part = ''] = Math.abs(value).toFixed(decimals).split('.');
  const rest = part.replace(/0+$/, '');
  const text = `${whole!.replace(/\B(?=(\d{3})+$)/g, ',')}${rest === '' ? '' : `.${rest.padEnd(2, '0')}`}`;
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** One row of a table under check; collects what is wrong instead of stopping. */
export class Row {
  readonly wrong: string[] = [];
  private readonly seen = new Set<string>();
  private readonly table: Table;
  private readonly cells: readonly string[];
  private readonly label: string;

  constructor(table: Table, at: number) {
    this.table = table;
    this.cells = table.rows[at]!;
    this.label = `${table.name}, row ${at + 1}`;
  }

  /** Columns that nobody has read or compared yet. */
  left(): string[] {
    return this.table.header.filter((column) => !this.seen.has(column));
  }

  /** The cell without code marks; '' for a column that the table does not have, and for a dash. */
  read(column: string): string {
    const at = this.table.header.indexOf(column);
    if (at < 0) return '';
    this.seen.add(column);
    const cell = this.cells[at]!.replaceAll('`', '');
    return cell === '–' ? '' : cell;
  }

  has(column: string): boolean {
    return this.table.header.includes(column);
  }

  text(column: string, actual: string): void {
    const said = this.read(column);
    if (said !== actual) this.wrong.push(`${this.label}, ${column}: says ${said || '–'}, is ${actual || '–'}`);
  }

  /** Compares to the decimals that the cell has, at least two; of a cell in per cent, a hundredth of it. */
  number(column: string, actual: number): void {
    const said = this.read(column);
    const unit = / %$/.test(said) ? ' %' : '';
    const decimals = Math.max(2, /\.(\d+)/.exec(said)?.[1]?.length ?? 0);
    this.text(column, printed(unit === '' ? actual : actual * 100, decimals) + unit);
  }
}
