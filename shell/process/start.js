#!/usr/bin/env node
// The command `strikebook`, in JavaScript that any Node can read. It starts the bundle of the command that is named
// (commands.js), with the pinned Node if it runs in an unsuitable one, and says what is missing.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { commandOf } from './commands.js';

const COMMAND = commandOf(process.argv.slice(2));
const BUNDLE = new URL(`../../dist/${COMMAND.bundle}`, import.meta.url);
const FLAGS = ['--max-semi-space-size=64', '--no-short-builtin-calls', '--enable-source-maps'];

const [major, minor] = process.versions.node.split('.').map(Number);
const fits = major === 22 && minor >= 18;
const pinned = fits ? null : pinnedNode();
if (!fits && pinned === null) {
  refuse(`needs Node 22.18 or a later 22, this is ${process.version}: run "npm ci && npm start", which brings its own`);
} else if (!hasWorkingFolder()) {
  refuse('cannot use its working folder, which may have been removed: start it in one that is there');
} else if (!existsSync(BUNDLE)) {
  refuse('is not built: run "npm run build"');
} else if (pinned === null) {
  if (COMMAND.isProgram) process.argv.splice(2, 1);
  await import(BUNDLE.href);
} else {
  runBy(pinned);
}

function refuse(what) {
  console.error(`strikebook ${what}`);
  process.exitCode = 2;
}

function pinnedNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return null;
  }
}

function hasWorkingFolder() {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

function runBy(node) {
  const child = spawn(node, [...FLAGS, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => refuse(`cannot start ${node}: ${error.message}`));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal !== null) console.error(`strikebook was ended by ${signal}`);
  });
}
