// The checks of a conformance run, their outcomes, and the venue under test, known by its address alone.

export type Answer = { readonly status: number; readonly type: string; readonly body: any; readonly text: string };
type Outcome = { readonly name: string; readonly fault: string | null; readonly isSkipped: boolean };

/** Longest text of an answer in a line about it. */
const SHOWN = 200;

export class Checks {
  readonly outcomes: Outcome[] = [];
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  get failed(): number {
    return this.outcomes.filter(({ fault, isSkipped }) => fault !== null && !isSkipped).length;
  }

  get skipped(): number {
    return this.outcomes.filter(({ isSkipped }) => isSkipped).length;
  }

  /** No faults: the check holds. */
  note(name: string, faults: readonly string[]): void {
    const fault = faults.length === 0 ? null : faults.join('; ');
    this.outcomes.push({ name, fault, isSkipped: false });
    if (fault !== null) this.#say(`FAILED ${name}: ${fault}`);
  }

  equal(name: string, got: unknown, wanted: unknown): void {
    const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
    this.note(name, a === b ? [] : [`${a}, not ${b}`]);
  }

  skip(name: string, reason: string): void {
    this.outcomes.push({ name, fault: reason, isSkipped: true });
  }
}

export class Target {
  readonly #url: string;
  readonly #token: string | null;

  constructor(url: string, token: string | null) {
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  get url(): string {
    return this.#url;
  }

  get hasToken(): boolean {
    return this.#token !== null;
  }

  /** `body`: text and bytes are sent as they are. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const sent = body === undefined ? {} : { body: isRaw ? body as string : JSON.stringify(body) };
    const response = await fetch(this.#url + path, { method, headers, ...sent });
    const text = await response.text();
    return { status: response.status, type: response.headers.get('content-type') ?? '', text, body: jsonOf(text) };
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  /** With the admin token. */
  operate(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.send(method, path, body, { authorization: `Bearer ${this.#token ?? ''}` });
  }
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function shown({ status, text }: Answer): string {
  return `${status} ${text.slice(0, SHOWN)}`;
}
