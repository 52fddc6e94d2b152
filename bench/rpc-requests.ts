const BATCH_CALLS = 100;
const ADDRESS_BYTES = 20;

/** A balance at the latest block: answered by the node every time, whatever is cached. */
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
  const address = `0x${id.toString(16).padStart(ADDRESS_BYTES * 2, '0')}`;
  return { jsonrpc: '2.0', id, method: 'eth_getBalance', params: [address, 'latest'] };
}
