/**
 * That the stage file with two demo chains shows what a wallet asks of several chains, through the typed client: the second chain has
 * an airdrop that is spam and an approval at risk, the first has neither. One start for all of it.
 */
import { join } from 'node:path';
import { createClient, type DataClient } from '../../clients/typescript/src/client.ts';
import { NotFoundError } from '../../clients/typescript/src/errors.ts';
import type { Row } from '../../clients/typescript/src/operation-types.ts';
import { callNode } from '../../local/processes/node-calls.ts';
import { untilComplete } from '../support/prepared/complete-index.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

const STAGE_FILE = join(import.meta.dirname, '..', '..', 'config', 'two-chains.json');
const [MAIN, SIDE] = ['example_mainnet', 'example_sidechain'];
const CHAINS = [MAIN, SIDE] as const;
/** The first account that trades: the guide of the demo chain names it. */
const ADDRESS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const DOLLAR = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const STRANGER = `0x${'5a'.repeat(20)}`;
const NATIVE = `0x${'0'.repeat(40)}`;
const ANY = String(2n ** 256n - 1n);
const LURED = String(1_000n * 10n ** 18n);
const LAST_BLOCK = 960;
const SNAPSHOT = 704;

let gateway: RunningGateway;
let client: DataClient;

beforeAll(async () => {
  gateway = await startGateway({ config: STAGE_FILE });
  client = createClient({ baseUrl: gateway.baseUrl, apiKey: gateway.apiKey });
  await Promise.all(CHAINS.map((chain) => untilComplete(gateway, chain)));
}, TWO_RUNS_MS);

afterAll(stopGateways);

async function all<Item>(rows: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

const activity = (chain: string, more: { readonly possible_spam?: boolean } = {}) =>
  all(client.rows('listAddressActivity', { chain, address: ADDRESS, limit: 500, ...more }));
const isOfStranger = ({ spender }: Row<'listAddressApprovals'>) => spender === STRANGER;

test('blocks of both chains have the same times', async () => {
  const timeOf = async (chain: string) =>
    (await client.get('getBlock', { chain, number: SNAPSHOT })).data.timestamp;
  expect(await timeOf(SIDE)).toBe(await timeOf(MAIN));
});

test('the portfolio has both chains, at the price of each and of their list, and counts the airdrop apart', async () => {
  const { chains, complete, cuBilled } = await client.portfolio(ADDRESS);
  expect([complete, cuBilled]).toEqual([true, 21]);
  expect(chains.map(({ chain, cuBilled: of }) => [chain, of])).toEqual(CHAINS.map((chain) => [chain, 10]));
  const [main, side] = chains.map(({ totals }) => totals);
  expect(main).toMatchObject([{ block_number: SNAPSHOT, possible_spam: 0 }]);
  // The airdrop is one balance more, and nothing of it is in the sums.
  expect(side).toEqual(main?.map((total) => ({ ...total, balances: total.balances + 1, possible_spam: 1 })));
});

test('a chain that is not there is named, and the others are read all the same', async () => {
  const { chains, complete, cuBilled } = await client.portfolio(ADDRESS, { chains: [SIDE, 'nowhere', MAIN] });
  expect([complete, cuBilled]).toEqual([false, 20]);
  expect(chains.map(({ chain, complete: read, error }) => [chain, read, error?.constructor])).toEqual([
    [SIDE, true, undefined],
    ['nowhere', false, NotFoundError],
    [MAIN, true, undefined],
  ]);
});

test('the airdrop is in the balances of its chain alone, as possible spam by its name', async () => {
  for (const chain of CHAINS) {
    const { data } = await client.get('listAddressBalanceValues', { chain, address: ADDRESS, limit: 500 });
    expect(
      data
        .filter(({ possible_spam }) => possible_spam)
        .map(({ symbol, balance, spam_reason }) => [symbol, balance, spam_reason]),
    ).toEqual(chain === SIDE ? [['CLAIM', LURED, 'name']] : []);
  }
});

test('the activity marks the airdrop, and leaves it out if it is told to', async () => {
  for (const chain of CHAINS) {
    const rows = await activity(chain);
    const spam = rows.filter(({ possible_spam }) => possible_spam);
    expect(spam.filter(({ spam_reason }) => spam_reason === 'name')).toMatchObject(
      chain === SIDE ? [{ kind: 'transfer', standard: 'erc20', direction: 'in', amount: LURED }] : [],
    );
    expect(new Set(rows.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    expect(await activity(chain, { possible_spam: false })).toEqual(
      rows.filter(({ possible_spam }) => !possible_spam),
    );
    expect(await activity(chain, { possible_spam: true })).toEqual(spam);
  }
});

test('the approvals tell that a stranger may take all dollars, as the contract says', async () => {
  const approvals = (chain: string) =>
    all(client.rows('listAddressApprovals', { chain, address: ADDRESS, limit: 50 }));
  expect((await approvals(MAIN)).filter(isOfStranger)).toEqual([]);
  const atRisk = (await approvals(SIDE)).filter(isOfStranger);
  expect(atRisk).toMatchObject([
    { kind: 'approval', known_by: 'allowance', allowance_block: LAST_BLOCK },
    { kind: 'approval', known_by: 'allowance', allowance_block: LAST_BLOCK },
  ]);
  const byToken = new Map(atRisk.map(({ token, amount, allowance }) => [token, [amount, allowance]]));
  expect(byToken.get(DOLLAR)).toEqual([ANY, ANY]);
  expect(atRisk.map(({ amount, allowance }) => amount === allowance)).toEqual([true, true]);
});

test('the native coin stands first among balances, as the node has it at the block of the snapshot', async () => {
  const native = async (chain: string) => {
    const { data } = await client.get('listAddressBalances', { chain, address: ADDRESS, native: true });
    return data[0];
  };
  const [main, side] = [await native(MAIN), await native(SIDE)];
  const block = `0x${SNAPSHOT.toString(16)}`;
  const [balance] = await callNode(gateway.endpoints.upstream, [
    { method: 'eth_getBalance', params: [ADDRESS, block] },
  ]);
  expect(main).toMatchObject({
    token: NATIVE,
    balance: String(BigInt(String(balance))),
    as_of_block: SNAPSHOT,
  });
  expect(side).toMatchObject({ token: NATIVE, as_of_block: SNAPSHOT });
  // Its approvals there were paid for.
  expect(BigInt(side?.balance ?? 0)).toBeLessThan(BigInt(main?.balance ?? 0));
});

test('the overview tells who made a contract on each chain', async () => {
  for (const chain of CHAINS) {
    const { data } = await client.get('getAddress', { chain, address: DOLLAR });
    expect(data).toMatchObject({
      created_by: expect.stringMatching(/^0x/),
      created_by_kind: 'eoa',
      created_by_reason: null,
    });
    expect(data.created_in?.block_number).toBeLessThan(SNAPSHOT);
  }
});
