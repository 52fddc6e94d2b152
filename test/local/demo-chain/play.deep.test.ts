/** That the demo chain is, as its node has it, the one that its plan computes, with what is derived of it. */
import {
  type Address,
  type Hex,
  hexToBigInt,
  type PublicClient,
  parseAbiItem,
  toFunctionSelector,
} from 'viem';
import { playDemoChain } from '../../../local/demo-chain/play.ts';
import { SEED } from '../../../local/demo-chain/prepare.ts';
import { erc20Abi, erc721Abi, erc1155Abi } from '../../../local/demo-chain/script/abis.ts';
import { lowerCase } from '../../../local/demo-chain/script/script.ts';
import { callNode } from '../../../local/processes/node-calls.ts';
import { readTransfers } from './chain-reader.ts';
import type { DemoChain } from './expected-chain.ts';
import { testMarkets } from './market-tests.ts';
import { NOW_MS, type PlayedChain, playOnFreshNode } from './played-chain.ts';
import { testPreparation } from './prepare-tests.ts';
import { testRollups } from './rollup-tests.ts';

const SYMBOL = toFunctionSelector('symbol()');
/** Lengths of hex text: one word, the data of the large log. */
const WORD_LENGTH = 66;
const LARGE_LOG_LENGTH = 2 + 2 * 64 * 1024;
const TRACED_AT_ONCE = 60;

/** A call as `callTracer` tells it. */
interface Trace {
  readonly type: string;
  readonly to?: Address;
  readonly error?: string;
  readonly calls?: readonly Trace[];
}

