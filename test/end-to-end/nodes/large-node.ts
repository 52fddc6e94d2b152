import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { callsOf, result } from '../../nodes/replies.ts';
import { startScriptedNode } from '../../nodes/scripted-node.ts';

/** The method that is answered with the large result. */
export const LARGE_METHOD = 'debug_traceTransaction';
const LARGE_BYTES = 30_000_000;
const FRAMES = Array.from({ length: 800_000 }, (_, index) => `{"gas":"0x${(index * 7_919).toString(16)}"}`);
const FRAMES_JSON = `[${FRAMES.join(',')},"`;
export const LARGE = Buffer.from(`${FRAMES_JSON}${'a'.repeat(LARGE_BYTES - FRAMES_JSON.length)}"]`);
const SMALL = result('"0x1"');
const THREAD = 'large node';

/**
 * Starts a node with large results in a thread of its own: clients that read in the thread of the test do not make it late,
 * which a gateway takes for a silent node.
 */
export async function startLargeNode(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const thread = new Worker(new URL('./large-node.ts', import.meta.url), { workerData: THREAD });
  const [url] = (await once(thread, 'message')) as [string];
  return {
    url,
    close: async () => {
      await thread.terminate();
    },
  };
}

async function serve(): Promise<string> {
  const { url } = await startScriptedNode((request, response) => {
    const [call] = callsOf(request.body);
    if (call?.method !== LARGE_METHOD) return SMALL(request, response);
    const head = Buffer.from(`{"jsonrpc":"2.0","id":${call.id},"result":`);
    // Every other response says how long it is.
    const length = head.length + LARGE.length + 1;
    response.writeHead(200, call.id % 2 === 0 ? { 'content-length': length } : {});
    for (const piece of [head, LARGE]) response.write(piece);
    response.end('}');
  });
  return url;
}

if (workerData === THREAD) void serve().then((url) => parentPort?.postMessage(url));
