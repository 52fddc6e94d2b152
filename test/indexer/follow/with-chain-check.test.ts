import { NodeError } from '../../../lambdas/indexer/fetch/node-error.ts';
import type { NodeResponse } from '../../../lambdas/indexer/fetch/send-batch.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { WrongChainError, withChainCheck } from '../../../lambdas/indexer/follow/with-chain-check.ts';

const OPTIONS = { deadline: 1 };
const HEAD = { number: 1, hash: '0x1', parentHash: '0x0', timestamp: 0 } as const;

/** A reader of a node that answers so when it is asked for its chain id. */
function world(answer: () => NodeResponse) {
  const asked: string[] = [];
  const reader: ChainReader = {
    head: async () => HEAD,
    header: async () => HEAD,
    async *pages() {
      yield [];
    },
  };
  const node = {
    send: async (calls: readonly { readonly method: string }[]) => {
      asked.push(...calls.map(({ method }) => method));
      return { responses: [answer()], bytes: 0 };
    },
  };
  return { asked, reader: withChainCheck(reader, node as never, 31_337) };
}

async function readAll(reader: ChainReader): Promise<unknown[]> {
  const pages = [];
  for await (const page of reader.pages(0, 1, OPTIONS)) pages.push(page);
  return [await reader.head(OPTIONS), await reader.header(1, OPTIONS), pages];
}

test('asks once, and again when it is told to forget', async () => {
  const { asked, reader } = world(() => ({ result: '0x7a69' }));
  expect(await readAll(reader)).toEqual([HEAD, HEAD, [[]]]);
  expect(asked).toEqual(['eth_chainId']);
  reader.forget();
  await reader.head(OPTIONS);
  expect(asked).toEqual(['eth_chainId', 'eth_chainId']);
});

test('the answer of a node that was left meanwhile counts for no other', async () => {
  const answers = ['0x7a69', '0x1'];
  const { asked, reader } = world(() => {
    if (asked.length === 1) reader.forget();
    return { result: answers.shift() };
  });
  await expect(reader.head(OPTIONS)).rejects.toThrow(WrongChainError);
});

test.each(['0x1', '31337x', null, 5])('a node of chain %j is not read', async (result) => {
  const { reader } = world(() => ({ result }));
  await expect(reader.head(OPTIONS)).rejects.toThrow(WrongChainError);
  await expect(reader.header(1, OPTIONS)).rejects.toThrow(WrongChainError);
  await expect(readAll(reader)).rejects.toThrow(WrongChainError);
});

test('a node that does not say is asked again', async () => {
  let isUp = false;
  const error = new NodeError('unavailable', 'out of time');
  const { reader } = world(() => (isUp ? { result: '0x7a69' } : { error }));
  await expect(reader.head(OPTIONS)).rejects.toBe(error);
  isUp = true;
  expect(await reader.head(OPTIONS)).toEqual(HEAD);
});
