// Settings of the process, from flags and the environment; nothing else reads either. A flag overrides the environment.
// An invalid setting is one line and exit code 2 (decision 1.2).

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { MAX_UNDERLYINGS } from '../../core/limits.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../../core/settings.ts';
import { NEW_WALLETS_AN_HOUR } from '../../core/sequencer/rate-budgets.ts';
import { DEFAULT_LIMITS, type TierLimits } from '../../core/tiers.ts';
import { USDC } from '../../core/units.ts';
import { BadSetting } from './bad-setting.ts';
import { COMMANDS } from './commands.js';
import { HEAD_BYTES } from '../http/limits.ts';
import type { LogFormat } from './observability/log.ts';
import { DEFAULT_SERVICE_NAME } from '../ipc/enum-names.ts';
import { CLUSTER_SETTINGS, clusterOf, type ClusterConfig, type Setting } from './cluster-settings.ts';
import { readTable } from './rate-table.ts';
import {
  address, addresses, corsOf, decimal, hostsOf, instant, integer, latencyOf, MOST_LATENCY_MS, newWalletsOf, notEmpty, oneOf, originsOf,
  serviceName, tokenOf, underlyingsOf,
} from './setting-values.ts';
import { readScenario, type Scenario } from './scenario-file.ts';
import { readSettingsFile, type GivenSetting } from './settings-file.ts';

type Feed = 'sim' | 'manual' | 'hyperliquid';
export type Config = {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly workers: number;
  readonly feed: Feed;
  readonly underlyings: readonly string[];
  readonly hyperliquidWs: string;
  readonly hyperliquidInfo: string;
  readonly gasRpc: string | null;
  /** Simulated: `start` in ms, or null for now; speed 0: moves by POST /admin/clock only. Null: wall time. */
  readonly clock: { readonly start: number | null; readonly speed: number } | null;
  readonly scenario: Scenario | null;
  readonly playsScenario: boolean;
  /** Accepts a clock that does not fit the journal's last time. */
  readonly acceptClock: boolean;
  readonly rateLimits: 'on' | 'off';
  readonly latency: { readonly delay: number; readonly jitter: number } | null;
  readonly table: readonly TierLimits[];
  readonly adminToken: string | null;
  readonly adminWallets: readonly string[];
  readonly durability: 'full' | 'normal';
  readonly serviceName: string;
  readonly chainId: number;
  readonly hl: boolean;
  readonly trustProxy: boolean;
  readonly origins: readonly string[];
  /** Null: any. */
  readonly allowedHosts: readonly string[] | null;
  /** Per hour, as NEW_WALLETS_AN_HOUR of core/sequencer. */
  readonly newWallets: readonly number[];
  readonly demo: boolean;
  /** '*', one origin, or null for none. */
  readonly cors: string | null;
  readonly log: LogFormat;
  readonly seed: number;
  readonly settings: readonly GivenSetting[];
  readonly maxPositionUsdc: number;
  readonly signatureBackend: 'auto' | 'native' | 'noble';
  readonly quarantine: number | null;
  readonly cluster: ClusterConfig | null;
};

const OF_SCENARIO = ['feed', 'underlyings', 'clock-start', 'clock-speed', 'settings', 'seed', 'demo'];
const BOOLEANS = ['accept-clock', 'demo', 'play', 'new-log', 'append-lost'];

type Flags = Readonly<Record<string, string | boolean | undefined>>;

