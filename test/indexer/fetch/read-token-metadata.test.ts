import { encodeAbiParameters } from 'viem';
import type { Hex } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { nodeErrorOf } from '../../../lambdas/indexer/fetch/node-error.ts';
import { readTokenMetadata } from '../../../lambdas/indexer/fetch/read-token-metadata.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { address, word } from '../../chain-data/decode/raw-blocks.ts';
import { createFakeNode, type ReceivedCall, type Said } from './fake-node.ts';

const text = (value: string): Said => ({ result: encodeAbiParameters([{ type: 'string' }], [value]) });
const REVERT: Said = {
  error: { code: 3, message: 'execution reverted: rate limit exceeded, batch too large' },
};
const EMPTY: Said = { result: '0x' };

/** A token by its answers to name, symbol, decimals and total supply. */
const tokens: Record<string, readonly Said[]> = {
  [address(1)]: [text('Dollar'), text('USD'), { result: word(6) }, { result: word(-1) }],
  [address(2)]: [REVERT, REVERT, REVERT, REVERT],
  [address(3)]: [EMPTY, text('ODD\0'), EMPTY, { result: word(1) }],
  [address(4)]: [text('Pictures'), text('PIC'), REVERT, REVERT],
  [address(5)]: [text('A'), { error: { code: -32000, message: 'missing trie node' } }, EMPTY, EMPTY],
};

function answer({ params }: ReceivedCall): Said {
  const { to, data } = params[0] as { to: string; data: string };
  const selectors = ['0x06fdde03', '0x95d89b41', '0x313ce567', '0x18160ddd'];
  return tokens[to]?.[selectors.indexOf(data)] ?? EMPTY;
}

test('tokens say what they can, and none spoils the others', async () => {
  const fake = createFakeNode(answer, (calls) => (calls.length > 6 ? 'batch too large' : undefined));
  const node = createRetryingClient(fake, { now: () => 0 }, async () => undefined);
  const asked = Object.keys(tokens).map(
    (token) => ({ address: token as Hex, standard: token === address(4) ? 721 : 20 }) as const,
  );
  const metadata = await readTokenMetadata(node, asked, '0x10', { deadline: 1_000 });
  const none = { name: null, symbol: null, decimals: null, total_supply: null };
  expect(metadata).toEqual([
    {
      address: address(1),
      name: 'Dollar',
      symbol: 'USD',
      decimals: 6,
      total_supply: 2n ** 256n - 1n,
      metadata_status: 'complete',
    },
    { address: address(2), ...none, metadata_status: 'absent' },
    { address: address(3), ...none, symbol: 'ODD', total_supply: 1n, metadata_status: 'partial' },
    { address: address(4), ...none, name: 'Pictures', symbol: 'PIC', metadata_status: 'complete' },
    { address: address(5), ...none, name: 'A', metadata_status: 'pending' },
  ]);
  expect(new Set(fake.requests.flat().map(({ params }) => params[1]))).toEqual(new Set(['0x10']));
});

test.each([
  [-32005, 'limit exceeded', 'rate_limited'],
  [-32005, 'query returned more than 10000 results', 'too_large'],
  [-32000, 'Too Many Requests', 'rate_limited'],
  [-32003, 'response too large', 'too_large'],
  [-32601, 'whatever', 'unsupported'],
  [-32000, 'the method debug_traceBlockByNumber does not exist/is not available', 'unsupported'],
  [4444, 'pruned history unavailable', 'pruned'],
  [-32000, 'historical state 0xab is not available', 'pruned'],
  [-32002, 'request timed out', 'timeout'],
  [-32000, 'something else', 'refused'],
  [3, 'execution reverted: timed out', 'refused'],
])('error %i "%s" is %s', (code, message, kind) => {
  expect(nodeErrorOf(code, message).kind).toBe(kind);
});
