import { Agent, type RequestOptions, request } from 'node:http';
import { variantsOf } from './rpc-requests.ts';

/** Clients that each send a POST as soon as the one before is answered. */
interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON-RPC request, sent in its variants. */
  readonly body: string;
  readonly clients: number;
  readonly durationMs: number;
}

interface Loaded {
  readonly wallMs: number;
  /** Time from sending a request to the end of its response, one for each request, in rising order. */
  readonly latenciesMs: readonly number[];
}

/** Sends a load. Rejects at the first response without a result. */
export async function sendLoad(load: Load): Promise<Loaded> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.clients });
  const bodies = variantsOf(load.body).map((body) => Buffer.from(body));
  const optionsOf = (body: Buffer) => ({
    method: 'POST',
    agent,
    headers: { ...load.headers, 'content-type': 'application/json', 'content-length': body.length },
  });
  let sent = 0;
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  const keepCalling = async () => {
    while (performance.now() - startedMs < load.durationMs) {
      const sentMs = performance.now();
      const body = bodies[sent % bodies.length] as Buffer;
      sent += 1;
      await post(load.url, optionsOf(body), body);
      latenciesMs.push(performance.now() - sentMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: load.clients }, keepCalling));
  } finally {
    agent.destroy();
  }
  const wallMs = performance.now() - startedMs;
  return { wallMs, latenciesMs: latenciesMs.sort((left, right) => left - right) };
}

function post(url: string, options: RequestOptions, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks);
        // What is compressed is no error, as these are short.
        const isResult = 'content-encoding' in response.headers || text.includes('"result"');
        if (response.statusCode === 200 && isResult) resolve();
        else reject(new Error(`${url} answered ${response.statusCode} ${text.toString('utf8', 0, 300)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
