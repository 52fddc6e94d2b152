import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem';
import { SEED } from '../../../local/demo-chain/prepare.ts';
import { lowerCase } from '../../../local/demo-chain/script/script.ts';
import { callNode } from '../../../local/processes/node-calls.ts';
import { type DemoChain, plannedChain } from '../../local/demo-chain/expected-chain.ts';
import type { RunningGateway } from '../running-gateway.ts';

const URI_ABI = parseAbi([
  'function tokenURI(uint256) view returns (string)',
  'function uri(uint256) view returns (string)',
]);
const CHAIN = 'example_mainnet';

let gateway: RunningGateway;
let database: pg.Client;
/** What is true of the chain, computed from its plan alone. */
let expected: DemoChain;

async function all(sql: string): Promise<Record<string, unknown>[]> {
  return (await database.query<Record<string, unknown>>(sql.replaceAll('{schema}', CHAIN))).rows;
}

/** What the node says to a call that returns text; null if the call fails. */
async function askUri(to: string, data: string): Promise<string | null> {
  const response = await fetch(gateway.endpoints.upstream, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to, data }, 'latest'] }),
    headers: { 'content-type': 'application/json' },
  });
  const { result } = (await response.json()) as { result?: `0x${string}` };
  return result === undefined || result === '0x'
    ? null
    : decodeFunctionResult({ abi: URI_ABI, functionName: 'uri', data: result });
}

async function one(sql: string): Promise<unknown> {
  return Object.values((await all(sql))[0] ?? {})[0];
}

const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
const sorted = (lines: readonly string[]) => [...lines].sort();
const lines = async (sql: string) => sorted((await all(sql)).map(({ line }) => String(line)));