const SETTINGS: readonly Setting[] = [
  { flag: 'port', variable: 'PORT', value: '8080', help: 'port to listen on (0 to 65535)' },
  { flag: 'host', variable: 'HOST', value: '127.0.0.1', help: 'address to listen on' },
  { flag: 'data', variable: 'DATA_DIR', value: './data', help: 'folder of journal, snapshots and history' },
  { flag: 'workers', variable: 'WORKERS', value: '', help: 'api threads, 1 to 16 (default: cores less two, at least 1)' },
  { flag: 'feed', variable: 'FEED', value: 'sim', help: 'index prices: sim, manual or hyperliquid' },
  {
    flag: 'demo', variable: 'DEMO', value: 'off',
    help: 'makers and takers that trade BTC and ETH with wallets of their own, so that there is a market (a flag without a value)',
  },
  {
    flag: 'underlyings', variable: 'UNDERLYINGS', value: '',
    help: `listed in addition to BTC and ETH, comma separated, at most ${MAX_UNDERLYINGS} in all; listed ones stay`,
  },
  {
    flag: 'hyperliquid-ws', variable: 'HYPERLIQUID_WS_URL', value: 'wss://api.hyperliquid.xyz/ws',
    help: 'public socket of the feed hyperliquid',
  },
  {
    flag: 'hyperliquid-info', variable: 'HYPERLIQUID_INFO_URL', value: 'https://api.hyperliquid.xyz/info',
    help: 'info API of the feed hyperliquid, and of its candles',
  },
  { flag: 'gas-rpc', variable: 'GAS_RPC_URL', value: '', help: 'JSON-RPC address of the chain, for /gas-provider' },
  { flag: 'clock-start', variable: 'CLOCK_START', value: '', help: 'simulated clock: when it starts, like 2026-01-05T07:28:00Z' },
  {
    flag: 'clock-speed', variable: 'CLOCK_SPEED', value: '1',
    help: 'simulated clock: how many times as fast as real time, 0.001 to 100000; 0: it moves by POST /admin/clock only',
  },
  {
    flag: 'accept-clock', variable: 'ACCEPT_CLOCK', value: 'off',
    help: 'for one start: take a clock more than 7 days past the journal, or more than a minute before its end (a flag without a value)',
  },
  {
    flag: 'scenario', variable: 'SCENARIO', value: '',
    help: 'JSON file of a market with participants, whose clock moves by POST /admin/clock only: docs/SCENARIOS.md',
  },
  { flag: 'play', variable: 'PLAY', value: 'off', help: 'plays the scenario to its end and stops (a flag without a value)' },
  {
    flag: 'latency', variable: 'LATENCY', value: '',
    help: `ms by which answers and socket messages are delayed, for tests: 40, or 40,15 for 25 to 55, at most ${MOST_LATENCY_MS}`,
  },
  { flag: 'rate-limits', variable: 'RATE_LIMITS', value: 'on', help: 'on, off, or a JSON file that replaces rows of the table' },
  { flag: 'admin-token', variable: 'ADMIN_TOKEN', value: '', help: 'token of the admin routes (default: made once, in the data folder)' },
  { flag: 'admin-wallets', variable: 'ADMIN_WALLETS', value: '', help: 'addresses that may sign tier changes, comma separated' },
  { flag: 'durability', variable: 'DURABILITY', value: 'full', help: 'full: fsync before an answer; normal: the operating system decides' },
  {
    flag: 'service-name', variable: 'SERVICE_NAME', value: DEFAULT_SERVICE_NAME,
    help: 'name of the EIP-712 domain; differs per deployment',
  },
  { flag: 'chain-id', variable: 'CHAIN_ID', value: '998', help: 'chain id of the EIP-712 domain' },
  {
    flag: 'hl', variable: 'HL', value: '',
    help: 'the Hyperliquid dialect below /hl: on or off (default: on with the default service name on a loopback address, else off)',
  },
  { flag: 'trust-proxy', variable: 'TRUST_PROXY', value: 'off', help: 'on: believe X-Forwarded-For' },
  {
    flag: 'origin', variable: 'ORIGIN', value: '',
    help: 'origins of pages trusted like those of the loopback address, comma separated',
  },
  {
    flag: 'allowed-hosts', variable: 'ALLOWED_HOSTS', value: '',
    help: 'names for Host beside addresses and localhost, comma separated (default: none on a loopback address without a proxy, else any)',
  },
  {
    flag: 'new-wallets', variable: 'NEW_WALLETS', value: NEW_WALLETS_AN_HOUR.join(),
    help: 'new wallets an hour of an IPv4 address or IPv6 /64, of a /56, of a /48, of all together but loopback',
  },
  { flag: 'cors', variable: 'CORS', value: '*', help: 'which other pages may call: *, one origin like https://app.example, or off' },
  { flag: 'log', variable: 'LOG', value: 'text', help: 'lines on standard output and error: text or json' },
  { flag: 'seed', variable: 'SEED', value: '1', help: 'seed of the simulated feed' },
  { flag: 'settings', variable: 'SETTINGS', value: '', help: 'JSON file of fees, margin, funding and liquidation: docs/MARGIN.md' },
  { flag: 'default-balance', variable: 'DEFAULT_BALANCE', value: '10000000', help: 'test USDC of a new account' },
  { flag: 'max-position', variable: 'MAX_POSITION_USDC', value: '100000000', help: 'notional a wallet may hold per underlying, USDC' },
  { flag: 'signature-backend', variable: 'SIGNATURE_BACKEND', value: 'auto', help: 'auto, native or noble' },
  { flag: 'quarantine', variable: 'QUARANTINE', value: '', help: 'seq of one command that failed when applied, to be skipped for ever' },
  ...CLUSTER_SETTINGS,
];

