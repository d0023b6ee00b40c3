// Definitions of competitions: when, what wins, and texts (decision 5.7). Never changed once created; the id is the row plus one. Times in
// ms, texts in UTF-8.

import { fixedSection, float64, int32, type Section, uint8 } from '../columns.ts';
import { INVALID_COMPETITION, OK, TOO_MANY_COMPETITIONS } from '../errors.ts';
import { COMPETITION_TEXT_BYTES } from '../limits.ts';
import { WIN_CONDITIONS, type WinCondition } from '../units.ts';
import { BYTE_COMPETITION_TEXTS, DOUBLE_COMPETITION_END, DOUBLE_COMPETITION_START, WORD_COMPETITION_CONDITIONS,
  WORD_COMPETITION_LENGTHS, WORD_COMPETITION_PRIMARY } from '../codec/commands.ts';
import { COMPETITION_CONDITIONS, COMPETITION_CREATED, COMPETITION_END, COMPETITION_ID, COMPETITION_PRIMARY, COMPETITION_SLOTS,
  COMPETITION_START, emit, type Events } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import type { CommandResult } from '../trading/context.ts';

const NAME = 0;
const DESCRIPTION = 1;
const RULES_URL = 2;
const RULES_CONTENT = 3;
const TEXTS = COMPETITION_TEXT_BYTES.length;

const ROW_BYTES = COMPETITION_TEXT_BYTES.reduce((sum, bytes) => sum + bytes, 0);

const COUNT = 0;

export type Competitions = {
  readonly capacity: number;
  readonly counters: Float64Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly createdAt: Float64Array;
  readonly conditions: Uint8Array;
  readonly primary: Uint8Array;
  /** Per row: lengths of its texts, then the texts. */
  readonly lengths: Int32Array;
  readonly texts: Uint8Array;
};

type Creating = {
  readonly competitions: Competitions; readonly events: Events; readonly result: Pick<CommandResult, 'code' | 'numbers'>;
};

export function createCompetitions(capacity: number): Competitions {
  const per = (): Float64Array => float64(capacity);
  return {
    capacity, counters: float64(1), start: per(), end: per(), createdAt: per(), conditions: uint8(capacity),
    primary: uint8(capacity), lengths: int32(capacity * TEXTS), texts: uint8(capacity * ROW_BYTES),
  };
}

/** A start in the past becomes now. */
export function createCompetition({ competitions, events, result }: Creating, views: Views, at: number, time: number): void {
  const { conditions, counters, createdAt, end, lengths, primary, start, texts } = competitions;
  result.code = isSound(views, at, time) ? counters[COUNT] < competitions.capacity ? OK : TOO_MANY_COMPETITIONS : INVALID_COMPETITION;
  if (result.code !== OK) return;
  const word = at >>> 2;
  const row = counters[COUNT]++;
  start[row] = Math.max(time, views.f64[(at >>> 3) + DOUBLE_COMPETITION_START]);
  end[row] = views.f64[(at >>> 3) + DOUBLE_COMPETITION_END];
  createdAt[row] = time;
  conditions[row] = views.u32[word + WORD_COMPETITION_CONDITIONS];
  primary[row] = views.u32[word + WORD_COMPETITION_PRIMARY];
  let bytes = 0;
  for (let text = 0; text < TEXTS; text++) {
    lengths[row * TEXTS + text] = views.u32[word + WORD_COMPETITION_LENGTHS + text];
    bytes += lengths[row * TEXTS + text];
  }
  for (let i = 0; i < bytes; i++) texts[row * ROW_BYTES + i] = views.u8[at + BYTE_COMPETITION_TEXTS + i];
  result.numbers[0] = row + 1;
  const f = events.slots;
  f[COMPETITION_ID] = row + 1;
  f[COMPETITION_START] = start[row];
  f[COMPETITION_END] = end[row];
  f[COMPETITION_CONDITIONS] = conditions[row];
  f[COMPETITION_PRIMARY] = primary[row];
  emit(events, COMPETITION_CREATED, COMPETITION_SLOTS);
}

function isSound(views: Views, at: number, time: number): boolean {
  const word = at >>> 2;
  const start = views.f64[(at >>> 3) + DOUBLE_COMPETITION_START];
  const end = views.f64[(at >>> 3) + DOUBLE_COMPETITION_END];
  const conditions = views.u32[word + WORD_COMPETITION_CONDITIONS];
  const primary = views.u32[word + WORD_COMPETITION_PRIMARY];
  for (let text = 0; text < TEXTS; text++) {
    if (views.u32[word + WORD_COMPETITION_LENGTHS + text] > COMPETITION_TEXT_BYTES[text]) return false;
  }
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start < end && end > time
    && conditions < 1 << WIN_CONDITIONS.length && primary < WIN_CONDITIONS.length && (conditions & (1 << primary)) !== 0
    && views.u32[word + WORD_COMPETITION_LENGTHS + NAME] > 0;
}

export function competitionCount({ competitions }: { readonly competitions: Competitions }): number {
  return competitions.counters[COUNT];
}

export type CompetitionTerms = {
  readonly id: number; readonly name: string;
  readonly description: string; readonly rulesUrl: string; readonly rulesContent: string;
  readonly start: number; readonly end: number; readonly createdAt: number;
  readonly conditions: readonly WinCondition[]; readonly primary: WinCondition;
};

export function competitionOf({ competitions }: { readonly competitions: Competitions }, id: number): CompetitionTerms | null {
  if (!(Number.isInteger(id) && id >= 1 && id <= competitions.counters[COUNT])) return null;
  const row = id - 1;
  return {
    id, name: textOf(competitions, row, NAME), description: textOf(competitions, row, DESCRIPTION),
    rulesUrl: textOf(competitions, row, RULES_URL), rulesContent: textOf(competitions, row, RULES_CONTENT),
    start: competitions.start[row], end: competitions.end[row], createdAt: competitions.createdAt[row],
    conditions: WIN_CONDITIONS.filter((_, number) => (competitions.conditions[row] & (1 << number)) !== 0),
    primary: WIN_CONDITIONS[competitions.primary[row]],
  };
}

function textOf({ lengths, texts }: Competitions, row: number, text: number): string {
  let at = row * ROW_BYTES;
  for (let before = 0; before < text; before++) at += lengths[row * TEXTS + before];
  return new TextDecoder().decode(texts.subarray(at, at + lengths[row * TEXTS + text]));
}

export function competitionSections(competitions: Competitions): readonly Section[] {
  const per = (name: string, column: Section['column'], width = 1): Section => (
    { name: `competitions.${name}`, column, used: () => competitions.counters[COUNT] * width }
  );
  return [
    fixedSection('competitions.counters', competitions.counters), per('start', competitions.start), per('end', competitions.end),
    per('createdAt', competitions.createdAt), per('conditions', competitions.conditions), per('primary', competitions.primary),
    per('lengths', competitions.lengths, TEXTS), per('texts', competitions.texts, ROW_BYTES),
  ];
}
