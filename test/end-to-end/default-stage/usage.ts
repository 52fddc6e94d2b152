import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run as runBillTool } from '../../../clients/gateway-bill/src/run.ts';
import { checkContract } from '../../api/contract.ts';
import { isOnlyOnAws, runbookCommands } from '../../docs/runbook-commands.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { openAccount, operate } from '../operator/account.ts';
import { sumByMethod, usageOf } from '../operator/charged-cu.ts';
import type { RunningGateway } from '../running-gateway.ts';

const HOUR_MS = 3_600_000;
/** Time in which a bill is made, on a busy machine. */
const MOST_OF_BILL_MS = 60_000;

interface HourOfUsage {
  readonly hour: string;
  readonly usage: Parameters<typeof sumByMethod>[0];
}

let gateway: RunningGateway;

const operator = (...words: string[]) => operate(gateway, ...words);

const rpc = (method: string, params: readonly unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params });

/**
 * What accounts used is what they were charged, and a bill that its customer checks holds.
 */
export function describeUsage(running: () => RunningGateway): void {
  beforeAll(() => {
    gateway = running();
  });

  test('what is called is seen through the operator, and adds up to what was charged', async () => {
    const { account, apiKey } = await openAccount(gateway, { credit: 1_000 });
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const post = async (body: object) => {
      const response = await fetch(`${gateway.baseUrl}/v1/`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      return Number(response.headers.get('x-cu-billed'));
    };
    const billed = [
      await post(rpc('eth_getBlockByNumber', ['latest', false])),
      await post([
        rpc('eth_getBlockByNumber', ['latest', true]),
        rpc('eth_getBalance', ['no address']),
        rpc('eth_subscribe'),
      ]),
      await post(rpc('eth_newFilter', [{}])),
      await post(rpc('eth_nobodyKnowsThis')),
    ];
    const list = await fetch(`${gateway.baseUrl}/v1/data/chains`, { headers });
    billed.push(Number(list.headers.get('x-cu-billed')));
    const total = billed.reduce((sum, cu) => sum + cu, 0);

    const lines = await usageOf(gateway, account, total);
    expect((await operator('account', 'show', account)).charged_cu).toBe(total);
    for (const { hour } of lines) expect(hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d$/);
    expect(sumByMethod(lines)).toEqual({
      '* data/listChains': [1, 1, 0, 0],
      'example_mainnet eth_getBalance': [1, 10, 0, 1],
      'example_mainnet eth_getBlockByNumber': [2, 10, 0, 0],
      'example_mainnet *10': [1, 10, 0, 1],
    });
    const told = await fetch(`${gateway.baseUrl}/v1/account/usage`, { headers });
    const received = {
      status: told.status,
      contentType: told.headers.get('content-type'),
      body: await told.text(),
    };
    const { data } = checkContract('listAccountUsage', received) as { readonly data: readonly HourOfUsage[] };
    expect(sumByMethod(data.flatMap(({ usage }) => usage))).toEqual(sumByMethod(lines));
    const settled = await fetch(`${gateway.baseUrl}/v1/account/settlements`, { headers });
    expect(await settled.json()).toEqual({ data: [] });
    const shown = await gateway.operator(['usage', account]);
    expect(shown.stdout).toMatch(/^HOUR +CHAIN +METHOD +CALLS +CU +CACHED +ERRORS\n/);
    expect(shown.stdout).toMatch(/\ntotal +5 +31 +0 +2\n$/);
  });

  testAtLength(
    'every command of the runbook that needs no account of AWS ends well on a local run',
    async () => {
      const commands = runbookCommands().filter((command) => !isOnlyOnAws(command));
      expect(commands.length).toBeGreaterThan(6);
      const run = async (command: string) => {
        const [, ...words] = command.replace('ACCOUNT', gateway.gatewayJson.demo_account).split(' ');
        const { code, stderr } = await gateway.operator(words);
        expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
      };
      // It only reads, and takes its time.
      const [reading, others] = [true, false].map((reads) =>
        commands.filter((command) => command.startsWith('operator usage') === reads),
      );
      const read = Promise.all((reading ?? []).map(run));
      for (const command of others ?? []) await run(command);
      await read;
    },
  );

  describe('the bill of a running gateway', () => {
    let folder: string;
    let account: string;
    let apiKey: string;
    let hour: string;
    let charged = 0;
    const headers: string[] = [];

    const call = async () => {
      const response = await fetch(`${gateway.baseUrl}/v1/`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(rpc('eth_getBalance', ['0x0000000000000000000000000000000000000001', 'latest'])),
      });
      await response.arrayBuffer();
      headers.push(response.headers.get('x-cu-lane') ?? 'nothing');
      charged += Number(response.headers.get('x-cu-billed'));
    };
    const callAndStore = async (calls: number) => {
      for (let one = 0; one < calls; one += 1) await call();
      await usageOf(gateway, account, charged);
      writeFileSync(join(folder, 'headers.txt'), headers.join('\n'));
    };
    const settle = () => operator('settle', '--hour', hour, '--force');
    const tool = async (...args: readonly string[]) => {
      const lines: string[] = [];
      const code = await runBillTool(args, { GATEWAY_KEY: apiKey }, (line) => lines.push(line));
      return { code, text: lines.join('\n') };
    };
    const fetchBill = () => tool('fetch', folder, '--url', gateway.baseUrl);
    const verify = () =>
      tool(
        ...['verify', folder, '--account', account, '--heads', gateway.baseUrl],
        ...['--key', join(folder, 'key.txt')],
      );

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'bill-'));
      // All of it is of one hour.
      const leftMs = HOUR_MS - (Date.now() % HOUR_MS);
      if (leftMs < MOST_OF_BILL_MS) await sleep(leftMs);
      ({ account, apiKey } = await openAccount(gateway));
      await operator('seal');
      await callAndStore(8);
      hour = String(headers[0]).slice(0, 13);
      expect((await fetchBill()).text).toMatch(/ and [12] receipts\.$/);
      await settle();
      await callAndStore(4);
      await settle();
      await operator('seal');
      writeFileSync(join(folder, 'key.txt'), (await gateway.operator(['bill', 'keys'])).stdout);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('passes every check, with its receipts, by the keys that the operator prints', async () => {
      expect(await fetchBill()).toMatchObject({ code: 0, text: expect.stringContaining('2 settlements') });
      const { code, text } = await verify();
      expect([code, text.match(/^(?:FAILED|note).*$/gm)]).toEqual([0, null]);
      expect(text.match(/^ok/gm)).toHaveLength(13);
      expect(text).toContain(`2 records of ${account} bill 0 units.`);
    });

    test('has heads that anybody reads as they are stored, and may keep', async () => {
      const get = async (path: string, init?: RequestInit) => {
        const response = await fetch(`${gateway.baseUrl}/v1/heads/${path}`, init);
        return { status: response.status, headers: response.headers, text: await response.text() };
      };
      const bucket = join(gateway.dataDir, 'objects', String(gateway.gatewayJson.outputs.HeadsBucketName));
      const first = await get('1');
      expect([first.status, first.text]).toEqual([
        200,
        readFileSync(join(bucket, 'heads', '1.json'), 'utf8'),
      ]);
      expect(first.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(first.headers.get('access-control-allow-origin')).toBe('*');
      expect((await get('1', { method: 'HEAD' })).status).toBe(200);
      const latest = await get('latest');
      expect(latest.headers.get('cache-control')).toBe('public, max-age=60');
      const { root } = JSON.parse(JSON.parse(latest.text).head);
      expect((await get(`leaves/${root}`)).text).toBe(readFileSync(join(bucket, 'leaves', root), 'utf8'));
      const { certificate } = JSON.parse((await get(`certificates/${hour.slice(0, 10)}.1.json`)).text);
      expect(JSON.parse(certificate).day).toBe(hour.slice(0, 10));
      expect(await get('999999999')).toMatchObject({
        status: 404,
        text: expect.stringContaining('"not_found"'),
      });
      for (const wrong of ['0', '01', '1000000000', 'one', '..%2fheads%2f1', 'leaves/one', 'issuer'])
        expect({ wrong, ...(await get(wrong)) }).toMatchObject({
          status: 400,
          text: expect.stringContaining('"bad_request"'),
        });
    });

    test('tells of a head that was deleted, or replaced by another one', async () => {
      const bucket = join(gateway.dataDir, 'objects', String(gateway.gatewayJson.outputs.HeadsBucketName));
      const [first, second] = ['1', '2'].map((number) => join(bucket, 'heads', `${number}.json`));
      const kept = readFileSync(String(second));
      rmSync(String(second));
      expect(await verify()).toMatchObject({ code: 10, text: expect.stringContaining('cannot be read') });
      writeFileSync(String(second), readFileSync(String(first)));
      expect(await verify()).toMatchObject({ code: 11, text: expect.stringContaining('comes after head 1') });
      writeFileSync(String(second), kept);
      expect(await verify()).toMatchObject({ code: 0 });
    });
  });
}
