// Requests to external services: a JSON body by POST, a JSON answer, bounded in time and bytes. A URL may contain its owner's key, so no
// error names it. Times in ms.

/** `message` may be shown to anyone. */
export class UpstreamFailure extends Error {}

type UpstreamRequest = {
  readonly url: string;
  readonly body: object;
  readonly withinMs: number;
  readonly maxBytes: number;
  readonly stop: AbortSignal;
};

export async function askUpstream({ url, body, withinMs, maxBytes, stop }: UpstreamRequest): Promise<unknown> {
  // AbortSignal.any is never freed while one of its signals lives.
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const late = setTimeout(end, withinMs);
  stop.addEventListener('abort', end);
  try {
    if (stop.aborted) end();
    const response = await fetch(url, {
      method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' },
      redirect: 'manual', signal: ending.signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new UpstreamFailure(`status ${response.status}`);
    }
    return parsed(await readText(response, maxBytes));
  } catch (error) {
    if (error instanceof UpstreamFailure) throw error;
    throw new UpstreamFailure(ending.signal.aborted ? `no answer within ${withinMs} ms` : `the connection failed${codeOf(error)}`);
  } finally {
    clearTimeout(late);
    stop.removeEventListener('abort', end);
  }
}

function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? ` (${cause.code})` : '';
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UpstreamFailure(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFailure('the answer is not JSON');
  }
}
