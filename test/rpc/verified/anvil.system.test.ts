/** What a real node's proofs, blocks and receipts show comes out, and a proxy that alters them is not believed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { UnbilledErrors } from '../../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import { VerifiedCalls } from '../../../lambdas/rpc/verified/verified-calls.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import type { ChainSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { operatorsOf } from '../../../lambdas/shared/upstream/operators/operators.ts';
import { serveChain } from '../../../lambdas/shared/upstream/routing/serve-chain.ts';
import { proofOf } from '../../../lambdas/shared/verify/chain-proof.ts';
import { anvilBinary, nodeArguments } from '../../../local/processes/anvil.ts';
import { type EmbeddedProcess, startEmbeddedProcess } from '../../../local/processes/embedded-process.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { listen, type TestServer } from '../../support/listen.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { CHAIN } from '../cache/cache-world.ts';
import { MemoryCacheStore } from '../cache/memory-cache-store.ts';
import type { Answer } from './proven-chain.ts';

const CHAIN_ID = 31_337;
const SENDER = new Wallet('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const NOBODY = `0x${'de'.repeat(20)}`;
const GWEI = 10n ** 9n;
/** Stores 42 in slot 7 and 43 in slot 8, and makes a contract whose code is one byte that does nothing. */
const CREATION = '0x602a600755602b600855605b5f5360015ff3';
const START_MS = 60_000;
const REQUEST_MS = 20_000;

let folder: string;
let anvil: EmbeddedProcess;
let liar: TestServer;
/** Alters the bodies of the second node's responses. */
let alter = (body: string) => body;

async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(anvil.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await response.json()) as { result?: unknown }).result;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verified-rpc-'));
  anvil = await startEmbeddedProcess({
    name: 'anvil',
    command: await anvilBinary(),
    commandArguments: (address) => nodeArguments(address, CHAIN_ID),
    hidden: true,
    cwd: folder,
    isReady: async ({ url }) =>
      (
        await fetch(url, {
          method: 'POST',
          body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
          headers: { 'content-type': 'application/json' },
        })
      ).ok,
    stopTimeoutMs: START_MS,
  });
  const sent = {
    chainId: CHAIN_ID,
    gasLimit: 300_000n,
    maxFeePerGas: 10n * GWEI,
    maxPriorityFeePerGas: GWEI,
    type: 2,
  };
  for (const [nonce, rest] of [{ data: CREATION }, { to: NOBODY, value: 5n }].entries())
    await call('eth_sendRawTransaction', await SENDER.signTransaction({ ...sent, nonce, ...rest }));
  await call('anvil_mine', '0x2');
  liar = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(anvil.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, headers).end(alter(await answer.text()));
  });
});

afterAll(async () => {
  await liar?.close();
  await anvil?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(verify: string, calls: readonly (readonly [string, readonly unknown[]])[]) {
  const settings: ChainSettings = {
    ...CHAIN,
    chainId: CHAIN_ID,
    privateUpstreams: true,
    upstreams: [
      { url: anvil.url, operator: 'one' },
      { url: liar.url, operator: 'two' },
    ],
  };
  const telemetry = new RecordedTelemetry();
  const readSecret = async () => '';
  const node = serveChain(settings, { clock: systemClock, telemetry }, readSecret);
  try {
    const response = await handleRequest(
      {
        holder: { keyId: 'key', account: 'account' },
        chain: {
          ...{ settings, node, head: node.head, unbilledErrors: new UnbilledErrors(systemClock) },
          verified: new VerifiedCalls(node, operatorsOf(settings, readSecret), proofOf(settings)),
        },
        body: Buffer.from(
          JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))),
        ),
        deadline: systemClock.now() + REQUEST_MS,
        verify,
        clock: systemClock,
      },
      admittingMeter(),
      new ResponseCache({ clock: systemClock, store: new MemoryCacheStore() }),
    );
    await response?.conclude?.();
    const answers = JSON.parse(Buffer.concat(response?.body ?? []).toString()) as Answer[];
    return { answers, headers: response?.headers ?? {} };
  } finally {
    node.close();
  }
}

/** Calls of both levels, by level. */
async function allCalls() {
  const receipt = (await call('eth_getBlockByNumber', '0x1', true)) as { transactions: { hash: string }[] };
  const hash = receipt.transactions[0]?.hash ?? '';
  const { contractAddress } = (await call('eth_getTransactionReceipt', hash)) as { contractAddress: string };
  return {
    state: [
      ['eth_getBalance', [SENDER.address, 'latest']],
      ['eth_getBalance', [NOBODY, 'latest']],
      ['eth_getBalance', [`0x${'ab'.repeat(20)}`, 'latest']],
      ['eth_getTransactionCount', [SENDER.address, 'latest']],
      ['eth_getStorageAt', [contractAddress, '0x7', 'latest']],
      ['eth_getStorageAt', [contractAddress, '0x9', 'latest']],
      ['eth_getCode', [contractAddress, 'latest']],
      ['eth_getCode', [NOBODY, 'latest']],
      ['eth_getBalance', [NOBODY, '0x1']],
    ],
    block: [
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getBlockByNumber', ['0x1', true]],
      ['eth_getTransactionByHash', [hash]],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getBlockReceipts', ['0x2']],
    ],
  } as const;
}

test.each(['state', 'block'] as const)('all of a real node comes out: %s', async (level) => {
  alter = (body) => body;
  const { [level]: calls } = await allCalls();
  const { answers, headers } = await ask(level, calls);
  const truths = await Promise.all(calls.map(([method, params]) => call(method, ...params)));
  expect(answers.map(({ result, error }) => error ?? result)).toEqual(truths);
  expect(headers['X-Verified']).toMatch(new RegExp(`^${level};block=0x[0-9a-f]{64}, `));
});

test('what a node alters in proofs and blocks is given to nobody', async () => {
  const { state, block } = await allCalls();
  for (const [level, calls] of Object.entries({ state, block })) {
    const truths = await Promise.all(calls.map(([method, params]) => call(method, ...params)));
    for (const digit of ['3', '8', 'c']) {
      // Each long run of hex digits has one digit changed.
      alter = (body) =>
        body.replace(
          /0x([0-9a-f]{20})[0-9a-f]([0-9a-f]{100,})/g,
          (_, before, after) => `0x${before}${digit}${after}`,
        );
      const { answers } = await ask(level, calls);
      for (const [place, { result, error }] of answers.entries())
        if (error === undefined) expect(result).toEqual(truths[place]);
        else expect(error.data?.reason).toBe('not_verified');
    }
  }
});
