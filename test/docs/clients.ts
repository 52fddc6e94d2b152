import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Contract, FetchRequest, id, JsonRpcProvider } from 'ethers';
import { createPublicClient, http } from 'viem';
import { ethers as ethersOfSite, viem as viemOfSite } from '../../docs/site/pages/start.ts';
import { BASE_URL_PLACEHOLDER } from '../../docs/site/serve-file.ts';
import { callNode } from '../../local/processes/node-calls.ts';
import { openAccount } from '../end-to-end/operator/account.ts';
import type { RunningGateway } from '../end-to-end/running-gateway.ts';
import { sampled } from '../support/at-length.ts';
import { run } from './run-command.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const NODE = join(PROJECT, 'node_modules', '.bin', 'node');
const README_URL = 'http://127.0.0.1:8080';
/** Calls of 10 CU each: more than an empty bucket of the free plan has in a second. */
const CALLS = 20;
const MAX_TRIES = 20;
const LOG_INTERVAL_MS = 300;
const SNIPPET_TIMEOUT_MS = 120_000;

/** Address of a contract that logs an event whenever it is called. */
const TELLER = `0x${'11'.repeat(20)}`;
const TRACE = ['debug_traceBlockByNumber', ['0x0']] as const;

/** The code blocks of a page in a language. */
function snippetsOf(page: string, language: string): string[] {
  const text = readFileSync(join(PROJECT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  );
}

const SCRIPTS: readonly (readonly [string, string])[] = [
  ...snippetsOf('README.md', 'ts').map((code, at) => [`README.md, ${at + 1}`, code] as const),
  ...snippetsOf('docs/json-rpc.md', 'ts').map((code, at) => [`docs/json-rpc.md, ${at + 1}`, code] as const),
  ['the site, viem', viemOfSite(31337)],
  ['the site, ethers', ethersOfSite()],
];
const COMMANDS = snippetsOf('README.md', 'sh').filter((code) => code.includes('curl'));

let gateway: RunningGateway;
let folder: string;
/** Key of an account whose plan has a small bucket. */
let smallKey: string;
/** Key of an account that has spent its balance. */
let poorKey: string;

const here = (code: string) =>
  code.replaceAll(README_URL, gateway.baseUrl).replaceAll(BASE_URL_PLACEHOLDER, gateway.baseUrl);

/** Has the teller tell, by the node itself. */
async function tellOnce(): Promise<void> {
  const topic = id('Told(uint256)').slice(2);
  // Writes 42 to the memory, and logs it with the topic.
  const code = `0x602a6000527f${topic}60206000a100`;
  const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  await callNode(gateway.endpoints.upstream ?? '', [
    { method: 'anvil_setCode', params: [TELLER, code] },
    { method: 'eth_sendTransaction', params: [{ from, to: TELLER, gas: '0x100000' }] },
  ]);
}

/** Leaves less than a trace costs in the bucket of the small key. */
async function spend(): Promise<void> {
  const call = { jsonrpc: '2.0', id: 1, method: TRACE[0], params: TRACE[1] };
  const headers = { 'x-api-key': smallKey, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(call) };
  for (let requests = 0; requests < 20; requests++) {
    if ((await fetch(`${gateway.baseUrl}/v1/`, init)).status === 429) return;
  }
}

/** What the pages say of clients is what they do. */
export function describeClients(running: () => RunningGateway): void {
  beforeAll(async () => {
    gateway = running();
    folder = mkdtempSync(join(tmpdir(), 'snippets-'));
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    ({ apiKey: smallKey } = await openAccount(gateway, { plan: 'free' }));
    ({ apiKey: poorKey } = await openAccount(gateway, { credit: 1 }));
    await createPublicClient({ transport: http(`${gateway.baseUrl}/v1/${poorKey}`) }).getBlock();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('what people copy', () => {
    test('is there', () => {
      expect([SCRIPTS.length, COMMANDS.length]).toEqual([7, 2]);
    });

    test.each(sampled(SCRIPTS))('runs: %s', async (name, code) => {
      const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mts`);
      writeFileSync(file, `const key = process.env.GATEWAY_KEY as string;\n${here(code)}`);
      const {
        code: exit,
        stdout,
        stderr,
      } = await run(NODE, [file], { GATEWAY_KEY: gateway.apiKey }, SNIPPET_TIMEOUT_MS);
      expect([exit, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/\d+n?\n$/);
    });

    test.each(COMMANDS)('runs: %s', async (command) => {
      const lines = here(command).replace(/^GATEWAY_KEY=.*$/m, '');
      const { code: exit, stdout } = await run(
        'bash',
        ['-ec', lines],
        { GATEWAY_KEY: gateway.apiKey },
        SNIPPET_TIMEOUT_MS,
      );
      expect([exit, stdout]).toEqual([0, expect.stringMatching(/^\{/)]);
    });
  });

  describe('ethers', () => {
    const connect = (options = {}, key = gateway.apiKey) => {
      const request = new FetchRequest(`${gateway.baseUrl}/v1/`);
      request.setHeader('x-api-key', key);
      return new JsonRpcProvider(request, 31337, { staticNetwork: true, ...options });
    };

    test('gets the events of a contract with its default options', async () => {
      const provider = connect();
      provider.pollingInterval = 100;
      const [ofContract, ofProvider] = [Promise.withResolvers<bigint>(), Promise.withResolvers<string>()];
      const contract = new Contract(TELLER, ['event Told(uint256 value)'], provider);
      await contract.on('Told', (value: bigint) => ofContract.resolve(value));
      await provider.on({ address: TELLER }, ({ data }: { data: string }) => ofProvider.resolve(data));
      // Until one comes after the first poll, which tells the provider from where on to look.
      const logging = setInterval(tellOnce, LOG_INTERVAL_MS);
      expect(await ofContract.promise).toBe(42n);
      expect(BigInt(await ofProvider.promise)).toBe(42n);
      clearInterval(logging);
      provider.destroy();
    });

    test('waits for the bucket with the options of the reference, as long as Retry-After says', async () => {
      await spend();
      const request = new FetchRequest(`${gateway.baseUrl}/v1/${smallKey}`);
      request.retryFunc = async (_request, { headers }, attempt) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(headers['retry-after'] ?? 1)));
        return attempt < 10;
      };
      const provider = new JsonRpcProvider(request, 31337, { staticNetwork: true, batchMaxCount: 100 });
      const addresses = Array.from({ length: CALLS }, (_, at) => `0x${String(at).padStart(40, '0')}`);
      const balances = await Promise.all(addresses.map((address) => provider.getBalance(address)));
      expect(balances).toHaveLength(CALLS);
      provider.destroy();
    });
  });

  describe('what clients print', () => {
    type Ask = (url: string, method: string, params: readonly unknown[], times?: number) => Promise<unknown>;

    const viem: Ask = (url, method, params, times = 1) => {
      const batch = times === 1 ? false : { batchSize: 1_000 };
      const client = createPublicClient({ transport: http(url, { retryCount: 0, batch }) });
      const call = { method, params } as Parameters<typeof client.request>[0];
      return Promise.all(Array.from({ length: times }, () => client.request(call, { dedupe: false })));
    };
    const ethers: Ask = async (url, method, params, times = 1) => {
      const request = new FetchRequest(url);
      request.retryFunc = async () => false;
      const options = { staticNetwork: true, batchMaxCount: 1_000 };
      const provider = new JsonRpcProvider(request, 31337, options);
      try {
        return await Promise.all(Array.from({ length: times }, () => provider.send(method, [...params])));
      } finally {
        provider.destroy();
      }
    };
    const wrongKey = `rgw_${'0'.repeat(64)}`;

    test.each<[string, Ask, () => Parameters<Ask>, string]>([
      ['404', viem, () => [`/v1/${wrongKey}`, 'eth_chainId', []], 'Status: 404'],
      ['404', ethers, () => [`/v1/${wrongKey}`, 'eth_chainId', []], 'server response 404 Not Found'],
      ['301', viem, () => ['/v1', 'eth_chainId', []], 'Unexpected end of JSON input'],
      ['301', ethers, () => ['/v1', 'eth_chainId', []], 'server response 301 Moved Permanently'],
      ['402', viem, () => [`/v1/${poorKey}`, 'eth_chainId', []], 'insufficient balance'],
      [
        '402 of a batch',
        viem,
        () => [`/v1/${poorKey}`, 'eth_chainId', [], 2],
        'An unknown RPC error occurred',
      ],
      ['402', ethers, () => [`/v1/${poorKey}`, 'eth_chainId', []], 'server response 402 Payment Required'],
      ['429', viem, () => [`/v1/${smallKey}`, ...TRACE], 'Request exceeds defined limit'],
      ['429', ethers, () => [`/v1/${smallKey}`, ...TRACE], 'server response 429'],
      ['101 calls', viem, () => [`/v1/${gateway.apiKey}`, 'eth_chainId', [], 101], "reading 'error'"],
      [
        '101 calls',
        ethers,
        () => [`/v1/${gateway.apiKey}`, 'eth_chainId', [], 101],
        'missing response for request',
      ],
      [
        '-32601',
        viem,
        () => [`/v1/${gateway.apiKey}`, 'eth_newFilter', [{}]],
        'The method "eth_newFilter" does not exist',
      ],
      ['-32601', ethers, () => [`/v1/${gateway.apiKey}`, 'eth_newFilter', [{}]], 'unsupported operation'],
    ])('%s: %s', async (condition, ask, asked, printed) => {
      const [path, ...call] = asked();
      const failing = () =>
        ask(`${gateway.baseUrl}${path}`, ...call).then(
          () => 'no failure',
          (error: Error) => error.message,
        );
      let failure = 'no failure';
      // A bucket that is empty is full again before a busy machine has sent the call.
      for (let tries = 0; tries < MAX_TRIES && failure === 'no failure'; tries += 1) {
        if (condition === '429') await spend();
        failure = await failing();
      }
      expect(failure).toContain(printed);
    });
  });
}
