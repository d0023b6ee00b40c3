// How a node of a cluster reaches the brokers: the addresses of --replicate, and the credentials and certificates of --broker-options.

import * as fs from 'node:fs';
import { isIP } from 'node:net';
import type { BrokerOptions } from '../storage/replication/jetstream.ts';
import type { ClusterConfig } from './cluster-settings.ts';
import { StartRefusal } from './start-refusal.ts';

const CREDENTIALS = ['user', 'pass', 'token'];
const CERTIFICATES = ['caFile', 'certFile', 'keyFile'];

type Fields = Readonly<Record<string, unknown>>;

/** Throws StartRefusal. An address with `tls:` or the field `tls` never connects without TLS. */
export function brokerOptions({ servers, optionsFile }: ClusterConfig): BrokerOptions {
  const given = optionsFile === null ? {} : readOptions(optionsFile);
  const hasTls = given['tls'] !== undefined || servers.some((server) => server.startsWith('tls:'));
  if (!hasTls) return { ...given, servers: [...servers] };
  // The broker's client would compare the certificate of an IP address with the name localhost.
  const bare = servers.find((server) => isIP(URL.parse(server)!.hostname.replace(/^\[|\]$/g, '')) > 0);
  if (bare !== undefined) throw new StartRefusal(`--replicate: with TLS give brokers by the name in their certificates, not ${bare}`);
  return { ...given, servers: [...servers], tls: (given['tls'] ?? {}) as object };
}

function readOptions(path: string): Fields {
  const text = readPrivate('broker-options', path);
  const refused = (what: string): StartRefusal => new StartRefusal(`--broker-options: ${path} ${what}`);
  const options = fieldsOf(parsed(text));
  if (options === null) throw refused('must hold a JSON object');
  for (const [name, value] of Object.entries(options)) {
    if (name === 'tls') continue;
    if (!CREDENTIALS.includes(name)) throw refused(`has ${name}; it may have ${CREDENTIALS.join(', ')} and tls`);
    if (typeof value !== 'string') throw refused(`must have a text as ${name}`);
  }
  if (options['tls'] === undefined) return options;
  const tls = fieldsOf(options['tls']);
  if (tls === null) throw refused('must have an object as tls');
  for (const [name, file] of Object.entries(tls)) {
    if (!CERTIFICATES.includes(name)) throw refused(`has ${name} in tls; it may have ${CERTIFICATES.join(', ')}`);
    try {
      fs.accessSync(String(file), fs.constants.R_OK);
    } catch (error) {
      throw refused(`names as ${name} a file that cannot be read: ${(error as Error).message}`);
    }
  }
  return options;
}

/** A file with a secret. Throws StartRefusal if others can read it. */
export function readPrivate(flag: string, path: string): string {
  try {
    if ((fs.statSync(path).mode & 0o077) === 0) return fs.readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartRefusal(`--${flag}: ${(error as Error).message}`);
  }
  throw new StartRefusal(`--${flag}: others can read ${path}: chmod 600`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Fields : null;
}
