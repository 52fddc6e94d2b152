const BATCH_CALLS = 100;
/** Digits of an address that are others in each request, the others of which tell the calls of a batch apart. */
const VARIED = 'abad1deaabad1dea';
const OTHER_DIGITS = 40 - VARIED.length;
/** More than any load has under way at once: equal calls that are would share one response. */
const VARIANTS = 64;

/** A balance at the latest block: answered by the node every time, whatever is cached. Another one in each variant. */
export const SINGLE_CALL = JSON.stringify(balanceCall(1));
/** As many calls as a batch may have, no two of them equal. */
export const BATCH = JSON.stringify(
  Array.from({ length: BATCH_CALLS }, (_, index) => balanceCall(index + 1)),
);
/** The same on every block: answered from the cache once it was asked. */
export const CACHED_CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
/** Answered with the trace of the stub node. */
export const TRACE_CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'debug_traceTransaction',
  params: [`0x${'ab'.repeat(32)}`, { tracer: 'callTracer' }],
});

function balanceCall(id: number): object {
  const address = `0x${VARIED}${id.toString(16).padStart(OTHER_DIGITS, '0')}`;
  return { jsonrpc: '2.0', id, method: 'eth_getBalance', params: [address, 'latest'] };
}

/** What a load sends in turn instead of a body: no two that are under way at once have a balance in common. */
export function variantsOf(body: string): readonly string[] {
  if (!body.includes(VARIED)) return [body];
  return Array.from({ length: VARIANTS }, (_, index) =>
    body.replaceAll(VARIED, index.toString(16).padStart(VARIED.length, '0')),
  );
}
