// One socket of the run: requests in flight by id, control messages answered in order, all others handed on as they arrive.

type Message = Readonly<Record<string, any>>;
type Waiting = { readonly resolve: (message: Message) => void; readonly reject: (error: Error) => void };

const WITHIN_MS = 60_000;
const CONTROL = new Set(['Subscribed', 'Unsubscribed']);

export class Connection {
  readonly #socket: WebSocket;
  readonly #asked: Waiting[] = [];
  readonly #sent = new Map<number, Waiting>();
  #closed: Promise<void>;
  #number = 0;

  /** `hear` is told every message but the answers to signed requests. */
  static async open(url: string, wallet: string, hear: (message: Message, text: string) => void): Promise<Connection> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?wallet=${wallet}`);
    const connection = new Connection(socket, hear);
    await within(new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error('a socket did not open'));
    }), 'a socket to open');
    return connection;
  }

  private constructor(socket: WebSocket, hear: (message: Message, text: string) => void) {
    this.#socket = socket;
    this.#closed = new Promise((resolve) => { socket.onclose = () => resolve(); });
    void this.#closed.then(() => {
      for (const { reject } of [...this.#asked, ...this.#sent.values()]) reject(new Error('the connection ended'));
    });
    socket.onmessage = ({ data }) => this.#take(data as string, hear);
  }

  /** A control message and its answer: Subscribed, Unsubscribed or an Error without an id. */
  ask(message: object): Promise<Message> {
    this.#socket.send(JSON.stringify(message));
    return within(new Promise((resolve, reject) => this.#asked.push({ resolve, reject })), `an answer to ${JSON.stringify(message)}`);
  }

  /** A signed request by its type and the body that REST takes, and its answer. */
  send(type: string, body: string): Promise<Message> {
    const id = ++this.#number;
    this.#socket.send(`{"type":"${type}","id":${id},${body.slice(1)}`);
    return within(new Promise((resolve, reject) => this.#sent.set(id, { resolve, reject })), `an answer to ${type}`);
  }

  async close(): Promise<void> {
    this.#socket.close();
    await within(this.#closed, 'a socket to close');
  }

  #take(text: string, hear: (message: Message, text: string) => void): void {
    const message = JSON.parse(text) as Message;
    const { type, id } = message;
    if (typeof id === 'number' && this.#sent.has(id)) {
      this.#sent.get(id)!.resolve(message);
      this.#sent.delete(id);
    } else if (CONTROL.has(type) || (type === 'Error' && this.#asked.length > 0)) {
      // Heard before whoever asked goes on, or messages that came with it would be heard first.
      hear(message, text);
      this.#asked.shift()!.resolve(message);
    } else hear(message, text);
  }
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Error(`${what}: none within ${WITHIN_MS} ms`)), WITHIN_MS);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(late);
  }
}
