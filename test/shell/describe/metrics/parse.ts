// A strict parser of the Prometheus text format, version 0.0.4: every family has HELP and TYPE before its samples and is in one piece,
// names and labels are well-formed, no sample repeats, histogram buckets are cumulative and end in +Inf, which is the count. Throws with
// the line.

type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };
export type Family = { readonly name: string; readonly type: string; readonly help: string; readonly samples: Sample[] };

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const NUMBER = /^(?:[+-]?Inf|NaN|-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)$/;

export function parseMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  let current: Family | null = null;
  let help: [string, string] | null = null;
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (why: string): never => { throw new Error(`${why}: ${line}`); };
    const head = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (head !== null) {
      const [, what, name, rest] = head as unknown as [string, string, string, string];
      if (!NAME.test(name)) fail('bad name');
      if (what === 'HELP') {
        if (families.has(name)) fail('family twice');
        help = [name, rest];
        continue;
      }
      if (help?.[0] !== name) fail('TYPE without its HELP');
      if (!['counter', 'gauge', 'histogram'].includes(rest)) fail('unknown type');
      current = { name, type: rest, help: help![1], samples: [] };
      families.set(name, current);
      continue;
    }
    const sample = sampleOf(line) ?? fail('no sample');
    if (seen.has(line.slice(0, line.lastIndexOf(' ')))) fail('sample twice');
    seen.add(line.slice(0, line.lastIndexOf(' ')));
    const suffixes = current?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (current === null || !suffixes.some((suffix) => sample.name === current!.name + suffix)) fail('sample of another family');
    if (current!.type === 'counter' && !(sample.value >= 0)) fail('counter below 0');
    current!.samples.push(sample);
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function sampleOf(line: string): Sample | null {
  const parts = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/.exec(line);
  if (parts === null || !NAME.test(parts[1]!) || !NUMBER.test(parts[3]!)) return null;
  const labels: Record<string, string> = {};
  for (let rest = parts[2] ?? ''; rest !== '';) {
    const label = LABEL.exec(rest);
    if (label === null || label[1]! in labels) return null;
    labels[label[1]!] = label[2]!.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
    rest = rest.slice(label[0].length);
  }
  const value = parts[3] === '+Inf' ? Infinity : parts[3] === '-Inf' ? -Infinity : Number(parts[3]);
  return { name: parts[1]!, labels, value };
}

function checkHistogram({ name, samples }: Family): void {
  const series = new Map<string, { buckets: [number, number][]; count?: number; sum?: number }>();
  for (const { name: full, labels, value } of samples) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(rest);
    const one = series.get(key) ?? { buckets: [] };
    series.set(key, one);
    if (full.endsWith('_bucket')) one.buckets.push([le === '+Inf' ? Infinity : Number(le), value]);
    else if (full.endsWith('_count')) one.count = value;
    else one.sum = value;
  }
  for (const [key, { buckets, count, sum }] of series) {
    const isCumulative = buckets.every(([bound, value], at) => at === 0 || (bound > buckets[at - 1]![0] && value >= buckets[at - 1]![1]));
    const last = buckets.at(-1);
    if (!isCumulative || last?.[0] !== Infinity || last[1] !== count || sum === undefined || !(sum >= 0)) {
      throw new Error(`${name}${key} is no histogram`);
    }
  }
}