export function readConfig(args: readonly string[], environment: NodeJS.ProcessEnv): Config | { readonly help: string } {
  const flags = parseFlags(args[0] === 'scenario' ? ['--play', '--scenario', ...args.slice(1)] : args);
  if (flags['help'] === true) return { help: helpText() };
  try {
    return configOf(flags, environment);
  } catch (error) {
    throw error instanceof BadSetting ? withVariableName(error, flags, environment) : error;
  }
}

function withVariableName(error: BadSetting, flags: Flags, environment: NodeJS.ProcessEnv): BadSetting {
  const name = /^--([a-z-]+)/.exec(error.message)?.[1];
  const setting = SETTINGS.find(({ flag }) => flag === name);
  if (setting === undefined || flags[setting.flag] !== undefined || environment[setting.variable] === undefined) return error;
  return new BadSetting(`${error.message} (${setting.variable} of the environment)`);
}

function configOf(flags: Flags, environment: NodeJS.ProcessEnv): Config {
  const settingOf = (flag: string): Setting => SETTINGS.find((one) => one.flag === flag)!;
  const given = (flag: string): string | undefined => (
    flags[flag] === true ? 'on' : flags[flag] as string | undefined ?? environment[settingOf(flag).variable]
  );
  const text = (flag: string): string => given(flag) ?? settingOf(flag).value;
  const scenario = text('scenario') === '' ? null : readScenario(text('scenario'));
  const fixed = scenario === null ? undefined : OF_SCENARIO.find((flag) => given(flag) !== undefined);
  if (fixed !== undefined) throw new BadSetting(`--${fixed} is not for a scenario, whose file has the market, its settings and its clock`);
  const underlyings = scenario?.underlyings ?? underlyingsOf(text('underlyings'));
  const file = scenario?.settings ?? (text('settings') === '' ? [] : readSettingsFile(text('settings'), underlyings));
  const settings = [...file, ...amountsOf(given('default-balance'), given('max-position'))];
  const rates = text('rate-limits');
  const feed = scenario === null ? oneOf('feed', text('feed'), ['sim', 'manual', 'hyperliquid']) : 'manual';
  const clock = scenario === null ? clockOf(text('clock-start'), text('clock-speed'), feed) : { start: scenario.start, speed: 0 };
  return {
    host: notEmpty('host', text('host')), port: integer('port', text('port'), 0, 65_535), dataFolder: notEmpty('data', text('data')),
    workers: text('workers') === '' ? Math.max(1, cpus().length - 2) : integer('workers', text('workers'), 1, 16),
    feed, underlyings, hyperliquidWs: address('hyperliquid-ws', text('hyperliquid-ws'), ['ws:', 'wss:']),
    hyperliquidInfo: address('hyperliquid-info', text('hyperliquid-info'), ['http:', 'https:']),
    gasRpc: text('gas-rpc') === '' ? null : address('gas-rpc', text('gas-rpc'), ['http:', 'https:']),
    clock, scenario, playsScenario: scenario !== null && oneOf('play', text('play'), ['on', 'off']) === 'on',
    acceptClock: oneOf('accept-clock', text('accept-clock'), ['on', 'off']) === 'on', latency: latencyOf(text('latency')),
    rateLimits: rates === 'off' ? 'off' : 'on',
    table: rates === 'on' || rates === 'off' ? DEFAULT_LIMITS : readTable(rates),
    adminToken: tokenOf(text('admin-token')), adminWallets: addresses(text('admin-wallets')),
    durability: oneOf('durability', text('durability'), ['full', 'normal']), serviceName: serviceName(text('service-name')),
    chainId: integer('chain-id', text('chain-id'), 1, Number.MAX_SAFE_INTEGER),
    hl: hlOf(text('hl'), text('host'), text('service-name')),
    trustProxy: oneOf('trust-proxy', text('trust-proxy'), ['on', 'off']) === 'on',
    origins: originsOf(text('origin')), allowedHosts: hostsOf(text('allowed-hosts')), newWallets: newWalletsOf(text('new-wallets')),
    cors: corsOf(text('cors')), demo: demoOf(text('demo'), feed, clock),
    log: oneOf('log', text('log'), ['text', 'json']),
    seed: integer('seed', text('seed'), 0, 0xffffffff),
    settings, maxPositionUsdc: (settings.findLast(({ at }) => at === MAX_POSITION)?.value ?? defaultSettings()[MAX_POSITION]!) / USDC,
    signatureBackend: oneOf('signature-backend', text('signature-backend'), ['auto', 'native', 'noble']),
    quarantine: text('quarantine') === '' ? null : integer('quarantine', text('quarantine'), 1, Number.MAX_SAFE_INTEGER),
    cluster: clusterOf(text, clock !== null),
  };
}

