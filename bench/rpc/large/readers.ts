/**
 * Clients of large results in a process of their own, so that what they read does not hold up whoever measures. `fork`ed;
 * takes a {@link Reading} and answers with {@link Read}, as often as it is asked.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is to be read. */
export interface Reading {
  /** Where requests are sent to. */
  readonly url: string;
  /** Keys of the clients, which they have in turns. */
  readonly apiKeys: readonly string[];
  readonly clients: number;
  /** Every other client reads so many bytes a second. */
  readonly slowBytesPerSecond: number;
  readonly durationMs: number;
}

/** What became of the requests. */
export interface Read {
  /** With a whole result. */
  readonly answered: number;
  /** With -32005. */
  readonly refused: number;
  /** Anything else. */
  readonly others: number;
}

const HEAD_BYTES = 256;
const TICK_MS = 20;
const OVERLOADED = '"code":-32005';
const agent = new Agent({ keepAlive: true });

interface Seen {
  readonly head: string;
  readonly bytes: number;
  readonly isWhole: boolean;
}

async function read({ clients, durationMs, ...reading }: Reading): Promise<Read> {
  const read = { answered: 0, refused: 0, others: 0 };
  const endsAt = performance.now() + durationMs;
  let sent = 0;
  const keepReading = async (client: number) => {
    while (performance.now() < endsAt) {
      sent += 1;
      const seen = await ask(reading, client, sent, endsAt).catch(() => undefined);
      // One that the end of the time has cut short says nothing.
      if (performance.now() >= endsAt) return;
      if (seen?.isWhole !== true) read.others += 1;
      else if (seen.head.includes('"result":')) read.answered += 1;
      else if (seen.head.includes(OVERLOADED)) read.refused += 1;
      else read.others += 1;
      if (seen?.head.includes('"result":') !== true) await sleep(TICK_MS);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => keepReading(client)));
  return read;
}

/** Sends one call; no two are equal. Breaks off at the end of the time. */
function ask(
  { url, apiKeys, slowBytesPerSecond }: Omit<Reading, 'clients' | 'durationMs'>,
  client: number,
  call: number,
  endsAt: number,
): Promise<Seen> {
  const hash = `0x${call.toString(16).padStart(64, '0')}`;
  const params = [hash, { tracer: 'callTracer' }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params });
  const headers = {
    'x-api-key': apiKeys[client % apiKeys.length] ?? '',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      follow(response, client % 2 === 0 ? slowBytesPerSecond : Number.POSITIVE_INFINITY).then(
        resolve,
        reject,
      );
    });
    const timer = setTimeout(() => outgoing.destroy(), Math.max(0, endsAt - performance.now()));
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function follow(response: IncomingMessage, bytesPerSecond: number): Promise<Seen> {
  const startedMs = performance.now();
  let head = '';
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (head.length < HEAD_BYTES) head += chunk.toString('latin1', 0, HEAD_BYTES);
    bytes += chunk.length;
    const dueMs = (bytes / bytesPerSecond) * 1_000;
    const earlyMs = dueMs - (performance.now() - startedMs);
    if (earlyMs > TICK_MS) await sleep(earlyMs);
  }
  return { head, bytes, isWhole: response.complete };
}

process.on('message', async (reading: Reading) => {
  process.send?.(await read(reading));
});
process.on('disconnect', () => process.exit());