/** Tests of what a run has indexed of the demo chain. */
export function describeIndexedChain(running: () => RunningGateway): void {
  beforeAll(async () => {
    gateway = running();
    database = new pg.Client({ connectionString: gateway.endpoints.database });
    await database.connect();
    const [accounts, last] = (await callNode(gateway.endpoints.upstream, [
      { method: 'eth_accounts', params: [] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ])) as [`0x${string}`[], { timestamp: string }];
    expected = plannedChain(SEED, accounts.map(lowerCase), Number(last.timestamp)).expected;
  });

  afterAll(() => database?.end());

  test('has every block and transaction, the failed ones too', async () => {
    expect(await one('SELECT count(*)::int FROM {schema}.blocks')).toBe(expected.lastBlock + 1);
    expect(await one('SELECT count(*)::int FROM {schema}.transactions')).toBe(expected.transactionCount);
    expect(await one('SELECT count(*)::int FROM {schema}.transactions WHERE status = 0')).toBe(
      expected.failedTransactionCount,
    );
  });

  test('has every transfer of each standard, and no other', async () => {
    const told = await lines(`
      SELECT concat_ws(' ', block_number, 'erc20', ${hex('token')}, ${hex('from_address')}, ${hex('to_address')}, amount, '-') AS line
      FROM {schema}.erc20_transfers WHERE kind NOT IN ('wrap', 'unwrap')
      UNION ALL
      SELECT concat_ws(' ', block_number, 'erc' || standard, ${hex('token')}, ${hex('from_address')}, ${hex('to_address')}, amount, token_id)
      FROM {schema}.nft_transfers`);
    const planned = expected.transfers.map(({ blockNumber, standard, token, from, to, amount, tokenId }) =>
      [blockNumber, standard, token, from, to, amount, tokenId ?? '-'].join(' '),
    );
    // One of the odd logs is a transfer by the rules that indexers share: in the style of early NFTs.
    const odd = told.filter((line) => !planned.includes(line));
    const [oddBlock] = expected.oddLogs.map(({ blockNumber }) => blockNumber);
    expect(odd.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([`${oddBlock} erc721`]);
    expect(told.filter((line) => planned.includes(line))).toEqual(sorted(planned));
  });

  test('takes deposits to and withdrawals from the wrapped native token for transfers', async () => {
    const told =
      await lines(`SELECT concat_ws(' ', block_number, kind, CASE kind WHEN 'wrap' THEN ${hex('to_address')}
      ELSE ${hex('from_address')} END, amount) AS line FROM {schema}.erc20_transfers WHERE kind IN ('wrap', 'unwrap')`);
    const planned = expected.wraps.map(({ blockNumber, kind, account, amount }) =>
      [blockNumber, kind === 'deposit' ? 'wrap' : 'unwrap', account, amount].join(' '),
    );
    expect(told).toEqual(sorted(planned));
  });

  test('knows the owner of each NFT, and how many items', async () => {
    const { nft, items } = expected.contracts;
    const owners =
      await lines(`SELECT concat_ws(' ', token_id, ${hex('owner')}) AS line FROM {schema}.nft_owners
      WHERE ${hex('token')} = '${nft}'`);
    expect(owners).toEqual(sorted([...expected.nftOwners].map(([id, owner]) => `${id} ${owner}`)));
    const held =
      await lines(`SELECT concat_ws(' ', token_id, ${hex('owner')}, amount) AS line FROM {schema}.nft_owners
      WHERE ${hex('token')} = '${items}'`);
    expect(held).toEqual(
      sorted(expected.itemBalances.map(({ id, holder, amount }) => `${id} ${holder} ${amount}`)),
    );
  });

  test('has every pool and swap', async () => {
    const pools = await lines(
      `SELECT concat_ws(' ', protocol, ${hex('pool_id')}, ${hex('token0')}, ${hex('token1')}) AS line FROM {schema}.dex_pools`,
    );
    expect(pools).toEqual(
      sorted(
        expected.pools.map(({ protocol, id, token0, token1 }) => `${protocol} ${id} ${token0} ${token1}`),
      ),
    );
    const swaps =
      await lines(`SELECT concat_ws(' ', block_number, protocol, ${hex('pool_id')}, ${hex('trader')}, amount0, amount1) AS line
      FROM {schema}.dex_swaps`);
    expect(swaps).toEqual(
      sorted(
        expected.swaps.map(({ blockNumber, protocol, pool, trader, amount0, amount1 }) =>
          [blockNumber, protocol, pool, trader, amount0, amount1].join(' '),
        ),
      ),
    );
    const concentrated = expected.pools.filter(({ sqrtPriceX96 }) => sqrtPriceX96 !== undefined);
    const states = await lines(`SELECT concat_ws(' ', ${hex('pool_id')}, sqrt_price_x96, liquidity) AS line
      FROM {schema}.dex_pools WHERE protocol <> 'uniswap_v2'`);
    expect(states).toEqual(
      sorted(concentrated.map(({ id, sqrtPriceX96, liquidity }) => `${id} ${sqrtPriceX96} ${liquidity}`)),
    );
    const constant = expected.pools.filter(({ protocol }) => protocol === 'uniswap_v2');
    const reserves = await lines(`SELECT concat_ws(' ', ${hex('pool_id')}, reserve0, reserve1) AS line
      FROM {schema}.dex_pools WHERE protocol = 'uniswap_v2'`);
    expect(reserves).toEqual(
      sorted(constant.map(({ id, reserve0, reserve1 }) => `${id} ${reserve0} ${reserve1}`)),
    );
  });

  test('has derived the active liquidity of every pool of V3 and V4', async () => {
    const states =
      await lines(`SELECT DISTINCT ON (pool_id) concat_ws(' ', ${hex('pool_id')}, state.sqrt_price_x96, state.liquidity) AS line
        FROM {schema}.dex_pool_states AS state JOIN {schema}.dex_pools USING (pool_id)
        WHERE protocol <> 'uniswap_v2' ORDER BY pool_id, state.block_number DESC`);
    const concentrated = expected.pools.filter(({ sqrtPriceX96 }) => sqrtPriceX96 !== undefined);
    expect(states).toEqual(
      sorted(concentrated.map(({ id, sqrtPriceX96, liquidity }) => `${id} ${sqrtPriceX96} ${liquidity}`)),
    );
  });

  test('adds up to the balances of all tokens that follow their transfers', async () => {
    for (const token of expected.tokens) {
      if (token.behaviour !== 'standard' && token.behaviour !== 'wrapped_native') continue;
      const held = await lines(`SELECT concat_ws(' ', holder, sum(amount)) AS line FROM (
          SELECT ${hex('to_address')} AS holder, amount FROM {schema}.erc20_transfers WHERE ${hex('token')} = '${token.address}'
          UNION ALL
          SELECT ${hex('from_address')}, -amount FROM {schema}.erc20_transfers WHERE ${hex('token')} = '${token.address}'
        ) AS moved WHERE holder <> '0x${'0'.repeat(40)}' GROUP BY holder HAVING sum(amount) <> 0`);
      expect(held).toEqual(sorted([...token.balances].map(([holder, amount]) => `${holder} ${amount}`)));
    }
  });

  test('has the tokenised stocks with every multiplier that was announced', async () => {
    const stocks = await lines(
      `SELECT concat_ws(' ', ${hex('token')}, symbol, initial_multiplier, issuer) AS line FROM {schema}.stock_tokens`,
    );
    expect(stocks).toEqual(
      sorted(
        expected.stocks.map(
          ({ token, symbol, initialMultiplier }) => `${token} ${symbol} ${initialMultiplier} Demo Securities`,
        ),
      ),
    );
    const announced =
      await lines(`SELECT concat_ws(' ', ${hex('token')}, block_number, old_multiplier, new_multiplier,
      extract(epoch FROM effective_at)::bigint) AS line FROM {schema}.stock_multipliers`);
    expect(announced).toEqual(
      sorted(
        expected.stocks.flatMap(({ token, announcements }) =>
          announcements.map(({ blockNumber, oldMultiplier, newMultiplier, effectiveAt }) =>
            [token, blockNumber, oldMultiplier, newMultiplier, effectiveAt].join(' '),
          ),
        ),
      ),
    );
  });

  test('survives tokens whose names are no text, and says what it could read', async () => {
    const rows = await all(
      `SELECT ${hex('address')} AS address, name, symbol, decimals, metadata_status FROM {schema}.tokens`,
    );
    const told = new Map(rows.map((row) => [String(row.address), row]));
    const { bytes32Symbol, nulSymbol, noMetadata } = expected.contracts.odd;
    expect(told.get(bytes32Symbol)).toMatchObject({ metadata_status: 'complete' });
    expect(String(told.get(nulSymbol)?.symbol)).not.toContain('\u0000');
    expect(told.get(noMetadata)).toMatchObject({ name: null, symbol: null });
  });

  test('has the URI of each NFT as its contract says it', async () => {
    const items = await all(`SELECT ${hex('item.token')} AS token, token_id::text, standard, asked_uri AS uri
      FROM {schema}.nft_items AS item JOIN {schema}.tokens ON address = item.token
      WHERE standard IN (721, 1155) ORDER BY 1, item.token_id`);
    expect(new Set(items.map(({ standard }) => standard))).toEqual(new Set([721, 1155]));
    const said = await Promise.all(
      items.map(({ token, token_id, standard }) => {
        const functionName = standard === 721 ? 'tokenURI' : 'uri';
        const data = encodeFunctionData({ abi: URI_ABI, functionName, args: [BigInt(String(token_id))] });
        return askUri(String(token), data);
      }),
    );
    expect(items.map(({ uri }) => uri)).toEqual(said);
    const { nft } = expected.contracts;
    const response = await fetch(`${gateway.baseUrl}/v1/nfts/${nft}/items?limit=500`, {
      headers: { 'x-api-key': gateway.apiKey },
    });
    const { data } = (await response.json()) as { data: { token_uri: string | null }[] };
    const ofCollection = said.filter((_, index) => items[index]?.token === nft);
    expect(data.map(({ token_uri }) => token_uri)).toEqual(ofCollection);
    expect(ofCollection.filter((uri) => uri !== null).length).toBeGreaterThan(10);
  });

  test('tells for every block whether its calls are traced, or why not', async () => {
    const gaps = Number(
      await one('SELECT coalesce(sum(to_block - from_block + 1), 0)::int FROM {schema}._trace_gaps'),
    );
    const covered = Number(
      await one(`SELECT coalesce(sum(upper(part) - lower(part)), 0)::int FROM {schema}.coverage, unnest(covered) AS part
        WHERE dataset = 'traces'`),
    );
    expect(gaps + covered).toBe(expected.lastBlock + 1);
    const finalTraces = await one(
      `SELECT count(*)::int FROM {schema}.traces WHERE block_number <= ${expected.lastBlock - 256}`,
    );
    expect(Number(finalTraces)).toBeGreaterThan(0);
  });
}
