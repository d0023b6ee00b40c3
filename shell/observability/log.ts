// What the process says of itself, one line for each notable event: text for people (default), or with LOG=json one JSON
// object with time, level, event, thread, text and what belongs to the event. Information goes to standard output, the rest
// to standard error. Written synchronously, so that the last line before an end is not lost.
// Never: a header, a body, a query, a signature or a token; they are not given to it. Never throws: a reader that is gone or
// too slow loses lines, the venue loses nothing.

import { writeSync } from 'node:fs';
import { wallTime } from '../clock.ts';

export type LogFormat = 'text' | 'json';
type Level = 'info' | 'warn' | 'error';
type Fields = Readonly<Record<string, string | number>>;

const OUT = 1;
const ERROR = 2;
/** What would end the line, or steer a terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

let format: LogFormat = 'text';
let thread = 'main';

/** How this thread's lines look from now on. */
export function logAs(how: LogFormat, name: string): void {
  format = how;
  thread = name;
}

/** `text` may have several lines on standard output (the banner); elsewhere they become one. */
export function log(level: Level, event: string, text: string, fields: Fields = {}): void {
  const file = level === 'info' ? OUT : ERROR;
  try {
    writeSync(file, `${format === 'json' ? json(level, event, text, fields) : plain(file, text, fields)}\n`);
  } catch {
    // Nobody reads.
  }
}

function json(level: Level, event: string, text: string, fields: Fields): string {
  return JSON.stringify({ time: new Date(wallTime()).toISOString(), level, event, thread, text, ...fields });
}

function plain(file: number, text: string, fields: Fields): string {
  if (file === OUT) return text;
  const id = fields['request_id'] === undefined ? '' : ` (request ${fields['request_id']})`;
  return `strikebook: ${text.replaceAll('\n', ' | ').replace(CONTROL, '?')}${id}`;
}
