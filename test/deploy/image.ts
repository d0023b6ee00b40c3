// The steps of docs/deploy/Containerfile, run without a container engine: each stage is an empty folder, paths of the image are below it.

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './folder.ts';

type Image = {
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: readonly number[];
  readonly exposed: number;
  readonly volume: string;
};

type Stage = { root: string; workdir: string; readonly settings: Map<string, string> };

const KEPT = new Set(['ENTRYPOINT', 'ENV', 'EXPOSE', 'STOPSIGNAL', 'USER', 'VOLUME']);
const WITHIN_MS = 240_000;

export function instructionsOf(text: string): readonly (readonly [string, string])[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
}

/** Runs every step below the folder; answers what the last stage says of the image. */
export function build(text: string, folder: string): Image {
  const stages = new Map<string, Stage>();
  let stage: Stage | null = null;
  for (const [instruction, rest] of instructionsOf(text)) {
    if (instruction === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'last';
      stage = { root: join(folder, name), workdir: '/', settings: new Map() };
      stages.set(name, stage);
    } else {
      act(stage!, stages, [instruction, rest]);
    }
  }
  return imageOf(stage!);
}

function act(stage: Stage, stages: ReadonlyMap<string, Stage>, [instruction, rest]: readonly [string, string]): void {
  const here = (): string => join(stage.root, stage.workdir);
  if (KEPT.has(instruction)) {
    stage.settings.set(instruction, rest);
  } else if (instruction === 'WORKDIR') {
    stage.workdir = rest;
    mkdirSync(here(), { recursive: true });
    // The venue runs as another user.
    for (let path = rest; path !== '.'; path = path.slice(0, path.lastIndexOf('/')) || '.') chmodSync(join(stage.root, path), 0o755);
  } else if (instruction === 'RUN') {
    must(['sh', '-c', rest], here());
  } else if (instruction === 'COPY') {
    copy(stage, stages, rest);
  } else {
    throw new Error(`${instruction} ${rest}: not known here`);
  }
}

function copy(stage: Stage, stages: ReadonlyMap<string, Stage>, rest: string): void {
  const words = rest.split(' ');
  const from = /^--from=(\w+)$/.exec(words[0]!)?.[1];
  if (from !== undefined) words.shift();
  const to = join(stage.root, stage.workdir, words.at(-1)!);
  for (const path of words.slice(0, -1)) {
    const source = join(from === undefined ? ROOT : stages.get(from)!.root, path);
    // Of a folder its contents are copied.
    const isFolder = statSync(source).isDirectory();
    const target = !isFolder && to.endsWith('/') ? join(to, basename(path)) : to;
    if (isFolder) mkdirSync(target, { recursive: true });
    // Links instead of copies: a stage is not written to once another one copies of it.
    if (from !== undefined) must(['cp', '-al', isFolder ? `${source}/.` : source, target], ROOT);
    else cpSync(source, target, { recursive: true });
  }
}

function must([command, ...args]: readonly string[], cwd: string): void {
  // What a run of npm or of tests tells its scripts would change what they do.
  const clean = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_(OPTIONS|TEST|COMPILE)|INIT_CWD)/i.test(name));
  const env = { ...Object.fromEntries(clean), npm_config_prefer_offline: 'true' };
  const { status, stdout, stderr } = spawnSync(command!, args, { cwd, env, encoding: 'utf8', timeout: WITHIN_MS });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}

function imageOf({ root, workdir, settings }: Stage): Image {
  const setting = (name: string): string => settings.get(name) ?? '';
  return {
    root, workdir,
    entrypoint: JSON.parse(setting('ENTRYPOINT')) as string[],
    env: Object.fromEntries(setting('ENV').split(' ').map((pair) => pair.split('='))) as Record<string, string>,
    user: setting('USER').split(':').map(Number),
    exposed: Number(setting('EXPOSE')),
    volume: setting('VOLUME'),
  };
}
