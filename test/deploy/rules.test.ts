// The alerts of docs/deploy in Prometheus' own test of rules: each fires for what it is about, none for a healthy cluster.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stringify } from 'yaml';
import { temporaryFolder } from '../support/temporary.ts';
import { deployed, yamlOf } from './folder.ts';

const PROMTOOL = '/usr/bin/promtool';
const MINUTES = 20;

type Rule = { readonly alert: string; readonly annotations: { readonly summary: string } };
type Rules = { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
type Series = Readonly<Record<string, string>>;

/** Two nodes, every minute. */
const HEALTHY: Series = {
  'up{job="strikebook",instance="one"}': '1', 'up{job="strikebook",instance="two"}': '1',
  'strikebook_ready{job="strikebook",instance="one"}': '1', 'strikebook_degraded{job="strikebook",instance="one"}': '0',
  'strikebook_faults_total{job="strikebook",instance="one"}': '3', 'strikebook_disk_state{job="strikebook",instance="one"}': '0',
  'strikebook_durable_lag_commands{job="strikebook",instance="one"}': '12',
  'strikebook_table_used_rows{job="strikebook",instance="one",table="orders"}': '10',
  'strikebook_table_size_rows{job="strikebook",instance="one",table="orders"}': '100',
  'strikebook_cluster_role{job="strikebook",instance="one"}': '2', 'strikebook_cluster_role{job="strikebook",instance="two"}': '1',
  'strikebook_cluster_without_quorum{job="strikebook",instance="one"}': '0',
  'strikebook_cluster_nodes{job="strikebook",instance="one"}': '2', 'strikebook_cluster_nodes{job="strikebook",instance="two"}': '2',
  'strikebook_cluster_position{job="strikebook",instance="one"}': '90000',
  'strikebook_cluster_position{job="strikebook",instance="two"}': '89999',
  'strikebook_cluster_clock_skew_seconds{job="strikebook",instance="one",node="two"}': '0.01',
};
/** What each alert is about: values at the node, and the labels that the alert then has. */
const CASES: Readonly<Record<string, { readonly change: Series; readonly labels: Series }>> = {
  VenueDown: { change: { 'up{job="strikebook",instance="two"}': '0' }, labels: { instance: 'two' } },
  VenueNotReady: { change: { 'strikebook_ready{job="strikebook",instance="one"}': '0' }, labels: { instance: 'one' } },
  VenueDegraded: { change: { 'strikebook_degraded{job="strikebook",instance="one"}': '1' }, labels: { instance: 'one' } },
  VenueFaults: { change: { 'strikebook_faults_total{job="strikebook",instance="one"}': '3+1' }, labels: { instance: 'one' } },
  DiskLow: { change: { 'strikebook_disk_state{job="strikebook",instance="one"}': '1' }, labels: { instance: 'one' } },
  JournalBehind: { change: { 'strikebook_durable_lag_commands{job="strikebook",instance="one"}': '20000' }, labels: { instance: 'one' } },
  TableNearlyFull: {
    change: { 'strikebook_table_used_rows{job="strikebook",instance="one",table="orders"}': '81' },
    labels: { instance: 'one', table: 'orders' },
  },
  NobodyLeads: { change: { 'strikebook_cluster_role{job="strikebook",instance="one"}': '1' }, labels: {} },
  NoQuorum: { change: { 'strikebook_cluster_without_quorum{job="strikebook",instance="one"}': '1' }, labels: {} },
  NoStandby: {
    change: {
      'strikebook_cluster_nodes{job="strikebook",instance="one"}': '1', 'strikebook_cluster_nodes{job="strikebook",instance="two"}': '1',
    },
    labels: {},
  },
  NodeBehind: { change: { 'strikebook_cluster_position{job="strikebook",instance="two"}': '80000' }, labels: { instance: 'two' } },
  ClockSkew: {
    change: { 'strikebook_cluster_clock_skew_seconds{job="strikebook",instance="one",node="two"}': '-0.8' },
    labels: { instance: 'one' },
  },
};
const rules = (yamlOf('rules.yml') as Rules).groups.flatMap((group) => group.rules);
const alerts = rules.map(({ alert }) => alert);

function seriesOf(change: Series): readonly { readonly series: string; readonly values: string }[] {
  return Object.entries({ ...HEALTHY, ...change }).map(([series, value]) => {
    const [from, step = '0'] = value.split('+');
    return { series, values: `${from}+${step}x${MINUTES}` };
  });
}

test('there is a case for every alert', () => {
  assert.deepEqual(alerts.sort(), Object.keys(CASES).sort());
});

test('every alert fires for what it is about, and none for a healthy cluster', {
  skip: !existsSync(PROMTOOL) && `no ${PROMTOOL}`,
}, (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'rules.yml'), deployed('rules.yml'));
  const quiet = alerts.map((alertname) => ({ eval_time: `${MINUTES}m`, alertname, exp_alerts: [] }));
  const loud = Object.entries(CASES).map(([alertname, { change, labels }]) => ({
    name: alertname, interval: '1m', input_series: seriesOf(change),
    alert_rule_test: [{ eval_time: `${MINUTES}m`, alertname, exp_alerts: [expected(alertname, labels)] }],
  }));
  const tests = [{ name: 'healthy', interval: '1m', input_series: seriesOf({}), alert_rule_test: quiet }, ...loud];
  writeFileSync(join(folder, 'tests.yml'), stringify({ rule_files: ['rules.yml'], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync(PROMTOOL, ['test', 'rules', 'tests.yml'], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});

function expected(alert: string, labels: Series): object {
  const { summary } = rules.find((rule) => rule.alert === alert)!.annotations;
  const text = summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name]!);
  return { exp_labels: { job: 'strikebook', ...labels }, exp_annotations: { summary: text } };
}
