/** A chain of a real node is read, decoded and followed. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AbiEvent,
  type Address,
  createPublicClient,
  createTestClient,
  createWalletClient,
  type Hex,
  http,
  parseAbi,
  parseEther,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem';
import { foundry } from 'viem/chains';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../../lambdas/chain-data/decode/rows.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { createBlockReader } from '../../../lambdas/indexer/fetch/read-blocks.ts';
import { readTokenMetadata } from '../../../lambdas/indexer/fetch/read-token-metadata.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { followStep, type StepOutcome } from '../../../lambdas/indexer/follow/follow-step.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import {
  connectNode,
  type NodeConnection,
} from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { startAnvil } from '../../../local/processes/anvil.ts';
import type { EmbeddedProcess } from '../../../local/processes/embedded-process.ts';
import { TOKEN_EVENTS, V3_EVENTS } from '../../chain-data/decode/contract-events.ts';
import { ALICE, address, BOB, logOf, PLAIN, word } from '../../chain-data/decode/raw-blocks.ts';
import {
  MADE_CHAINS,
  type MigratedDatabase,
  startMigratedDatabase,
} from '../../database/migrated-database.ts';

describe('blocks of a real node', () => {
  const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
  const TIMEOUT_MS = 120_000;
  const emitterAbi = parseAbi(['function emitLog(bytes32[] topics, bytes data)']);
  const { erc20, batch } = TOKEN_EVENTS;

  let folder: string;
  let anvil: EmbeddedProcess;
  let node: NodeConnection;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'indexer-anvil-'));
    anvil = await startAnvil({ chain: 'test', chainId: foundry.id, folder, tell: () => undefined });
    node = connectNode({ url: anvil.url, maxResponseBytes: MAX_RESPONSE_BYTES, clock: systemClock });
  });

  afterAll(async () => {
    node.close();
    await anvil.stop();
    rmSync(folder, { recursive: true });
  });

  const artifacts = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../local/demo-chain/artifacts/contracts.json'), 'utf8'),
  ) as Record<string, Hex>;

  function clients() {
    const transport = http(anvil.url);
    const options = { chain: foundry, transport } as const;
    return {
      reader: createPublicClient({ ...options, pollingInterval: 20 }),
      wallet: createWalletClient({ ...options, account: SENDER }),
      test: createTestClient({ ...options, mode: 'anvil' }),
    };
  }

  async function deploy(name: string): Promise<Address> {
    const { reader, wallet } = clients();
    const hash = await wallet.deployContract({ abi: [], bytecode: artifacts[name] as Hex });
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return contractAddress;
  }

  async function readBlocks(to: number): Promise<RawBlock[]> {
    const wait = () => Promise.resolve();
    const reader = createBlockReader({ node, clock: systemClock, wait, traces: true });
    const blocks: RawBlock[] = [];
    const options = { deadline: Date.now() + TIMEOUT_MS };
    for await (const block of reader.read(0, to, options)) blocks.push(block);
    return blocks;
  }

  /** Mines one block out of everything that `send` sends. */
  async function inOneBlock(send: () => Promise<Hex[]>): Promise<TransactionReceipt[]> {
    const { reader, test } = clients();
    await test.setAutomine(false);
    const hashes = await send();
    await test.mine({ blocks: 1 });
    await test.setAutomine(true);
    return Promise.all(hashes.map((hash) => reader.waitForTransactionReceipt({ hash })));
  }

  /** Arguments of the events in receipts, as viem decodes them. */
  function eventsOf(event: AbiEvent, receipts: readonly TransactionReceipt[]) {
    const logs = receipts.flatMap((receipt) => receipt.logs);
    return parseEventLogs({ abi: [event], logs }) as unknown as {
      args: Record<string, never>;
      logIndex: number;
    }[];
  }

  /** Rows of a block, with the amounts in the words of viem. */
  function transferArguments({ erc20_transfers }: BlockRows) {
    return erc20_transfers.map((row) => ({
      logIndex: row.log_index,
      from: row.from_address,
      to: row.to_address,
      value: row.amount,
    }));
  }

  test('a real block decodes as viem decodes it', async () => {
    const { wallet, reader } = clients();
    const emitter = await deploy('LogEmitter');
    const emit = ({ topics, data }: { topics: readonly string[]; data: string }) =>
      wallet.writeContract({
        address: emitter,
        abi: emitterAbi,
        functionName: 'emitLog',
        args: [topics as Hex[], data as Hex],
        gas: 500_000n,
      });
    const receipts = await inOneBlock(async () => [
      await emit(logOf(erc20, emitter, [ALICE, BOB, 2n ** 256n - 1n])),
      await emit(logOf(batch, emitter, [ALICE, ALICE, BOB, [1n, 2n, 3n], [10n, 20n, 30n]])),
      await emit(logOf(V3_EVENTS.swap, emitter, [ALICE, BOB, -5n, 7n, 2n ** 100n, 9n, -887_272])),
      await wallet.sendTransaction({ to: BOB, value: 3n, gas: 21_000n }),
      await emit({ topics: [word(1), word(2), word(3), word(4)], data: `0x${'5a'.repeat(100)}` }),
      await emit({ topics: [], data: '0x' }),
      await wallet.writeContract({
        address: emitter,
        abi: emitterAbi,
        functionName: 'emitLog',
        args: [new Array<Hex>(5).fill(word(1)), '0x'],
        gas: 500_000n,
      }),
    ]);

    const number = Number(receipts[0]?.blockNumber);
    const blocks = await readBlocks(number);
    const block = blocks[number] as RawBlock;
    const rows = decodeBlock(block, PLAIN);
    const told = await reader.getBlock({ blockNumber: BigInt(number), includeTransactions: true });

    expect(blocks.map((one) => one.number)).toEqual(Array.from({ length: number + 1 }, (_, index) => index));
    expect(rows.block).toMatchObject({
      hash: told.hash,
      parent_hash: told.parentHash,
      gas_used: told.gasUsed,
      base_fee_per_gas: told.baseFeePerGas,
      size: Number(told.size),
      tx_count: 7,
    });
    expect(rows.transactions).toMatchObject(
      told.transactions.map((transaction, index) => ({
        hash: transaction.hash,
        from_address: transaction.from,
        to_address: transaction.to,
        value: transaction.value,
        nonce: BigInt(transaction.nonce),
        input_size: transaction.input.length / 2 - 1,
        gas_used: receipts[index]?.gasUsed,
        effective_gas_price: receipts[index]?.effectiveGasPrice,
        status: receipts[index]?.status === 'success' ? 1 : 0,
      })),
    );
    expect(rows.transactions.map(({ status }) => status)).toEqual([1, 1, 1, 1, 1, 1, 0]);
    expect(rows.logs).toMatchObject(
      receipts.flatMap((receipt) =>
        receipt.logs.map((log) => ({
          log_index: log.logIndex,
          tx_hash: log.transactionHash,
          address: log.address,
          topic0: log.topics[0] ?? null,
          topic3: log.topics[3] ?? null,
          data: log.data,
        })),
      ),
    );

    const transfers = eventsOf(erc20, receipts).map(({ args, logIndex }) => ({ logIndex, ...args }));
    expect(transferArguments(rows)).toEqual(lowerCase(transfers));
    const [batched] = eventsOf(batch, receipts);
    expect(rows.nft_transfers.map(({ token_id }) => token_id)).toEqual(batched?.args.ids);
    expect(rows.nft_transfers.map(({ amount }) => amount)).toEqual(batched?.args.values);
    const [swapped] = eventsOf(V3_EVENTS.swap, receipts);
    expect(rows.swap_events).toMatchObject([
      {
        amount0: swapped?.args.amount0,
        amount1: swapped?.args.amount1,
        sqrt_price_x96: swapped?.args.price,
        liquidity: swapped?.args.liquidity,
        tick: swapped?.args.tick,
      },
    ]);

    expect(block.traces.kind).toBe('traced');
    expect(rows.traces.filter(({ trace_index }) => trace_index === 0)).toMatchObject(
      told.transactions.map((transaction, index) => ({
        tx_hash: transaction.hash,
        type: 'CALL',
        from_address: transaction.from,
        value: transaction.value,
        gas: transaction.gas,
        gas_used: receipts[index]?.gasUsed,
      })),
    );
    expect(rows.traces.at(-1)).toMatchObject({ error: expect.stringContaining('revert') });
  });

  test('a plain transfer is told as the node would trace it', async () => {
    const { wallet, reader } = clients();
    const hash = await wallet.sendTransaction({ to: BOB, value: parseEther('1'), gas: 30_000n });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    const rows = decodeBlock((await readBlocks(Number(receipt.blockNumber))).at(-1) as RawBlock, PLAIN);
    const traced = (await reader.request({
      method: 'debug_traceTransaction',
      params: [hash, { tracer: 'callTracer' }],
    } as never)) as Record<string, string>;
    expect(rows.traces).toMatchObject([
      {
        type: traced.type,
        from_address: traced.from,
        to_address: traced.to,
        value: BigInt(traced.value ?? 0),
        gas_used: BigInt(traced.gasUsed ?? 0),
        input: traced.input,
        subcalls: 0,
      },
    ]);
  });

  test('metadata of real tokens, and of what is none', async () => {
    const names = ['Bytes32Erc20', 'UnreadableErc20', 'BareErc20', 'LogEmitter'];
    const deployed: Address[] = [];
    for (const name of names) deployed.push(await deploy(name));
    const patient = createRetryingClient(node, systemClock, () => Promise.resolve());
    const tokens = [...deployed, address(0xdead)].map((token) => ({ address: token, standard: 20 }) as const);
    const options = { deadline: Date.now() + TIMEOUT_MS };
    const metadata = await readTokenMetadata(patient, tokens, 'latest', options);
    const none = { name: null, symbol: null, decimals: null, total_supply: null };
    expect(metadata.map(({ address: _, ...said }) => said)).toEqual([
      { name: 'Old Style Token', symbol: 'OLD', decimals: 18, total_supply: 0n, metadata_status: 'complete' },
      {
        name: 'Unreadable Token',
        symbol: 'DARK',
        decimals: 18,
        total_supply: 0n,
        metadata_status: 'complete',
      },
      { ...none, total_supply: 0n, metadata_status: 'partial' },
      { ...none, metadata_status: 'absent' },
      { ...none, metadata_status: 'absent' },
    ]);
  });

  function lowerCase<T>(values: readonly T[]): T[] {
    return values.map(
      (value) =>
        Object.fromEntries(
          Object.entries(value as object).map(([name, one]) => [
            name,
            typeof one === 'string' ? one.toLowerCase() : one,
          ]),
        ) as T,
    );
  }
});

