// Grids for keyboards and screen readers: one cell is in the order of Tab, arrows move. `DataGrid` is a sortable list; `onGridKey` is for
// other shapes.

import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedEvent, TargetedFocusEvent, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';

export type Column<Row> = {
  readonly id: string;
  readonly title: string;
  /** Of a column without a title: what its buttons do. */
  readonly label?: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly order?: (row: Row) => number | string;
  readonly isText?: boolean;
};
type DataGridProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string | number;
  /** What to do when there are no rows. */
  readonly empty: ComponentChildren;
  readonly isSelected?: (row: Row) => boolean;
  readonly onChoose?: (row: Row) => void;
  /** By column; the first is the name of the row, which stays in sight. */
  readonly totals?: Readonly<Record<string, ComponentChildren>>;
  /** Absent: there are no others. */
  readonly onMore?: (() => void) | undefined;
};

/** At first, and added at the end of the list. */
const ROWS_DRAWN = 100;
const PAGE_ROWS = 10;
const ROWS_DOWN: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS };
const CELL = '[role=gridcell], [role=columnheader], [role=rowheader]';

export function DataGrid<Row>({ label, columns, rows, rowKey, empty, isSelected, onChoose, totals, onMore }: DataGridProps<Row>) {
  const drawn = useSignal(ROWS_DRAWN);
  const sort = useSignal<{ readonly id: string; readonly isDown: boolean } | null>(null);
  const sorted = sortedRows(rows, columns, sort.value);
  const choose = (id: string): void => {
    sort.value = sort.value?.id !== id ? { id, isDown: true } : sort.value.isDown ? { id, isDown: false } : null;
  };
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    // The row with the cell that Tab came back to may be gone.
    const { current } = table;
    if (current?.querySelector('[tabindex="0"]') === null) current.querySelector<HTMLElement>(CELL)!.tabIndex = 0;
  });
  const more = (): void => {
    if (drawn.value < rows.length) drawn.value += ROWS_DRAWN;
    else onMore?.();
  };
  const hasMore = drawn.value < rows.length || onMore !== undefined;
  const onScroll = ({ currentTarget: frame }: TargetedEvent<HTMLDivElement>): void => {
    if (hasMore && frame.scrollTop + frame.clientHeight > frame.scrollHeight - frame.clientHeight) more();
  };
  return (
    <div class="grid-frame" onScroll={onScroll}>
      <table
        ref={table} class="grid" role="grid" aria-label={label} aria-rowcount={rows.length + 1}
        onKeyDown={onGridKey} onFocusIn={onGridFocus}
      >
        <thead>
          <tr role="row">
            {columns.map(({ id, title, label: name, order, isText }, at) => (
              <th
                key={id} role="columnheader" scope="col" class={isText === true ? 'text' : undefined} tabIndex={at === 0 ? 0 : -1}
                aria-label={name} aria-sort={sort.value?.id !== id ? undefined : sort.value.isDown ? 'descending' : 'ascending'}
                {...(order !== undefined && { 'data-press': '', onClick: () => choose(id) })}
              >
                {title}{order !== undefined && <span class="sort" aria-hidden="true" />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, drawn.value).map((row) => (
            <tr
              key={rowKey(row)} role="row" aria-selected={isSelected?.(row)}
              {...(onChoose !== undefined && { 'data-press': '', onClick: () => onChoose(row) })}
            >
              {columns.map(({ id, cell, isText }) => (
                <td key={id} role="gridcell" tabIndex={-1} class={isText === true ? 'text' : undefined}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
        {totals !== undefined && rows.length > 0 && (
          <tfoot>
            <tr role="row">
              {columns.map(({ id, isText }) => (
                <td key={id} role="gridcell" tabIndex={-1} class={isText === true ? 'text' : undefined}>{totals[id]}</td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
      {hasMore && <p class="more"><Button onClick={more}>More rows</Button></p>}
      {rows.length === 0 && <p class="empty">{empty}</p>}
    </div>
  );
}

/**
 * Arrows, Home, End, Page Up and Down move; Enter and Space press the cell, or what is in it. `focusFar` draws a row that is not in the
 * document, by its number, and focuses its cell.
 */
export function onGridKey(event: TargetedKeyboardEvent<HTMLElement>, focusFar?: (rowIndex: number, column: number) => void): void {
  const cell = (event.target as HTMLElement).closest<HTMLElement>(CELL);
  const row = cell?.closest('[role=row]');
  if (cell === null || row === null || row === undefined) return;
  const { key, currentTarget: grid } = event;
  if (key === 'Enter' || key === ' ') {
    if (event.target !== cell) return;
    event.preventDefault();
    (cell.querySelector<HTMLElement>('button') ?? cell).click();
    return;
  }
  const cells = cellsOf(row);
  const column = cells.indexOf(cell);
  const down = ROWS_DOWN[key];
  const across = { ArrowRight: column + 1, ArrowLeft: column - 1, Home: 0, End: cells.length - 1 }[key];
  if (down === undefined && cells[across ?? -1] === undefined) return;
  event.preventDefault();
  if (down === undefined) return cells[across!]!.focus();
  if (focusFar === undefined) {
    const rows = [...grid.querySelectorAll('[role=row]')];
    return focusCell(rows[Math.min(rows.length - 1, Math.max(0, rows.indexOf(row) + down))], column);
  }
  const to = Number(row.getAttribute('aria-rowindex')) + down;
  const rowIndex = Math.min(Number(grid.getAttribute('aria-rowcount')), Math.max(1, to));
  const drawn = grid.querySelector(`[aria-rowindex="${rowIndex}"]`);
  if (drawn === null) focusFar(rowIndex, column);
  else focusCell(drawn, column);
}

/** Tab comes back to it. */
export function onGridFocus(event: TargetedFocusEvent<HTMLElement>): void {
  const cell = (event.target as HTMLElement).closest<HTMLElement>(CELL);
  if (cell === null || cell.tabIndex === 0) return;
  for (const other of event.currentTarget.querySelectorAll<HTMLElement>('[tabindex="0"]')) other.tabIndex = -1;
  cell.tabIndex = 0;
}

/** Focuses the cell of a column, or the row's last cell if it has fewer. */
export function focusCell(row: Element | null | undefined, column: number): void {
  if (row === null || row === undefined) return;
  const cells = cellsOf(row);
  cells[Math.min(column, cells.length - 1)]?.focus();
}

function cellsOf(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(CELL)];
}

function sortedRows<Row>(
  rows: readonly Row[], columns: readonly Column<Row>[], sort: { readonly id: string; readonly isDown: boolean } | null,
): readonly Row[] {
  const order = columns.find(({ id }) => id === sort?.id)?.order;
  if (sort === null || order === undefined) return rows;
  const sign = sort.isDown ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [order(one), order(other)];
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  });
}
