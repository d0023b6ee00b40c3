// What the process says of itself, one line for each notable event: text for people (default), or with LOG=json one JSON
// object with time, level, event, thread, text in one line and what belongs to the event as fields, so that nobody has to read a text.
// Information goes to standard output, the rest to standard error. Written synchronously, so that the last line before an end is not lost.
// Never: a header, a body, a query, a signature or a token; they are not given to it. Never throws: a reader that is gone or
// too slow loses lines, the venue loses nothing.

import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { wallTime } from '../clock.ts';

export type LogFormat = 'text' | 'json';
type Level = 'info' | 'warn' | 'error';
export type Fields = Readonly<Record<string, string | number>>;

const OUT = 1;
const ERROR = 2;
/** What would end the line, or steer a terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Where the lines of a file go. */
const places: Readonly<Record<number, number>> = { [OUT]: unheld(OUT), [ERROR]: unheld(ERROR) };

let format: LogFormat = 'text';
let thread = 'main';

/** How this thread's lines look from now on. */
export function logAs(how: LogFormat, name: string): void {
  format = how;
  thread = name;
}

/** `more`: further lines for people on standard output. A text of several lines is told as one, but to people there. */
export function log(level: Level, event: string, text: string, fields: Fields = {}, more = ''): void {
  const file = level === 'info' ? OUT : ERROR;
  try {
    writeSync(places[file]!, `${format === 'json' ? json(level, event, text, fields) : plain(file, `${text}${more}`, fields)}\n`);
  } catch {
    // Nobody reads.
  }
}

/**
 * A terminal that is held (Ctrl-S) would hold the thread that writes a line, and a fatal one would never end. So it is opened once more,
 * for writes that do not wait: what has no room is lost. Of a pipe the runtime sees to that; a file takes all.
 */
function unheld(file: number): number {
  try {
    return isatty(file) ? openSync(`/proc/self/fd/${file}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY) : file;
  } catch {
    // A system that does not let it be opened so.
    return file;
  }
}

function json(level: Level, event: string, text: string, fields: Fields): string {
  return JSON.stringify({ time: new Date(wallTime()).toISOString(), level, event, thread, text: inOneLine(text), ...fields });
}

function plain(file: number, text: string, fields: Fields): string {
  if (file === OUT) return text;
  const id = fields['request_id'] === undefined ? '' : ` (request ${fields['request_id']})`;
  return `strikebook: ${inOneLine(text)}${id}`;
}

function inOneLine(text: string): string {
  return text.replaceAll('\n', ' | ').replace(CONTROL, '?');
}
