// Looks at all nodes all the time, whoever leads: which one says that it does, and whether what they answer may be (observed.ts). A node
// that hangs is asked on, so that it has questions when it wakes.

import { Http, type Answer } from '../../../scripts/client.ts';
import { Observations } from '../../cluster/observed.ts';
import { keyOf, type Node, type Nodes } from './nodes.ts';

const EVERY_MS = 100;
const TIMEOUT_MS = 15_000;
/** Questions without an answer, for each node. */
const MOST_OPEN = 40;
/** A silence of the log as docs/CLUSTER.md states it for the loss of the broker that leads the stream. */
const LONG_SILENCE_MS = 5_000;

export class Watch {
  readonly observations = new Observations();
  readonly #nodes: Nodes;
  readonly #count: (what: string) => void;
  readonly #clients = new Map<string, Http>();
  readonly #open = new Map<string, number>();
  /** Processes that have said they lead, oldest first. */
  readonly #leaders = new Map<string, { readonly node: Node; epoch: number }>();
  #timer: NodeJS.Timeout | null = null;
  #path = '/exchange-info';
  /** When each process that leads had first taken a write. */
  readonly firstWrites = new Map<string, number>();
  #lastWrite = { came: 0, epoch: 0 };

  constructor(nodes: Nodes, count: (what: string) => void) {
    this.#nodes = nodes;
    this.#count = count;
  }

  /** The process that said last, for the first time, that it leads; empty: nobody has. */
  get leaderKey(): string {
    return [...this.#leaders.keys()].at(-1) ?? '';
  }

  get leader(): Node | null {
    return this.#leaders.get(this.leaderKey)?.node ?? null;
  }

  get leaders(): number {
    return this.#leaders.size;
  }

  start(): void {
    this.#timer = setInterval(() => { for (const node of this.#nodes.running) void this.#ask(node); }, EVERY_MS);
  }

  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const http of this.#clients.values()) http.close();
  }

  /** What is read. */
  read(path: string): void {
    this.#path = path;
  }

  isLeading(node: Node): boolean {
    return this.#leaders.has(keyOf(node));
  }

  /** Call with each answer that `node` gave. `isLeading`, `by`: as they were when it was asked. */
  note(asked: { readonly by: string; readonly isLeading: boolean; readonly sent: number }, answer: Answer, isWrite: boolean): void {
    const seq = Number(answer.headers['x-strikebook-seq'] ?? 0);
    const epoch = Number(answer.headers['x-strikebook-epoch'] ?? 0);
    const came = performance.now();
    if (answer.status !== 200 || seq === 0) return;
    this.observations.add({ ...asked, came, seq, epoch, isWrite });
    const leader = this.#leaders.get(asked.by);
    if (leader !== undefined && leader.epoch === 0) leader.epoch = epoch;
    if (!isWrite || answer.headers['idempotent-replay'] === 'true') return;
    if (!this.firstWrites.has(asked.by)) this.firstWrites.set(asked.by, came);
    const { came: before, epoch: earlier } = this.#lastWrite;
    if (earlier === epoch && came - before >= LONG_SILENCE_MS) this.#count('silence of 5 s or more without a takeover');
    this.#lastWrite = { came, epoch };
  }

  /** Nobody writes for a while on purpose. */
  rest(): void {
    this.#lastWrite = { came: 0, epoch: 0 };
  }

  async #ask(node: Node): Promise<void> {
    const open = this.#open.get(node.name) ?? 0;
    if (open >= MOST_OPEN) return;
    this.#open.set(node.name, open + 1);
    const by = keyOf(node);
    const http = this.#clients.get(by) ?? new Http(node.url, { connections: MOST_OPEN, timeoutMs: TIMEOUT_MS });
    this.#clients.set(by, http);
    try {
      const sent = performance.now();
      const isLeading = this.#leaders.has(by);
      const [ready, read] = await Promise.all([http.get('/ready?role=leader'), http.get(this.#path)]);
      if (ready.status === 200) this.#noteReady(node, by, { by, isLeading, sent });
      this.note({ by, isLeading, sent }, read, false);
      this.#count('reads of the watch');
    } catch {
      // No answer: nothing was said.
    } finally {
      this.#open.set(node.name, this.#open.get(node.name)! - 1);
    }
  }

  #noteReady(node: Node, by: string, asked: { readonly by: string; readonly isLeading: boolean; readonly sent: number }): void {
    const known = this.#leaders.get(by);
    if (known === undefined) this.#leaders.set(by, { node, epoch: 0 });
    else if (known.epoch > 0) this.observations.add({ ...asked, came: performance.now(), seq: 0, epoch: known.epoch, isWrite: false });
  }
}
