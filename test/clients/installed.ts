// Installs the published clients of the Hyperliquid protocol at the versions and hashes of the lockfile beside this
// file, into .cache/clients, once. Null if no registry serves them: tests then skip by name. Any other failure is an error.

import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lacksRegistry } from '../support/registry.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, '.cache');
const HOME = join(CACHE, 'clients');
const FILES = ['package.json', 'package-lock.json'];
const NPM = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--fetch-timeout=60000'];

/** A registry that does not have them, or does not serve them now. A wrong hash is neither. */
const UNSERVED = /\bE[45]\d\d\b|ECONNRESET|EHOSTUNREACH|ENOTCACHED|SOCKET_TIMEOUT/;

type Clients = { readonly load: (name: string) => Promise<any> };

export async function installedClients(): Promise<Clients | null> {
  if (!isCurrent(HOME) && !await install()) return null;
  const require = createRequire(join(HOME, 'package.json'));
  return { load: (name) => import(pathToFileURL(require.resolve(name)).href) };
}

function isCurrent(folder: string): boolean {
  const isSame = (name: string): boolean => (
    existsSync(join(folder, name)) && readFileSync(join(folder, name)).equals(readFileSync(join(import.meta.dirname, name)))
  );
  return existsSync(join(folder, 'node_modules')) && FILES.every(isSame);
}

/** Beside the place, so that nobody sees half of it; another process may be first. */
async function install(): Promise<boolean> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'clients-'));
  try {
    for (const name of FILES) copyFileSync(join(import.meta.dirname, name), join(folder, name));
    const failure = await npm(folder);
    if (failure !== null && (lacksRegistry(failure) || UNSERVED.test(failure))) return false;
    if (failure !== null) throw new Error(`npm ci: ${failure}`);
    if (isCurrent(HOME)) return true;
    rmSync(HOME, { recursive: true, force: true });
    renameSync(folder, HOME);
    return true;
  } catch (error) {
    if (isCurrent(HOME)) return true;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What it wrote as it failed; null: it did not fail. */
function npm(cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn('npm', NPM, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => { errors += text; });
    child.once('error', (error) => resolve(String(error)));
    child.once('close', (code) => resolve(code === 0 ? null : errors));
  });
}
