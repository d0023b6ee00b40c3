// Makes the threads of a process started with `--inspect` collect their garbage, over the inspector's protocol. What is resident
// afterwards is in use; otherwise a heap that has only grown into its allowance looks like a leak.

type Message = {
  readonly id?: number; readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly message?: string };
};

const COLLECT = 'HeapProfiler.collectGarbage';
/** Workers report themselves one by one; none has come for so long: that was all. */
const QUIET_MS = 500;

/** Twice in each thread: what one collection finalizes the next one frees. */
export async function collectGarbage(port: number): Promise<void> {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json() as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('the inspector does not answer'));
  });
  const waiting = new Map<string, () => void>();
  const sessions: string[] = [];
  socket.onmessage = ({ data }) => {
    const { id, method, params } = JSON.parse(String(data)) as Message;
    if (method === 'NodeWorker.attachedToWorker') sessions.push(params!.sessionId!);
    else if (method === 'NodeWorker.receivedMessageFromWorker') waiting.get(params!.sessionId!)?.();
    else if (id !== undefined) waiting.get(`${id}`)?.();
  };
  let last = 0;
  const ask = (key: string | null, method: string, params: object = {}): Promise<void> => new Promise((resolve) => {
    const id = ++last;
    waiting.set(key ?? `${id}`, resolve);
    socket.send(JSON.stringify({ id, method, params }));
  });
  await ask(null, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
  for (let seen = -1; seen < sessions.length;) {
    seen = sessions.length;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
  for (let round = 0; round < 2; round++) {
    const message = JSON.stringify({ id: 1, method: COLLECT });
    for (const sessionId of sessions) await ask(sessionId, 'NodeWorker.sendMessageToWorker', { sessionId, message });
    await ask(null, COLLECT);
  }
  socket.close();
  if (sessions.length < 5) throw new Error(`only ${sessions.length} workers were seen`);
}
