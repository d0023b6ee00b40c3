// Questions to services of others: one JSON body by POST, one JSON answer, bounded in time and in bytes. An address may hold
// the key of its owner, so no failure ever names it: of a connection that failed it tells the code. Redirects are not followed: they
// are an answer with another status. Times ms.

/** Why there is no answer; `message` may be shown to anyone. */
export class UpstreamFailure extends Error {}

type Question = {
  readonly url: string;
  readonly body: object;
  readonly withinMs: number;
  readonly maxBytes: number;
  /** Nobody waits for the answer any more. */
  readonly stop: AbortSignal;
};

/** What JSON made of the answer. Throws UpstreamFailure. */
export async function askUpstream({ url, body, withinMs, maxBytes, stop }: Question): Promise<unknown> {
  // One signal for each question: what AbortSignal.any makes of one that lives as long as the process is never let go of.
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

/** Why, as whoever runs the venue looks it up: a name that is not known, a port that refuses, a certificate that is too old. */
function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? ` (${cause.code})` : '';
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > maxBytes) throw new UpstreamFailure(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFailure('the answer is no JSON');
  }
}
