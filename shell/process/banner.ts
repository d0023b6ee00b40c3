// What a venue prints when it is ready: its address, signing domain, and commands to paste.

import { join } from 'node:path';
import { SEQ, type State } from '../../core/engine/state.ts';
import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import { now } from './clock.ts';
import { hostAndPort, isLoopbackAddress, type Config } from './config.ts';
import type { Fields } from './observability/log.ts';
import { DEFAULT_SERVICE_NAME } from '../ipc/enum-names.ts';
import { VERSION } from '../ipc/version.ts';

type Banner = { readonly text: string; readonly fields: Fields; readonly more: string };

export function banner(config: Config, state: State): Banner {
  const { feed, durability, serviceName, chainId } = config;
  const [address, seq] = [`http://${hostAndPort(config)}`, state.clock[SEQ]!];
  const lines = [
    `  signing domain   name "${config.serviceName}", version "1", chainId ${config.chainId}, verifyingContract 0x${'0'.repeat(40)}`,
    ...(config.clock === null ? [] : [`  simulated clock  ${new Date(now()).toISOString()}, ${paceOf(config.clock.speed)}`]),
    ...(config.adminToken === null ? [`  admin token      in ${join(config.dataFolder, 'admin-token')}`] : []),
    `  trading page     ${address}/`,
    `  every route      ${address}/docs`,
    '  try:',
    `    curl ${shellQuoted(`${address}/ready`)}`,
    `    curl '${address}/markets?include_instruments=false'`,
    `    npm run -s order -- --url ${shellQuoted(address)}`,
  ];
  return {
    text: `Strikebook is ready at ${address} (seq ${seq}, feed ${feed}, durability ${durability})`,
    fields: {
      url: address, seq, feed, durability, version: VERSION, behaviour: BEHAVIOUR, codec: CODEC,
      service_name: serviceName, chain_id: chainId,
    },
    more: lines.map((line) => `\n${line}`).join(''),
  };
}

function shellQuoted(url: string): string {
  return url.includes('[') ? `'${url}'` : url;
}

export function sharedDomainWarning({ host, serviceName }: Pick<Config, 'host' | 'serviceName'>): string | null {
  if (isLoopbackAddress(host) || serviceName !== DEFAULT_SERVICE_NAME) return null;
  return `SERVICE_NAME is the default on ${host}, an address that others reach: signatures for another Strikebook, and perp orders signed `
    + 'with source "b" for another venue, are valid here';
}

function paceOf(speed: number): string {
  return speed === 0 ? 'moves by POST /admin/clock only' : `${speed} times as fast as real`;
}