/** Works also if other settings are invalid; text if the format is invalid itself. */
export function processLog(): LogFormat {
  const { log } = parseArgs({ args: process.argv.slice(2), options: optionsOf(), strict: false }).values;
  return (log ?? process.env['LOG']) === 'json' ? 'json' : 'text';
}

export function isStepped({ clock }: Pick<Config, 'clock'>): boolean {
  return clock?.speed === 0;
}

export function processConfig(): Config | { readonly help: string } {
  return readConfig(process.argv.slice(2), process.env);
}

const LOOPBACK = /^((::ffff:)?127\.|::1$)/;

export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK.test(address);
}

/** Host names that a request may use; null: any. Without the setting a venue for this machine alone takes none. */
export function hostNames(config: Pick<Config, 'host' | 'allowedHosts' | 'trustProxy'>): readonly string[] | null {
  const { host, allowedHosts, trustProxy } = config;
  if (allowedHosts !== null) return allowedHosts.includes('*') ? null : allowedHosts;
  return isLoopbackAddress(host) && !trustProxy ? [] : null;
}

export function hostAndPort({ host, port }: Pick<Config, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Set before api threads start. */
export function prepareLibraries(): void {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(HEAD_BYTES);
  process.env['MSGPACKR_NATIVE_ACCELERATION_DISABLED'] = 'true';
}

function amountsOf(balance: string | undefined, position: string | undefined): readonly GivenSetting[] {
  const settings: GivenSetting[] = [];
  const add = (at: number, value: number): number => settings.push({ at, underlying: null, value: value * USDC });
  if (balance !== undefined) add(DEFAULT_BALANCE, integer('default-balance', balance, 0, 1_000_000_000));
  if (position !== undefined) add(MAX_POSITION, integer('max-position', position, 1, 9_000_000_000));
  return settings;
}

function optionsOf(): Record<string, { type: 'string' | 'boolean' }> {
  const types = SETTINGS.map(({ flag }) => [flag, { type: BOOLEANS.includes(flag) ? 'boolean' : 'string' }] as const);
  return { help: { type: 'boolean' }, ...Object.fromEntries(types) };
}

function parseFlags(args: readonly string[]): Flags {
  try {
    const { values } = parseArgs({ args: [...args], options: optionsOf(), strict: true, allowPositionals: false });
    return values as Flags;
  } catch (error) {
    throw new BadSetting(`${(error as Error).message.split('. ')[0]} (--help lists the settings)`);
  }
}

function helpText(): string {
  const rows = SETTINGS.map(({ flag, variable, value, help }) => (
    `  --${flag.padEnd(18)} ${variable.padEnd(20)} ${help}${value === '' ? '' : ` (default ${value})`}`
  ));
  const commands = COMMANDS.map(({ does, usage }) => `  ${usage.padEnd(57)} ${does}`);
  const head = ['Strikebook, an exchange for options and perpetuals.', '', ...commands, ''];
  return [...head, '  flag                 environment', ...rows].join('\n');
}

const TIMELESS_FEEDS: readonly string[] = ['sim', 'manual'];

function clockOf(startText: string, speedText: string, feed: string): Config['clock'] {
  const start = startText === '' ? null : instant('clock-start', startText);
  const speed = speedText === '0' ? 0 : decimal('clock-speed', speedText, 0.001, 100_000);
  if (start === null && speed === 1) return null;
  if (!TIMELESS_FEEDS.includes(feed)) throw new BadSetting(`--clock-start and --clock-speed need --feed sim or manual, not "${feed}"`);
  return { start, speed };
}

/** The demo's traders cannot keep up with a fast clock. */
function demoOf(text: string, feed: Feed, clock: Config['clock']): boolean {
  const isOn = oneOf('demo', text, ['on', 'off']) === 'on';
  if (isOn && feed === 'hyperliquid') throw new BadSetting('--demo needs --feed sim or manual: it would make a market around a real index');
  if (isOn && clock !== null && clock.speed !== 1) throw new BadSetting('--demo needs --clock-speed 1: its traders act in real time');
  return isOn;
}

/** Its signatures name no venue, so only a venue for this machine alone has it without being asked. */
function hlOf(text: string, host: string, name: string): boolean {
  if (text === '') return isLoopbackAddress(host) && name === DEFAULT_SERVICE_NAME;
  return oneOf('hl', text, ['on', 'off']) === 'on';
}
