import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createClient } from '../../../clients/typescript/src/client.ts';
import { NotFoundError, ProofError } from '../../../clients/typescript/src/errors.ts';
import { verifyProof } from '../../../clients/typescript/src/proof/verify-proof.ts';
import { type DataOperationId, OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import { callNode } from '../../../local/processes/node-calls.ts';
import { checkContract } from '../../api/contract.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { untilTrue } from '../../support/until-true.ts';
import { callAgentTool, MESSAGE_HEADERS, mcpMessage, withAgent } from '../clients/mcp-client.ts';
import { compareChain } from '../node-comparison/compare-chain.ts';
import { type OpenedAccount, openAccount, operate } from '../operator/account.ts';
import { sumByMethod, usageOf } from '../operator/charged-cu.ts';
import type { RunningGateway } from '../running-gateway.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const CHAIN = 'example_mainnet';
/** For a busy machine. */
const TRUE_WITHIN_MS = 180_000;
/** More calls than a plan of one request a second lets pass, however slowly they are sent. */
const CALLS_AT_ONCE = 40;
const POLL_MS = 250;
/** Values of the demo chain that are compared with its node, and those that may differ for a known cause. */
const LEAST_COMPARED = 50_000;
const MOST_EXPLAINED = 50;
const COMPARED_WITHIN_MS = 240_000;
/** Plans of the stage: however fast the machine is, these tests stay below the first. */
export const DATA_PLANS = {
  fast: { bucketCapacity: 100_000, refillPerSecond: 10_000 },
  slow: { bucketCapacity: 1_000, refillPerSecond: 100, requestsPerSecond: 1 },
};
const UNKNOWN_KEY = `rgw_${'0'.repeat(64)}`;

let gateway: RunningGateway;
let reader: OpenedAccount;
let rows: pg.Client;
/** A value for each parameter that a path has, of rows that are there. */
let samples: Readonly<Record<string, string>>;

async function prepare(): Promise<void> {
  reader = await openAccount(gateway, { plan: 'fast' });
  rows = new pg.Client({ connectionString: gateway.endpoints.database });
  await rows.connect();
  samples = await sampleRows();
}

function until(condition: () => Promise<boolean>): Promise<void> {
  return untilTrue(condition, {
    withinMs: TRUE_WITHIN_MS,
    everyMs: POLL_MS,
    failure: () => `not so in time:\n${gateway.logs()}`,
  });
}

async function one(sql: string): Promise<string> {
  const { rows: found } = await rows.query<Record<string, string>>(sql.replaceAll('{schema}', CHAIN));
  return Object.values(found[0] ?? {})[0] ?? '';
}

async function sampleRows(): Promise<Readonly<Record<string, string>>> {
  const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
  const traded = (kind: 'pool' | 'token', further = 'true') =>
    `SELECT ${hex('subject')} FROM {schema}.candles
     WHERE subject_kind = '${kind}' AND interval_seconds = 3600 AND ${further}
     ORDER BY start_time DESC, trades DESC, subject`;
  const item = 'FROM {schema}.nft_owners AS item WHERE standard = 721 ORDER BY item.token, item.token_id';
  const found = {
    number: await one('SELECT max(block_number)::text FROM {schema}.dex_swaps WHERE block_number <= 700'),
    hash: await one(
      `SELECT ${hex('tx_hash')} FROM {schema}.dex_swaps WHERE block_number <= 700 ORDER BY block_number DESC`,
    ),
    blockHash: await one(`SELECT ${hex('hash')} FROM {schema}.blocks WHERE number = 400`),
    address: await one(`SELECT ${hex('trader')} FROM {schema}.dex_swaps ORDER BY block_number, log_index`),
    token: await one(traded('token')),
    collection: await one(`SELECT ${hex('token')} ${item}`),
    token_id: await one(`SELECT item.token_id::text ${item}`),
    stock: await one(traded('token', 'subject IN (SELECT token FROM {schema}.stock_multipliers)')),
    pool: await one(traded('pool')),
    dataset: 'traces',
  };
  const missing = Object.keys(found).filter((name) => found[name as keyof typeof found] === '');
  if (missing.length > 0) throw new Error(`the demo chain has no ${missing.join(', no ')}`);
  return found;
}

/** Values of the required parameters of an operation. */
function valuesOf(operationId: DataOperationId) {
  const { parameters } = OPERATIONS[operationId];
  const needed = parameters.filter(
    ({ name, in: place, required }) => place === 'path' || required || name === 'address',
  );
  return needed.map((parameter) => ({ ...parameter, value: sampleOf(operationId, parameter.name) }));
}

/** Path of an operation with its required parameters. */
function pathOf(operationId: DataOperationId): string {
  const query = new URLSearchParams();
  const filled = valuesOf(operationId).reduce(
    (text, { name, in: place, value }) => {
      if (place === 'query') query.set(name, value);
      return text.replace(`{${name}}`, value);
    },
    OPERATIONS[operationId].path.replace('{chain}', CHAIN),
  );
  return `/v1/data${filled}${query.size === 0 ? '' : `?${query}`}`;
}

function sampleOf(operationId: DataOperationId, name: string): string {
  if (operationId === 'getBlockByHash') return sample('blockHash');
  if (operationId === 'getBlockByTime' && name === 'time')
    return new Date(Date.now() - 86_400_000 * 3).toISOString();
  if (operationId === 'listLogs') return sample('token');
  if (name === 'tokens' || name === 'addresses') return sample('token');
  if (name === 'hashes') return sample('hash');
  if (name === 'token' && /Nft(Collection|Item|Owner|Transfer)/.test(operationId))
    return sample('collection');
  if (name === 'token' && operationId.includes('Stock')) return sample('stock');
  return sample(name);
}

function sample(name: string): string {
  const value = samples[name];
  if (value === undefined) throw new Error(`there is no sample of ${name}`);
  return value;
}

async function get(path: string, key = reader.apiKey) {
  const response = await fetch(`${gateway.baseUrl}${path}`, { headers: { 'x-api-key': key } });
  const body = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    contentType: response.headers.get('content-type'),
    body,
  };
}

