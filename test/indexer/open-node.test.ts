/** Nothing is indexed from a node that does not tell the chain id of the stage file. */
import { openNode } from '../../lambdas/indexer/open-indexer.ts';
import { listen } from '../support/listen.ts';

jest.mock('gateway-access', () => ({
  openSharedTextStore: () => ({ read: async () => undefined }),
}));

const CHAIN_ID = 31_337;

/** A node of this chain id, which answers all else alike. */
function nodeOf(chainId: unknown) {
  return listen(async (request, response) => {
    const [body] = await request.toArray();
    const sent = JSON.parse(String(body));
    const answerOf = ({ id, method }: { readonly id: number; readonly method: string }) => ({
      ...{ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? chainId : '0x1' },
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(sent) ? sent.map(answerOf) : answerOf(sent)));
  });
}

test.each([
  ['of its chain', '0x7a69', 'read'],
  ['of another chain', '0x1', 'upstream wrong_chain'],
  ['that does not tell its chain', null, 'upstream unreachable (NO_CHAIN_ID)'],
])('a node %s', async (_, chainId, outcome) => {
  const { url, close } = await nodeOf(chainId);
  const settings = { chain: 'one', chainId: CHAIN_ID, upstreams: [url], maxResponseBytes: 1_000_000 };
  const node = openNode(settings as never, async () => '');
  try {
    const call = { method: 'eth_blockNumber', params: [] };
    const sent = node.patient.send([call], { deadline: Date.now() + 60_000 });
    expect(
      await sent.then(
        () => 'read',
        (error: Error) => error.message,
      ),
    ).toBe(outcome);
  } finally {
    await close();
  }
});
