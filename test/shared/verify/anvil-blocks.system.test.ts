/** Each block that a real node makes comes out, and each of its transactions is proven, also after it was stopped and went on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeRlp, type TransactionLike, Wallet } from 'ethers';
import { verifyProof } from '../../../clients/typescript/src/proof/verify-proof.ts';
import type { ProofForm } from '../../../lambdas/shared/runtime/settings.ts';
import { verifyBlock } from '../../../lambdas/shared/verify/verify-block.ts';
import { openVerifyTools } from '../../../lambdas/shared/verify/verify-tools.ts';
import { anvilBinary, nodeArguments } from '../../../local/processes/anvil.ts';
import { type EmbeddedProcess, startEmbeddedProcess } from '../../../local/processes/embedded-process.ts';
import { madeProof } from '../../clients/made-proof.ts';
import type { SentJson } from './made-block.ts';

const CHAIN_ID = 31_337;
const RECEIVER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const GWEI = 10n ** 9n;
const START_TIMEOUT_MS = 60_000;
const FEES = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
/** Logs 32 bytes, and makes a contract of no code. */
const LOGGING_CODE = '0x602060006001a100';

const sender = new Wallet('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'verified-anvil-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function withNode(
  args: readonly string[],
  work: (node: EmbeddedProcess) => Promise<void>,
): Promise<void> {
  const node = await startEmbeddedProcess({
    name: 'anvil',
    command: await anvilBinary(),
    commandArguments: (address) => [...nodeArguments(address, CHAIN_ID), ...args],
    hidden: true,
    cwd: folder,
    isReady: async ({ url }) => Number(await call(url, 'eth_chainId')) === CHAIN_ID,
    stopTimeoutMs: START_TIMEOUT_MS,
  });
  try {
    await work(node);
  } finally {
    await node.stop();
  }
}

async function call(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

/** What each block of a node comes to, with the types of its transactions. */
async function verdicts(url: string, form: ProofForm): Promise<readonly (readonly [string, string])[]> {
  const head = Number(await call(url, 'eth_blockNumber'));
  const tools = await openVerifyTools();
  const read = Array.from({ length: head + 1 }, async (_, number) => {
    const tag = `0x${number.toString(16)}`;
    const [block, receipts] = await Promise.all([
      call(url, 'eth_getBlockByNumber', tag, true),
      call(url, 'eth_getBlockReceipts', tag),
    ]);
    const sent = { block, receipts } as SentJson;
    const types = sent.block.transactions.map(({ type }) => type).join();
    for (const [index, { hash }] of sent.block.transactions.entries()) {
      const { transaction } = verifyProof(await madeProof(sent, form, { index }), String(sent.block.hash));
      expect([transaction.index, transaction.hash]).toEqual([index, hash]);
    }
    const verdict = verifyBlock(tools, { form, from: 0, chainId: CHAIN_ID }, block, receipts);
    return [types, verdict.kind === 'computed' ? 'computed' : JSON.stringify(verdict)] as const;
  });
  return Promise.all(read);
}

test.each([
  ['ethereum', '--hardfork=prague', '0x0,0x1,0x2,0x2,0x4'],
  ['op', '--optimism', '0x0,0x1,0x2,0x2,0x4,0x7e'],
] as const)('blocks of %s', async (form, flag, types) => {
  const state = join(folder, `${form}.json`);
  await withNode([flag, `--dump-state=${state}`], async ({ url }) => {
    const signed: TransactionLike[] = [
      { type: 0, gasPrice: 10n * GWEI },
      {
        type: 1,
        gasPrice: 10n * GWEI,
        accessList: [{ address: RECEIVER, storageKeys: [`0x${'00'.repeat(32)}`] }],
      },
      { type: 2, ...FEES },
      { type: 2, ...FEES, to: null, value: 0n, data: LOGGING_CODE },
      {
        ...{ type: 4, ...FEES },
        authorizationList: [await sender.authorize({ address: RECEIVER, nonce: 9, chainId: CHAIN_ID })],
      },
    ];
    await call(url, 'evm_setAutomine', false);
    for (const [nonce, transaction] of signed.entries()) {
      const whole = { chainId: CHAIN_ID, gasLimit: 300_000n, to: RECEIVER, value: 5n, nonce, ...transaction };
      await call(url, 'eth_sendRawTransaction', await sender.signTransaction(whole));
    }
    if (form === 'op') {
      const deposit = [
        `0x${'22'.repeat(32)}`,
        RECEIVER,
        RECEIVER,
        '0x09',
        '0x08',
        '0x015f90',
        '0x',
        '0x1234',
      ];
      await call(url, 'eth_sendRawTransaction', `0x7e${encodeRlp(deposit).slice(2)}`);
    }
    await call(url, 'evm_mine');
    await call(url, 'anvil_mine', '0x3');
    const found = await verdicts(url, form);
    expect(found.map(([, verdict]) => verdict)).toEqual(found.map(() => 'computed'));
    expect(
      found
        .flatMap(([ofBlock]) => ofBlock.split(','))
        .filter((type) => type !== '')
        .sort(),
    ).toEqual(types.split(',').sort());
  });
  await withNode([flag, `--load-state=${state}`], async ({ url }) => {
    await call(url, 'evm_mine');
    const found = await verdicts(url, form);
    expect(found.length).toBeGreaterThan(4);
    expect(found.map(([, verdict]) => verdict)).toEqual(found.map(() => 'computed'));
  });
});