/** Rates are limited: one call after the other, and no more than the plan refills. */
const pace = () => new Promise((resolve) => setTimeout(resolve, 20));

/** Its node has no consensus layer, so there are no withdrawals. */
const ABSENT_FROM_THE_DEMO_CHAIN: ReadonlySet<string> = new Set(['listAddressWithdrawals']);

const OPERATION_IDS = Object.keys(OPERATIONS) as DataOperationId[];

/**
 * The Data API is, of every operation, what its description and the node say.
 * @param running a stage with DATA_PLANS, whose chain is the demo chain and indexed
 */
export function describeDataApi(running: () => RunningGateway): void {
  beforeAll(async () => {
    gateway = running();
    await prepare();
  });
  afterAll(() => rows?.end());

  describe('every operation', () => {
    test.each(OPERATION_IDS)('%s answers as the description says', async (operationId) => {
      await pace();
      const received = await get(pathOf(operationId));
      if (received.status !== 200) throw new Error(`${received.status}: ${received.body}`);
      const { data } = checkContract(operationId, received) as { readonly data?: object };
      if (!ABSENT_FROM_THE_DEMO_CHAIN.has(operationId)) expect(Object.keys(data ?? {})).not.toEqual([]);
      expect(received.headers.get('x-cu-billed')).toBe(String(OPERATIONS[operationId].computeUnits));
    });
  });

  testAtLength(
    'the whole chain up to its finalized block is, value by value, what the node says',
    async () => {
      const compared = await compareChain({
        baseUrl: gateway.baseUrl,
        apiKey: reader.apiKey,
        node: gateway.endpoints.upstream,
      });
      expect(compared.unexplained).toEqual([]);
      expect(compared.total).toBeGreaterThan(LEAST_COMPARED);
      const explained = [...compared.differences.values()].flat();
      expect(explained.length).toBeLessThan(MOST_EXPLAINED);
    },
    COMPARED_WITHIN_MS,
  );

  describe('the typed client', () => {
    const connect = (apiKey = reader.apiKey) =>
      createClient({ baseUrl: gateway.baseUrl, apiKey, chain: CHAIN });

    test('verifies the proof of a log by the hash that the node has for its block', async () => {
      const client = connect();
      const { data: logs } = await client.get('listTransactionLogs', { hash: sample('hash') });
      const last = logs.at(-1);
      if (last === undefined) throw new Error('the transaction has no log');
      const wanted = { hash: sample('hash'), log_index: last.log_index };
      const { data: proof, request } = await client.get('getTransactionProof', wanted);
      expect([request.cuBilled, proof.hash]).toEqual([20, 'single']);
      const [block, sent] = (await callNode(gateway.endpoints.upstream, [
        { method: 'eth_getBlockByNumber', params: [`0x${proof.block_number.toString(16)}`, false] },
        { method: 'eth_getTransactionByHash', params: [sample('hash')] },
      ])) as readonly Record<string, string>[];
      const proven = verifyProof(proof, block?.hash ?? '');
      expect(proven.transaction).toMatchObject({ hash: sample('hash'), input: sent?.input, to: sent?.to });
      expect(proven.block.number).toBe(BigInt(proof.block_number));
      expect(proven.receipt.logs).toHaveLength(logs.length);
      const { address, topics, data } = last;
      expect(proven.log).toEqual({ address, topics, data, place: logs.length - 1 });
      expect(() => verifyProof(proof, String(block?.parentHash))).toThrow(ProofError);
    });

    test('reads a list to its end, page by page, as the database has it', async () => {
      const told: string[] = [];
      for await (const { block_number, log_index } of connect().rows('listTrades', {
        limit: 100,
        order: 'asc',
      }))
        told.push(`${block_number} ${log_index}`);
      const { rows: stored } = await rows.query<{ place: string }>(
        `SELECT block_number || ' ' || log_index AS place FROM ${CHAIN}.dex_swaps
       WHERE block_number <= 704 ORDER BY block_number, log_index`,
      );
      expect(told.length).toBeGreaterThan(100);
      expect(told).toEqual(stored.map(({ place }) => place));
    });

    test('reads account, status and chains', async () => {
      const client = connect();
      const [account, status, { chains }] = await Promise.all([
        client.account(),
        client.status(),
        client.chains(),
      ]);
      expect(account).toMatchObject({ account: reader.account, balance_cu: expect.any(Number) });
      expect(status.chains.map(({ chain }) => chain)).toContain(CHAIN);
      expect(chains.map(({ chain }) => chain)).toContain(CHAIN);
      expect((await client.get('listAccountUsage', { limit: 1 })).data).toBeInstanceOf(Array);
    });

    test.each([
      [
        'clients/typescript/README.md',
        /^0x[0-9a-f]{64} 704 5\n(0x[0-9a-f]{40} 0x[0-9a-f]{40} 0x[0-9a-f]{40} \d+\n)+\d+n 0x[0-9a-f]{40} (?:true|false)\nfinality_exceeded\n$/,
      ],
      [
        'docs/data-api.md',
        /^(\d{4}-[\dT:-]+Z [\d.]+\n|.*null\n)+example_mainnet \[[^\]]*value_usd: '[\d.]+'[^\]]*\]\n$/,
      ],
    ])('does what %s shows', async (page, output) => {
      const source = join(PROJECT, 'clients', 'typescript', 'src');
      const code = [...readFileSync(page, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
        ([, shown]) => shown,
      );
      const program = code
        .join('\n')
        .replaceAll("'blockchain-data-gateway-client/errors'", `'${join(source, 'errors.ts')}'`)
        .replaceAll("'blockchain-data-gateway-client/proof'", `'${join(source, 'proof', 'verify-proof.ts')}'`)
        .replaceAll("'blockchain-data-gateway-client'", `'${join(source, 'client.ts')}'`)
        .replaceAll('http://127.0.0.1:8080', gateway.baseUrl);
      const script = `const key = process.env.GATEWAY_KEY as string;\n${program}`;
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module-typescript', '--eval', script],
        { env: { ...process.env, GATEWAY_KEY: reader.apiKey } },
      );
      expect(stdout).toMatch(output);
    });
  });

  describe('the default chain', () => {
    test('is served directly below /v1 as well', async () => {
      for (const path of [
        '/blocks/5',
        '/status/freshness',
        `/addresses/${sample('address')}/transfers`,
        '/transactions',
      ]) {
        await pace();
        const [direct, named] = [await get(`/v1${path}`), await get(`/v1/data/${CHAIN}${path}`)];
        expect(direct.status).toBe(200);
        if (path !== '/status/freshness')
          expect(JSON.parse(direct.body).data).toEqual(JSON.parse(named.body).data);
      }
    });
  });

  describe('finality=latest', () => {
    test('tells the blocks and transactions above the finalized one as the node has them', async () => {
      const listed = async (list: string) =>
        JSON.parse((await get(`/v1/${list}?finality=latest&order=asc&from_block=705&limit=500`)).body).data;
      const [blocks, transactions] = [await listed('blocks'), await listed('transactions')];
      const responses = (await callNode(
        gateway.endpoints.upstream,
        Array.from({ length: 256 }, (_, index) => ({
          method: 'eth_getBlockByNumber',
          params: [`0x${(705 + index).toString(16)}`, false],
        })),
      )) as { readonly hash: string; readonly transactions: readonly string[] }[];
      expect(blocks.map(({ hash }: { hash: string }) => hash)).toEqual(responses.map(({ hash }) => hash));
      const hashes = transactions.map(({ hash }: { hash: string }) => hash);
      expect(hashes).toEqual(responses.flatMap((block) => block.transactions).slice(0, hashes.length));
      for (const row of [...blocks, ...transactions]) expect(row.finalized).toBe(false);
    });

    /** Rows of a batch have theirs within. */
    const takes = (id: DataOperationId) =>
      OPERATIONS[id].perItem === undefined &&
      OPERATIONS[id].parameters.some(({ name }) => name === 'finality');

    test.each(OPERATION_IDS.filter(takes))(
      'is answered by %s as the description says',
      async (operationId) => {
        await pace();
        const path = pathOf(operationId);
        const received = await get(`${path}${path.includes('?') ? '&' : '?'}finality=latest`);
        if (received.status !== 200) throw new Error(`${received.status}: ${received.body}`);
        const { data } = checkContract(operationId, received) as { readonly data: object };
        for (const row of [data].flat()) expect(row).toHaveProperty('finalized');
      },
    );
  });

  test('include=token tells what each contract answers to symbol() and decimals()', async () => {
    const { data } = JSON.parse((await get('/v1/transfers?standard=erc20&include=token&limit=500')).body);
    const told = new Map<string, readonly [symbol: string | null, decimals: number | null]>();
    for (const { token, token_symbol, token_decimals } of data)
      told.set(token, [token_symbol, token_decimals]);
    // The demo chain has tokens that revert, which the node refuses to call.
    const tokens = [...told].filter(([, said]) => !said.includes(null)).map(([token]) => token);
    const call = (to: string, selector: string) => ({
      method: 'eth_call',
      params: [{ to, data: selector }, 'latest'],
    });
    const responses = (await callNode(
      gateway.endpoints.upstream,
      tokens.flatMap((token) => [call(token, '0x95d89b41'), call(token, '0x313ce567')]),
    )) as string[];
    const symbolOf = (response: string) => {
      const bytes = Buffer.from(response.slice(2), 'hex');
      const text = bytes.length === 32 ? bytes : bytes.subarray(64, 64 + bytes.readUInt32BE(60));
      return text.toString().replaceAll(/[\0\ufffd]/g, '');
    };
    expect(tokens.length).toBeGreaterThan(3);
    for (const [index, token] of tokens.entries())
      expect([token, told.get(token)]).toEqual([
        token,
        [symbolOf(responses[2 * index] ?? ''), Number(responses[2 * index + 1])],
      ]);
  });

  test('100 transactions at once are those that the node has, and the one that it does not have is unknown', async () => {
    const listed = JSON.parse((await get('/v1/transactions?limit=100&order=asc')).body).data;
    const hashes: string[] = listed.map(({ hash }: { hash: string }) => hash);
    hashes[50] = `0x${'0'.repeat(64)}`;
    const response = await get(`/v1/batch/transactions?hashes=${hashes.join(',')}`);
    expect(response.headers.get('x-cu-billed')).toBe(String(99 * OPERATIONS.getTransactions.computeUnits));
    const { data } = JSON.parse(response.body);
    const call = (hash: string) => ({ method: 'eth_getTransactionByHash', params: [hash] });
    const known = hashes.filter((_, index) => index !== 50);
    const asked = (await callNode(gateway.endpoints.upstream, known.map(call))) as Record<string, string>[];
    expect(
      data.map(({ hash, error, transaction: t }: Record<string, Record<string, string> | string | null>) =>
        error === null && t !== null && typeof t === 'object'
          ? [hash, t.block_number, t.from, t.value]
          : [hash, error],
      ),
    ).toEqual(
      hashes.map((hash) => {
        const node = asked.find((one) => one.hash === hash);
        return node === undefined
          ? [hash, 'not_found']
          : [hash, Number(node.blockNumber), node.from, BigInt(node.value ?? 0).toString()];
      }),
    );
  });

  test('pools by liquidity, by pair and tokens by search are what the contracts say of themselves', async () => {
    const listed = JSON.parse((await get('/v1/dex/pools?sort=liquidity&include=token')).body).data;
    const contracts = listed.filter(({ protocol }: { protocol: string }) => protocol !== 'uniswap_v4');
    expect(contracts.length).toBeGreaterThan(0);
    for (const { pool_id, token0, token1, token0_symbol } of contracts.slice(0, 3)) {
      await pace();
      const call = (data: string) => ({ method: 'eth_call', params: [{ to: pool_id, data }, 'latest'] });
      const responses = (await callNode(gateway.endpoints.upstream, [
        call('0x0dfe1681'),
        call('0xd21220a7'),
      ])) as string[];
      expect(responses.map((response) => `0x${response.slice(-40)}`)).toEqual([token0, token1]);
      const pair = JSON.parse((await get(`/v1/dex/pools?token0=${token1}&token1=${token0}`)).body).data;
      expect(pair.map((pool: { pool_id: string }) => pool.pool_id)).toContain(pool_id);
      const found = JSON.parse(
        (await get(`/v1/tokens?search=${encodeURIComponent(token0_symbol)}`)).body,
      ).data;
      expect(found.map(({ address }: { address: string }) => address)).toContain(token0);
    }
  });

  describe('exports', () => {
    const BY_EVENT = { known_by: 'approved', allowance: null, allowance_block: null };
    const LISTS = OPERATION_IDS.filter((id) => OPERATIONS[id].paged);

    test.each(LISTS)('%s is one file of the rows of its pages', async (operationId) => {
      await pace();
      const path = pathOf(operationId);
      const { status, contentType, headers, body } = await get(
        `${path}${path.includes('?') ? '&' : '?'}format=ndjson`,
      );
      if (status !== 200) throw new Error(`${status}: ${body}`);
      expect([contentType, headers.get('x-cu-billed')]).toEqual(['application/x-ndjson', null]);
      const lines = body
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      expect(lines.pop()).toMatchObject({ end: { complete: true, rows: lines.length } });
      const { data } = JSON.parse((await get(path)).body) as { readonly data: readonly object[] };
      // A file has what events say: no node is asked for what is left of approvals.
      const rows =
        operationId === 'listAddressApprovals' ? data.map((row) => ({ ...row, ...BY_EVENT })) : data;
      expect(lines.slice(0, 50)).toEqual(rows.slice(0, lines.length));
    });

    test('that its client leaves is billed no more than its most rows cost', async () => {
      const credit = 100_000;
      const { apiKey: key } = await openAccount(gateway, { credit });
      const leaving = new AbortController();
      const response = await fetch(`${gateway.baseUrl}/v1/transfers?format=ndjson&max_rows=1000`, {
        headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
        signal: leaving.signal,
      });
      const most = 10 + (1_000 - 100) / 20;
      expect([response.status, response.headers.get('x-cu-max')]).toEqual([200, String(most)]);
      await response.body?.getReader().read();
      leaving.abort();
      const billed = async () => credit - Number(JSON.parse((await get('/v1/account', key)).body).balance_cu);
      await until(async () => (await billed()) > 0);
      // The function continues to the end of the file, as on Lambda; its place is free again then.
      const next = await get('/v1/transfers?format=ndjson&max_rows=100', key);
      expect([next.status, await billed()]).toEqual([200, expect.any(Number)]);
      expect(await billed()).toBeLessThanOrEqual(most + 10);
    });

    test('of the logs of a token are those that the node has, compressed too', async () => {
      const filter = { address: sample('token'), fromBlock: '0x0', toBlock: `0x${(704).toString(16)}` };
      const [logs] = (await callNode(gateway.endpoints.upstream, [
        { method: 'eth_getLogs', params: [filter] },
      ])) as [{ readonly blockNumber: string; readonly logIndex: string; readonly data: string }[]];
      for (const coding of ['identity', 'gzip', 'br']) {
        const headers = { 'x-api-key': reader.apiKey, 'accept-encoding': coding };
        const path = `/v1/logs?address=${filter.address}&from_block=0&to_block=704&order=asc&format=ndjson`;
        const response = await fetch(`${gateway.baseUrl}${path}`, { headers });
        expect([response.status, response.headers.get('content-encoding')]).toEqual([
          200,
          coding === 'identity' ? null : coding,
        ]);
        const lines = (await response.text())
          .split('\n')
          .slice(0, -2)
          .map((line) => JSON.parse(line));
        expect(lines.map(({ block_number, log_index, data }) => [block_number, log_index, data])).toEqual(
          logs.map(({ blockNumber, logIndex, data }) => [Number(blockNumber), Number(logIndex), data]),
        );
      }
    });
  });

  describe('keys', () => {
    test('without balance get 402, and those over their limit 429, in the envelope of the Data API', async () => {
      const { account, apiKey: poor } = await openAccount(gateway, { credit: 0, plan: 'slow' });
      const broke = await get('/v1/blocks/5', poor);
      expect(broke.status).toBe(402);
      checkContract('getBlock', broke);
      await operate(gateway, 'account', 'credit', account, '100000', '--reference', 'one');
      await until(async () => (await get('/v1/blocks/5', poor)).status !== 402);
      const responses = await Promise.all(
        Array.from({ length: CALLS_AT_ONCE }, () => get('/v1/blocks/5', poor)),
      );
      const limited = responses.filter(({ status }) => status === 429);
      expect(limited.length).toBeGreaterThan(0);
      for (const response of limited) checkContract('getBlock', response);
      expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    });
  });

  test('paths that no function serves are empty 404s of API Gateway, which its content type tells', async () => {
    for (const path of [`/v1/${CHAIN}/blocks/5`, '/v1/account/nothing', '/v2/data/chains']) {
      const { status, body, headers } = await get(path);
      expect([path, status, body, headers.get('content-type')]).toEqual([path, 404, '', 'application/json']);
    }
    expect((await get('/v1/data/chains', UNKNOWN_KEY)).headers.get('content-type')).toBe('text/plain');
  });

  describe('an agent', () => {
    /** Method, arguments of its tool, and its parameters. */
    const rpcCalls = () => {
      const [address, to] = [sample('address'), sample('token')];
      return [
        ['eth_blockNumber', {}, []],
        ['eth_getBalance', { address }, [address, 'latest']],
        ['eth_call', { to, data: '0x95d89b41' }, [{ to, data: '0x95d89b41' }, 'latest']],
        // Reverts, which the node tells, and is paid for.
        ['eth_call', { to, data: '0xffffffff' }, [{ to, data: '0xffffffff' }, 'latest']],
      ] as const;
    };

    async function open(credit: number) {
      const { account, apiKey: key } = await openAccount(gateway, { credit });
      return { key, usage: async (cu: number) => sumByMethod(await usageOf(gateway, account, cu)) };
    }

    /** Calls, compute units, cached and errors of all methods. */
    const sumOf = (usage: Readonly<Record<string, readonly number[]>>) =>
      [0, 1, 2, 3].map((place) => Object.values(usage).reduce((sum, line) => sum + (line[place] ?? 0), 0));

    /** An answer without what differs from one request, or one account, to the next. */
    const lasting = (text: string) => {
      const { meta, next_cursor, ...response } = JSON.parse(text);
      return { ...response, isLast: next_cursor === undefined };
    };

    testAtLength('gets from each tool what its operation or method answers, for the same bill', async () => {
      const [caller, agent] = [await open(100_000), await open(100_000)];
      const told: unknown[] = [];
      let cu = 0;
      for (const operationId of OPERATION_IDS) {
        const received = await get(pathOf(operationId), caller.key);
        cu += Number(received.headers.get('x-cu-billed'));
        told.push([operationId, lasting(received.body)]);
      }
      for (const [method, , params] of rpcCalls()) {
        const response = await fetch(`${gateway.baseUrl}/v1/`, {
          method: 'POST',
          headers: { 'x-api-key': caller.key },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        });
        cu += Number(response.headers.get('x-cu-billed'));
        const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
        told.push([method, error === undefined ? result : { error }]);
      }
      const byTools = await withAgent(`${gateway.baseUrl}/v1/mcp`, agent.key, async (client) => {
        const responses: unknown[] = [];
        for (const operationId of OPERATION_IDS) {
          const given = valuesOf(operationId).map(({ name, kind, value }) => [
            name,
            kind === 'height' || kind === 'integer' ? Number(value) : value,
          ]);
          const { texts } = await callAgentTool(client, operationId, Object.fromEntries(given));
          responses.push([operationId, lasting(texts[0] ?? '')]);
        }
        for (const [method, given] of rpcCalls()) {
          const { texts } = await callAgentTool(client, method, given);
          responses.push([method, JSON.parse(texts[0] ?? '')]);
        }
        return responses;
      });
      for (const [index, response] of byTools.entries()) {
        // What is measured anew each time has no lasting value.
        if (OPERATION_IDS[index] !== 'getFreshness') expect(response).toEqual(told[index]);
      }
      const [byAgent, byCaller] = [await agent.usage(cu), await caller.usage(cu)];
      expect(sumOf(byAgent)).toEqual(sumOf(byCaller));
      // Where one process was asked for many methods, some are told together.
      const apart = Object.keys(byAgent).filter(
        (name) => !name.includes(' *') && byCaller[name] !== undefined,
      );
      expect(apart.length).toBeGreaterThan(10);
      for (const name of apart) expect([name, byAgent[name]]).toEqual([name, byCaller[name]]);
    });

    test('needs no more than a URL, pages as the answer says, and pays nothing for a mistake', async () => {
      const { key, usage } = await open(100);
      await withAgent(`${gateway.baseUrl}/v1/mcp/${key}?toolsets=blocks`, undefined, async (client) => {
        expect((await client.listTools()).tools.map(({ name }) => name)).toContain('getBlock');
        const read = async (given: object) =>
          JSON.parse(
            (await callAgentTool(client, 'listBlocks', { order: 'asc', limit: 2, ...given })).texts[0] ?? '',
          );
        const first = await read({});
        const second = await read({ cursor: first.next_cursor });
        expect([...first.data, ...second.data].map(({ number }) => number)).toEqual([0, 1, 2, 3]);
        for (const given of [{ limit: 101 }, { no_such: 1 }, { from_block: 9_999_999 }, { chain: 'nowhere' }])
          expect(await callAgentTool(client, 'listBlocks', given)).toMatchObject({ isError: true });
        await expect(client.callTool({ name: 'eth_sendRawTransaction' })).rejects.toThrow('unknown tool');
      });
      const billed = 2 * OPERATIONS.listBlocks.computeUnits;
      expect(await usage(billed)).toEqual({ [`${CHAIN} data/listBlocks`]: [2, billed, 0, 0] });
    });

    test('reads a portfolio as the typed client does, names the chain that is not there, and pays for the other', async () => {
      const { key, usage } = await open(1_000);
      const [address, names] = [sample('address'), [CHAIN, 'nowhere']];
      const { texts } = await withAgent(`${gateway.baseUrl}/v1/mcp`, key, (client) =>
        callAgentTool(client, 'getPortfolio', { address, chains: names, limit: 100 }),
      );
      const client = createClient({ baseUrl: gateway.baseUrl, apiKey: key });
      const { chains, complete, cuBilled } = await client.portfolio(address, { chains: names });
      const told = JSON.parse(texts[0] ?? '').data as {
        chain: string;
        error: string | null;
        totals?: unknown;
      }[];
      expect(told.map(({ chain, error, totals }) => [chain, error, totals])).toEqual(
        chains.map(({ chain, error, totals }) => [
          chain,
          error instanceof NotFoundError ? error.reason : null,
          totals,
        ]),
      );
      expect(chains.map(({ error }) => error?.constructor)).toEqual([undefined, NotFoundError]);
      expect(chains[0]?.totals?.[0]?.balances).toBeGreaterThan(0);
      const { computeUnits } = OPERATIONS.listAddressBalanceValues;
      expect([complete, cuBilled]).toEqual([false, computeUnits]);
      expect(await usage(2 * computeUnits)).toEqual({
        [`${CHAIN} data/listAddressBalanceValues`]: [2, 2 * computeUnits, 0, 0],
      });
    });

    test('without a key, or with an unknown one, finds nothing; what is no message is answered so', async () => {
      const url = `${gateway.baseUrl}/v1/mcp`;
      const ask = async (method: string, path: string, key: string, body?: string) => {
        const headers = { ...MESSAGE_HEADERS, 'x-api-key': key };
        const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
        return [response.status, response.headers.get('allow'), (await response.text()).slice(0, 80)];
      };
      const ping = mcpMessage('ping');
      expect(await ask('POST', '', reader.apiKey, ping)).toEqual([
        200,
        null,
        expect.stringContaining('"result":{}'),
      ]);
      expect(await ask('POST', '', '', ping)).toEqual([404, null, '']);
      expect(await ask('POST', '', UNKNOWN_KEY, ping)).toEqual([404, null, '']);
      // The key of the path wins.
      expect(await ask('POST', `/${UNKNOWN_KEY}`, reader.apiKey, ping)).toEqual([404, null, '']);
      for (const method of ['GET', 'DELETE'])
        expect([
          await ask(method, '', reader.apiKey),
          await ask(method, `/${reader.apiKey}`, ''),
          await ask(method, '', ''),
          await ask(method, '', UNKNOWN_KEY),
        ]).toEqual([
          [405, 'POST', ''],
          [405, 'POST', ''],
          [404, null, ''],
          [404, null, ''],
        ]);
      expect(await ask('PUT', '', reader.apiKey, ping)).toEqual([404, null, '']);
      const ofPage = await fetch(url, {
        method: 'POST',
        headers: { ...MESSAGE_HEADERS, 'x-api-key': reader.apiKey, origin: 'http://evil.example' },
        body: ping,
      });
      expect([ofPage.status, ofPage.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      const long = mcpMessage('ping', { text: 'x'.repeat(256 * 1024) });
      expect(await ask('POST', '', reader.apiKey, long)).toEqual([
        413,
        null,
        expect.stringContaining('-32600'),
      ]);
    });
  });
}
