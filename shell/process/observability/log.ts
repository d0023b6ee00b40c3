// The log, one line per event: text for people, or with LOG=json an object. It is written synchronously, so that the last line is not
// lost. It never receives headers, bodies, queries, signatures or tokens, and never throws.

import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { wallTime } from '../clock.ts';

export type LogFormat = 'text' | 'json';
type Level = 'info' | 'warn' | 'error';
export type Fields = Readonly<Record<string, string | number>>;

const OUT = 1;
const ERROR = 2;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

const places: Readonly<Record<number, number>> = { [OUT]: unheld(OUT), [ERROR]: unheld(ERROR) };

let format: LogFormat = 'text';
let thread = 'main';

export function logAs(how: LogFormat, name: string): void {
  format = how;
  thread = name;
}

export function log(level: Level, event: string, text: string, fields: Fields = {}, more = ''): void {
  const file = level === 'info' ? OUT : ERROR;
  try {
    writeSync(places[file]!, `${format === 'json' ? json(level, event, text, fields) : plain(file, `${text}${more}`, fields)}\n`);
  } catch {
  }
}

/**
 * A paused terminal (Ctrl-S) would block the thread, so it is reopened for non-blocking writes. Pipes are non-blocking;
 * files never block.
 */
function unheld(file: number): number {
  try {
    return isatty(file) ? openSync(`/proc/self/fd/${file}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY) : file;
  } catch {
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
