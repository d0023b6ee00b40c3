// Settings of a node of a cluster (docs/CLUSTER.md). Without --replicate a process is the venue itself.

import { BadSetting } from './bad-setting.ts';
import { address, integer, notEmpty, oneOf } from './setting-values.ts';
import { NODE_NAME } from '../storage/replication/message.ts';

/** Ten years. */
const MOST_HOURS = 87_600;

export type Setting = { readonly flag: string; readonly variable: string; readonly value: string; readonly help: string };

export type ClusterConfig = {
  readonly servers: readonly string[];
  readonly optionsFile: string | null;
  readonly node: string;
  readonly keyFile: string;
  readonly isNew: boolean;
  readonly appendsLost: boolean;
  readonly logBytes: number;
  /** Messages older than this leave the log; 0: never. */
  readonly logHours: number;
  readonly logReplicas: number;
  readonly role: 'standby' | 'replica';
  readonly url: string;
  /** How a leader knows that it still leads when it answers a read: by clocks, or by an entry of the log. */
  readonly reads: 'lease' | 'log';
};

export const CLUSTER_SETTINGS: readonly Setting[] = [
  {
    flag: 'replicate', variable: 'REPLICATE', value: '',
    help: 'addresses of the brokers that hold the log, comma separated: this process is a node of a cluster (docs/CLUSTER.md)',
  },
  { flag: 'node', variable: 'CLUSTER_NODE', value: '', help: 'name of this node, its own in the cluster' },
  { flag: 'cluster-key', variable: 'CLUSTER_KEY', value: '', help: 'file with the key of the cluster, 64 hex digits, for its owner only' },
  { flag: 'new-log', variable: 'NEW_LOG', value: 'off', help: 'makes the log of the cluster, once, on one node (a flag without a value)' },
  {
    flag: 'append-lost', variable: 'APPEND_LOST', value: 'off',
    help: 'appends again what the brokers have lost of the log, from this journal, while no other node runs (a flag without a value)',
  },
  { flag: 'log-bytes', variable: 'LOG_BYTES', value: '10737418240', help: 'with --new-log: room for it on each broker, bytes' },
  { flag: 'log-hours', variable: 'LOG_HOURS', value: '0', help: 'with --new-log: hours after which entries leave it; 0: never' },
  {
    flag: 'log-replicas', variable: 'LOG_REPLICAS', value: '3',
    help: 'brokers whose disks hold the log: 3, or 1 for a trial, where the log is lost with its broker; the same on each node',
  },
  { flag: 'role', variable: 'CLUSTER_ROLE', value: 'standby', help: 'standby: may lead; replica: only follows' },
  { flag: 'advertise', variable: 'ADVERTISE', value: '', help: 'where clients reach this node, like https://one.example' },
  {
    flag: 'reads', variable: 'CLUSTER_READS', value: 'lease',
    help: 'lease: a leader answers reads for a second after the log has answered it; log: each read waits for the log',
  },
  { flag: 'broker-options', variable: 'BROKER_OPTIONS', value: '', help: 'JSON file with user, pass, token or tls for the brokers' },
];

export function clusterOf(text: (flag: string) => string, isClockSimulated: boolean): ClusterConfig | null {
  const isNew = oneOf('new-log', text('new-log'), ['on', 'off']) === 'on';
  const appendsLost = oneOf('append-lost', text('append-lost'), ['on', 'off']) === 'on';
  if (text('replicate') === '') {
    const stray = ['node', 'cluster-key', 'advertise', 'broker-options'].find((flag) => text(flag) !== '');
    const set = stray ?? (isNew ? 'new-log' : appendsLost ? 'append-lost' : undefined);
    if (set !== undefined) throw new BadSetting(`--${set} needs --replicate`);
    return null;
  }
  if (isClockSimulated) throw new BadSetting('--replicate needs the wall clock: no --clock-start, no --clock-speed');
  if (text('demo') === 'on') throw new BadSetting('--replicate cannot be combined with --demo: run "npm run demo" beside it');
  if (!NODE_NAME.test(text('node'))) throw new BadSetting(`--node must be 1 to 32 of a-z, 0-9 and -, not "${text('node')}"`);
  return {
    servers: text('replicate').split(',').map((one) => address('replicate', one, ['nats:', 'tls:'])),
    optionsFile: text('broker-options') === '' ? null : text('broker-options'), node: text('node'),
    keyFile: notEmpty('cluster-key', text('cluster-key')), isNew, appendsLost,
    logHours: integer('log-hours', text('log-hours'), 0, MOST_HOURS),
    logBytes: integer('log-bytes', text('log-bytes'), 1_048_576, Number.MAX_SAFE_INTEGER),
    logReplicas: Number(oneOf('log-replicas', text('log-replicas'), ['3', '1'])),
    role: oneOf('role', text('role'), ['standby', 'replica']),
    url: text('advertise') === '' ? '' : address('advertise', text('advertise'), ['http:', 'https:']),
    reads: oneOf('reads', text('reads'), ['lease', 'log']),
  };
}
