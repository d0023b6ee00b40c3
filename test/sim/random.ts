// The only source of chance in simulations: a seeded generator with explicit state, so that the same seed gives the same run.
// sfc32 (C. Doty-Humphrey, PractRand, public domain). Never reads the clock and never Math.random.

export class Random {
  private a: number;
  private b: number;
  private c: number;
  private count = 1;

  constructor(seed: number) {
    this.a = seed | 0;
    this.b = Math.floor(seed / 2 ** 32) | 0;
    this.c = 0x9e3779b9 | 0;
    for (let i = 0; i < 15; i++) this.word();
  }

  /** A u32. */
  word(): number {
    const sum = (this.a + this.b + this.count++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21 | this.c >>> 11) + sum) | 0;
    return sum >>> 0;
  }

  /** 0 <= fraction < 1. */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  /** An integer of low .. high. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)]!;
  }

  /** One of the names, by weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const names = Object.keys(weights) as T[];
    let left = this.fraction() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return names[names.length - 1]!;
  }
}
