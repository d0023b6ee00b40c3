// Debian's Caddy, nginx and HAProxy with the files of docs/deploy, in front of a port of this machine, and requests to them.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../../scripts/venue-process.ts';
import { temporaryFolder, type Ends } from '../support/temporary.ts';
import { deployed, replaced, started, until } from './folder.ts';

export type Proxy = { readonly url: string; readonly plainPort: number; readonly authority: string };
export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };
type ProxyKind = { readonly name: string; readonly program: string; start(t: Ends, upstream: string): Promise<Proxy> };

/** With one of its own authorities; the name is localhost. */
async function startCaddy(t: Ends, upstream: string): Promise<Proxy> {
  const folder = temporaryFolder(t);
  const [port, plainPort] = [await freePort(), await freePort()];
  // What the file leaves to defaults and this machine must not give away: the ports, and its list of trusted authorities.
  const options = `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tskip_install_trust\n}\n`;
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `${options}${deployed('Caddyfile')}`);
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, UPSTREAM: upstream };
  const proxy = started(t, [CADDY.program, 'run', '--config', file, '--adapter', 'caddyfile'], { env });
  const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
  const running = { url: `https://localhost:${port}`, plainPort, authority };
  await until(proxy, async () => (await ask(running, { path: '/metrics' })).status === 403);
  return running;
}

/** With a certificate of its own instead of one that is asked for. */
async function startNginx(t: Ends, upstream: string): Promise<Proxy> {
  const folder = temporaryFolder(t);
  const [port, plainPort] = [await freePort(), await freePort()];
  const { authority } = certificate(folder);
  const site = replaced(deployed('nginx.conf'), [
    ['/etc/letsencrypt/live/venue.example', folder], ['venue.example', 'localhost'], ['127.0.0.1:8080', upstream],
    ['listen 80', `listen ${plainPort}`], ['[::]:80', `[::]:${plainPort}`], ['listen 443', `listen ${port}`], ['[::]:443', `[::]:${port}`],
  ]);
  writeFileSync(join(folder, 'site.conf'), site);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `
    daemon off; pid ${folder}/pid; error_log stderr; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events {}
    http { access_log off; ${places} include ${folder}/site.conf; }
  `);
  mkdirSync(join(folder, 'logs'));
  const proxy = started(t, [NGINX.program, '-p', folder, '-e', 'stderr', '-c', file], {});
  const running = { url: `https://localhost:${port}`, plainPort, authority };
  await until(proxy, async () => (await ask(running, { path: '/metrics' })).status === 403);
  return running;
}

/** In front of nodes with these addresses: it has as many as its file names. */
export async function startHaproxy(t: Ends, nodes: readonly string[]): Promise<Proxy> {
  const folder = temporaryFolder(t);
  const [port, plainPort] = [await freePort(), await freePort()];
  const { key, authority } = certificate(folder);
  const pem = join(folder, 'venue.pem');
  writeFileSync(pem, readFileSync(authority, 'utf8') + readFileSync(key, 'utf8'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, replaced(deployed('haproxy.cfg'), [
    ['/etc/haproxy/venue.pem', pem], ['bind :80', `bind 127.0.0.1:${plainPort}`], ['bind :443', `bind 127.0.0.1:${port}`],
    ...['127.0.0.1:8081', '127.0.0.1:8082', '127.0.0.1:8083'].map((named, at) => [named, nodes[at % nodes.length]!] as const),
  ]));
  const proxy = started(t, [HAPROXY.program, '-db', '-f', file], {});
  const running = { url: `https://localhost:${port}`, plainPort, authority };
  await until(proxy, async () => (await ask(running, { path: '/metrics' })).status === 403);
  return running;
}

/** For localhost, in the files `privkey.pem` and `fullchain.pem`. */
function certificate(folder: string): { readonly key: string; readonly authority: string } {
  const [key, authority] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')];
  const made = spawnSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', authority,
  ], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  return { key, authority };
}

export const HAPROXY: ProxyKind = {
  name: 'HAProxy', program: '/usr/sbin/haproxy', start: (t, upstream) => startHaproxy(t, [upstream]),
};
export const CADDY: ProxyKind = { name: 'Caddy', program: '/usr/bin/caddy', start: startCaddy };
export const NGINX: ProxyKind = { name: 'nginx', program: '/usr/sbin/nginx', start: startNginx };

/** One request on a connection of its own; the path goes out as it stands. */
export function ask({ url, authority }: Proxy, options: RequestOptions, body?: string | readonly string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ca: readFileSync(authority), ...options }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => { text += part; });
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text })).on('error', reject);
    }).on('error', reject);
    if (typeof body === 'string') return sent.end(body);
    // Without a known length: as chunks.
    for (const part of body ?? []) sent.write(part);
    return sent.end();
  });
}

