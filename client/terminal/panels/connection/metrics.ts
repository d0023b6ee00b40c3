// Reads Prometheus text as the venue writes it: a line for each value, labels in braces.

type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };

const LINE = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="([^"]*)"/g;

export class Metrics {
  readonly #samples: readonly Sample[];

  constructor(text: string) {
    this.#samples = text.split('\n').flatMap((line) => {
      const [, name, labels = '', value] = LINE.exec(line) ?? [];
      if (name === undefined) return [];
      const pairs = [...labels.matchAll(LABEL)].map(([, key, content]) => [key, content] as const);
      return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
    });
  }

  value(name: string, labels: Readonly<Record<string, string>> = {}): number | null {
    return this.all(name, labels)[0]?.value ?? null;
  }

  label(name: string, label: string): string | null {
    return this.all(name)[0]?.labels[label] ?? null;
  }

  all(name: string, labels: Readonly<Record<string, string>> = {}): readonly Sample[] {
    const wanted = Object.entries(labels);
    return this.#samples.filter((one) => one.name === `strikebook_${name}` && wanted.every(([key, text]) => one.labels[key] === text));
  }
}