describe('the index of a real node', () => {
  const [CHAIN] = MADE_CHAINS;
  const CHAIN_ID = 31_337;
  const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
  const MAX_STEPS = 20;
  const FINALITY = 256;
  const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

  let folder: string;
  let anvil: EmbeddedProcess;
  let node: NodeConnection;
  let database: MigratedDatabase;
  let index: ChainIndex;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'follow-anvil-'));
    [anvil, database] = await Promise.all([
      startAnvil({ chain: CHAIN, chainId: CHAIN_ID, folder, tell: () => undefined }),
      startMigratedDatabase([]),
    ]);
    node = connectNode({ url: anvil.url, maxResponseBytes: MAX_RESPONSE_BYTES, clock: systemClock });
    index = openChainIndex(connectionTo(database.writer, CHAIN));
  });

  afterAll(async () => {
    node?.close();
    await Promise.all([anvil?.stop(), database?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  const send = (to: string, value: number) =>
    call('eth_sendTransaction', { from: SENDER, to, value: `0x${value.toString(16)}`, gas: '0x5208' });

  /** One by one, so that the node keeps the state of each. */
  async function mine(blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block += 1) await call('evm_mine');
  }

  async function catchUp(): Promise<StepOutcome['kind'][]> {
    const reader = createNodeReader(node, systemClock, { traces: true });
    const kinds: StepOutcome['kind'][] = [];
    while (kinds.length < MAX_STEPS) {
      const parts = {
        reader,
        index,
        decode: (block: Parameters<typeof decodeBlock>[0]) => decodeBlock(block, PLAIN),
      };
      const { kind } = await followStep(parts, { deadline: Date.now() + 120_000 });
      kinds.push(kind);
      if (kind === 'idle' || kind === 'behind' || kind === 'halted') return kinds;
    }
    throw new Error('the index does not come to rest');
  }

  /** Hashes of the stored blocks and of those of the node, newest first. */
  async function bothChains(): Promise<[string[], string[]]> {
    const { rows } = await database.reader.query(
      `SELECT number, encode(hash, 'hex') AS hash FROM ${CHAIN}.blocks ORDER BY number DESC LIMIT 40`,
    );
    const told = await Promise.all(
      rows.map(async ({ number }) => {
        const block = await call('eth_getBlockByNumber', `0x${Number(number).toString(16)}`, false);
        return (block as { hash: string }).hash;
      }),
    );
    return [rows.map(({ hash }) => `0x${hash}`), told];
  }

  test('a real node is followed through reorganisations, and no further than the finalized block', async () => {
    await mine(3);
    const early = await call('evm_snapshot');
    await mine(FINALITY + 20);
    await send(ALICE, 1);
    await send(BOB, 2);
    expect(await catchUp()).toEqual(['began', 'appended', 'idle']);

    await call('anvil_reorg', 10, [[{ from: SENDER, to: ALICE, value: '0x7', gas: '0x5208' }, 3]]);
    await mine(1);
    expect(await catchUp()).toEqual(['rolled_back', 'appended', 'idle']);
    const [stored, told] = await bothChains();
    expect(stored).toEqual(told);
    const { rows } = await database.reader.query(
      `SELECT value::text AS value FROM ${CHAIN}.transactions ORDER BY 1`,
    );
    expect(rows).toEqual([{ value: '7' }]);

    const head = Number(await call('eth_blockNumber'));
    await call('evm_revert', early);
    await send(BOB, 9);
    await mine(head);
    expect(await catchUp()).toEqual(['halted']);
    expect((await index.cursor())?.halted).toContain('another block');
  });
});