describe('what the plan says of the demo chain is what its node says', () => {
  let chain: PlayedChain;
  let expected: DemoChain;
  let reader: PublicClient;
  const range = { fromBlock: 0n, toBlock: 'latest' } as const;

  beforeAll(async () => {
    chain = await playOnFreshNode();
    ({ expected, reader } = chain);
  });

  afterAll(() => chain?.stop());

  test('blocks, transactions and their failures', async () => {
    expect(Number(await reader.getBlockNumber())).toBe(expected.lastBlock);
    const numbers = Array.from({ length: expected.lastBlock }, (_, index) => `0x${(index + 1).toString(16)}`);
    const receipts = (await callNode(
      chain.url,
      numbers.map((number) => ({ method: 'eth_getBlockReceipts', params: [number] })),
    )) as { readonly status: Hex; readonly type: Hex; readonly contractAddress: Address | null }[][];
    const all = receipts.flat();
    expect(all.length).toBe(expected.transactionCount);
    expect(all.filter(({ status }) => status === '0x0').length).toBe(expected.failedTransactionCount);
    expect(receipts.filter((ofBlock) => ofBlock.length === 0).length).toBe(expected.emptyBlockCount);
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(['0x0', '0x2']));
    const last = await reader.getBlock();
    expect(Number(last.timestamp)).toBe(NOW_MS / 1_000);
  });

  test('every transfer, in order', async () => {
    const found = await readTransfers(reader, expected.contracts.items);
    expect(found).toEqual(expected.transfers.map(({ timestamp: _, ...transfer }) => transfer));
    expect(new Set(found.map(({ standard }) => standard)).size).toBe(3);
  });

  test('every deposit and withdrawal of the wrapped native token', async () => {
    const address = expected.contracts.wrappedNative;
    const deposit = parseAbiItem('event Deposit(address indexed account, uint256 amount)');
    const withdrawal = parseAbiItem('event Withdrawal(address indexed account, uint256 amount)');
    const logs = await reader.getLogs({ ...range, address, events: [deposit, withdrawal], strict: true });
    const found = logs.map(({ blockNumber, eventName, args: { account, amount } }) => ({
      blockNumber: Number(blockNumber),
      kind: eventName.toLowerCase(),
      account: lowerCase(account),
      amount,
    }));
    expect(found).toEqual(expected.wraps);
  });

  test('supply and balances of every token', async () => {
    for (const { address, behaviour, totalSupply, balances } of expected.tokens) {
      const token = { address, abi: erc20Abi } as const;
      expect([address, await reader.readContract({ ...token, functionName: 'totalSupply' })]).toEqual([
        address,
        totalSupply,
      ]);
      const holders = [...expected.accounts, ...expected.receivers.keys(), ...balances.keys()];
      const responses = await reader.multicall({
        contracts: holders.map(
          (holder) => ({ ...token, functionName: 'balanceOf', args: [holder] }) as const,
        ),
        multicallAddress: expected.contracts.multicall,
      });
      const read = holders.map((holder, index) => [holder, responses[index]?.result ?? 'unreadable']);
      const known = holders.map((holder) => [
        holder,
        behaviour === 'unreadable' ? 'unreadable' : (balances.get(holder) ?? 0n),
      ]);
      expect([address, read]).toEqual([address, known]);
    }
  });

  test('what the receivers got of the native token', async () => {
    const balances = await Promise.all(
      [...expected.receivers.keys()].map((address) => reader.getBalance({ address })),
    );
    expect(balances).toEqual([...expected.receivers.values()]);
  });

  test('symbols that are text, bytes or nothing', async () => {
    const symbolOf = async (to: Address): Promise<Hex | null> => {
      const response = await reader.call({ to, data: SYMBOL }).catch(() => undefined);
      if (response?.data === undefined) return null;
      if (response.data.length === WORD_LENGTH) return response.data.replace(/(00)+$/, '') as Hex;
      const length = Number(hexToBigInt(`0x${response.data.slice(66, 130)}`));
      return `0x${response.data.slice(130, 130 + 2 * length)}`;
    };
    const found = await Promise.all(expected.tokens.map(({ address }) => symbolOf(address)));
    expect(found).toEqual(expected.tokens.map(({ symbol }) => symbol));
    expect(found).toContain(null);
  });

  test('owners and sales of the NFTs, balances of the items', async () => {
    const { nft, items, marketplace: address } = expected.contracts;
    const owners = await Promise.all(
      [...expected.nftOwners.keys()].map((tokenId) =>
        reader.readContract({ address: nft, abi: erc721Abi, functionName: 'ownerOf', args: [tokenId] }),
      ),
    );
    expect(owners.map(lowerCase)).toEqual([...expected.nftOwners.values()]);
    const event = parseAbiItem(
      'event Sold(address indexed nft, uint256 indexed tokenId, address seller, address buyer, uint256 price)',
    );
    const sales = await reader.getLogs({ ...range, address, event, strict: true });
    expect(
      sales.map(({ blockNumber, args: { tokenId, seller, buyer, price } }) => ({
        blockNumber: Number(blockNumber),
        tokenId,
        seller: lowerCase(seller),
        buyer: lowerCase(buyer),
        price,
      })),
    ).toEqual(expected.nftSales);
    const amounts = await Promise.all(
      expected.itemBalances.map(({ holder, id }) =>
        reader.readContract({
          address: items,
          abi: erc1155Abi,
          functionName: 'balanceOf',
          args: [holder, id],
        }),
      ),
    );
    expect(amounts).toEqual(expected.itemBalances.map(({ amount }) => amount));
  });

  test('logs that only look like transfers', async () => {
    const address = expected.contracts.odd.logEmitter;
    const logs = await reader.getLogs({ ...range, address });
    const mixed = expected.transfers.filter(({ token }) => token === address);
    expect(logs.length).toBe(expected.oddLogs.length + mixed.length);
    expect(new Set(mixed.map(({ standard }) => standard))).toEqual(new Set(['erc20', 'erc721']));
    expect(logs.map(({ data }) => data.length)).toContain(LARGE_LOG_LENGTH);
    expect(logs.map(({ topics }) => topics.length)).toContain(0);
  });

  test('calls inside transactions: creations, delegated ones, and failed ones of transactions that succeed', async () => {
    const { marketplace } = expected.contracts;
    const missing = new Set(['CALL', 'STATICCALL', 'DELEGATECALL', 'CREATE', 'CREATE2', 'failed sale']);
    // A page at a time: to trace all blocks takes as long as to play them.
    for (let first = 1; first <= expected.lastBlock && missing.size > 0; first += TRACED_AT_ONCE) {
      const calls = Array.from(
        { length: Math.min(TRACED_AT_ONCE, expected.lastBlock + 1 - first) },
        (_, index) => ({
          method: 'debug_traceBlockByNumber',
          params: [`0x${(first + index).toString(16)}`, { tracer: 'callTracer' }],
        }),
      );
      const blocks = (await callNode(chain.url, calls)) as readonly { readonly result: Trace }[][];
      const succeeded = blocks.flat().filter(({ result }) => result.error === undefined);
      for (const { type, error, to } of succeeded.flatMap(({ result }) => callsIn(result))) {
        missing.delete(type);
        if (error !== undefined && to === marketplace) missing.delete('failed sale');
      }
    }
    expect(missing).toEqual(new Set());
  });

  describe('of pools and stock tokens too:', () => testMarkets(() => chain));
  describe('and what is derived of it:', () => testRollups(() => chain));

  describe('of a chain that a local run begins with:', () => testPreparation(() => chain));

  test('a chain that has blocks is refused', async () => {
    await expect(playDemoChain({ url: chain.url, seed: SEED })).rejects.toThrow('a chain without blocks');
  });
});

/** All calls inside a call. */
function callsIn({ calls = [] }: Trace): Trace[] {
  return calls.flatMap((call) => [call, ...callsIn(call)]);
}
