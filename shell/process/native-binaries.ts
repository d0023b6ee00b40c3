// Checks the sha256 of native binaries before they are loaded (docs/decisions/dependencies.md), at the paths that the
// packages' own loaders choose.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartRefusal } from './start-refusal.ts';

/** By package and file, for every platform with Node 22. */
// for tests: compared with what is installed
export const BINARIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'uWebSockets.js': {
    'dist/bin/uws_darwin_arm64_127.node': 'abbeea53d48e21c01808203e9f9835728f2cea720d2e5b154837ee3045b513be',
    'dist/bin/uws_darwin_x64_127.node': 'afd992dc1ca1e33cdc7ce0c72a60baf236e590a257fcecbbbce7bc1a35451387',
    'dist/bin/uws_linux_arm64_127.node': 'd4c4f8b2c28c5f6544b49e36d91b0beee238a5b90a07904a947f77061c8b814d',
    'dist/bin/uws_linux_arm_127.node': '0e1d4024b629a1fe17ec76cde8fe7e320101eb8bdcf7b2c4086933932e3cea23',
    'dist/bin/uws_linux_x64_127.node': '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
    'dist/bin/uws_win32_x64_127.node': '585d6ee2dbfc750b1d5a59e6ceaef8a977e90ef3e298a82821d58b41cd72a8c0',
  },
  'secp256k1': {
    'prebuilds/darwin-arm64/secp256k1.node': '9193f1e80547127dfa32e80324513d26454557dc2b3dfa8e962d6b6898e0f30d',
    'prebuilds/linux-x64/secp256k1.glibc.node': 'd93a107b99002110e1bfcc2c427d5cd3e3b89dce278631285557d76fd42497ad',
    'prebuilds/linux-x64/secp256k1.musl.node': 'd788fdbfb539b60d7e48901013d6e93df0c8a0ddc6e34b30a5221ce018ae1676',
    'prebuilds/win32-x64/secp256k1.node': '16313b522f8051b6e82ff06a90b66e1f371716196c4bdfa83366e6ffa0b1b0f6',
  },
  'better-sqlite3': {
    'prebuilds/darwin-arm64.node': 'c45fd39d66a36bb4683a78ec6395429af0c4f0ebbbeea64ffc36c3a2380a3e03',
    'prebuilds/darwin-x64.node': 'ebdc3de0ca192960581fd9c67967876d374114e1d1ee72da47d8c74eec2d2faa',
    'prebuilds/linux-arm64.node': 'bfa8c1f220b9430cb99c1197d5772e255aad3c90847572a202b29872ce1bcb4e',
    'prebuilds/linux-x64.node': '1a03a2916dd210925f8a074d460f0f7a2a28b1aeed2a1c3e2bf1a3b0322276cf',
    'prebuilds/linuxmusl-arm64.node': '3cecb8ff08dfc3a8dca4af25f5b0f47c5e6b542b9b0ebbabaa06cf1339615fea',
    'prebuilds/linuxmusl-x64.node': '83fa110c518d8a0f17625053473e7d25d251b8b28a321c35a59f815e11bbe78e',
    'prebuilds/win32-arm64.node': '0f9141489eb25c9605a690e23867e1ff71f8b542caaa7ef9c1317149ca558df4',
    'prebuilds/win32-x64.node': '2442992c114c9dcaa299c2495370f09a890e02706e96c642f9f8d61ce2998848',
  },
};

type PackageBinaries = { readonly name: string; readonly folder: string; readonly paths: readonly string[] };

export function requireKnownBinaries(): readonly string[] {
  const found = [webServer(), curve(), database()];
  for (const { name, folder, paths } of found) for (const path of paths) requireKnown(name, folder, path);
  return found.flatMap(({ paths }) => paths);
}

function requireKnown(name: string, folder: string, path: string): void {
  const own = BINARIES[name]![relative(folder, path).replaceAll('\\', '/')];
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  if (sha256 === own) return;
  const instead = own === undefined ? 'which this version does not know' : `this version knows ${own}`;
  throw new StartRefusal(`${path} is not the expected binary of ${name}: it has sha256 ${sha256}, ${instead}. Run "npm ci"`);
}

function webServer(): PackageBinaries {
  const name = 'uWebSockets.js';
  const dist = dirname(fileURLToPath(import.meta.resolve(name)));
  const path = join(dist, 'bin', `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`);
  const platform = `${process.platform} on ${process.arch} and Node ${process.version}`;
  if (!existsSync(path)) throw new StartRefusal(`${name} has no binary for ${platform}`);
  return { name, folder: dirname(dist), paths: [path] };
}

function curve(): PackageBinaries {
  const name = 'secp256k1';
  const main = createRequire(import.meta.url).resolve(`${name}/bindings.js`);
  const folder = dirname(main);
  const loader = createRequire(main)('node-gyp-build') as { resolve(folder: string): string };
  try {
    return { name, folder, paths: [loader.resolve(folder)] };
  } catch {
    return { name, folder, paths: [] };
  }
}

/** The loader prefers a local build and finds the C library from its own memory, so both variants are checked. */
function database(): PackageBinaries {
  const name = 'better-sqlite3';
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  const compiled = ['Debug', 'Release'].map((kind) => join(folder, 'build', kind, 'better_sqlite3.node'));
  const systems = process.platform === 'linux' ? ['linux', 'linuxmusl'] : [process.platform];
  const prebuilt = systems.map((system) => join(folder, 'prebuilds', `${system}-${process.arch}.node`));
  return { name, folder, paths: [...compiled, ...prebuilt].filter((path) => existsSync(path)) };
}
