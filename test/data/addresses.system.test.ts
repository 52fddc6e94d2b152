/** What an address has: transactions, transfers, calls, holders of a token. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { UNKNOWN_STATE } from '../../lambdas/data/address-state.ts';
import { checkContract } from '../api/contract.ts';
import {
  address,
  CHAIN,
  FINALIZED,
  type GetOptions,
  HEAD,
  type SeededChain,
  startSeededChain,
} from './seeded-chain.ts';

describe('addresses', () => {
  const ALICE = address('a11ce');
  const BOB = address('b0b');
  const MADE = address('c0de');
  /** Of the transactions that calls are within. */
  const HASH = `0x${'07'.repeat(32)}`;
  /** Of ERC-4337, and the topic of its `UserOperationEvent`. */
  const ENTRY_POINT = '0x0000000071727de22e5e9d8baf0edac6f37da032';
  const USER_OPERATION = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f';

  let chain: SeededChain;

  const bytes = (text: string) => `'\\x${text.slice(2)}'::bytea`;
  const time = (block: number) => `'2026-01-01T00:00:00Z'::timestamptz + ${block} * interval '10 seconds'`;

  interface Sent {
    readonly block: number;
    readonly index?: number;
    readonly from: string;
    /** Undefined: the transaction makes a contract. */
    readonly to?: string;
    /** The contract that it makes. @default MADE */
    readonly made?: string;
    readonly value: bigint;
    readonly status?: number | null;
  }

  function sent({ block, index = 0, from, to, made = MADE, value, status = 1 }: Sent): Promise<void> {
    const hash = `decode(lpad('${(block * 10 + index).toString(16)}', 64, '0'), 'hex')`;
    return chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type,
      from_address, to_address, contract_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count,
      input, input_size)
    VALUES (${block}, ${index}, ${hash}, '\\x00', ${time(block)}, 2, ${bytes(from)},
      ${to === undefined ? `NULL, ${bytes(made)}` : `${bytes(to)}, NULL`}, 0, ${value}, 0, 0, 0, ${status}, 0, '\\x', 0)`);
  }

  interface Called {
    readonly block: number;
    /** Of the transaction in its block. @default 0 */
    readonly sentAt?: number;
    readonly index: number;
    readonly from: string;
    readonly to: string;
    readonly value: bigint;
    readonly type?: string;
    readonly error?: string;
  }

  function called({
    block,
    sentAt = 0,
    index,
    from,
    to,
    value,
    type = 'CALL',
    error,
  }: Called): Promise<void> {
    return chain.insert(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address,
      type, from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, error, subcalls,
      reverted_by_parent)
    VALUES (${block}, ${sentAt}, ${index}, ${bytes(HASH)}, ${time(block)}, '${index}', '${type}', ${bytes(from)}, ${bytes(to)}, ${value},
      0, 0, '\\x', 0, '\\x', 0, ${error === undefined ? 'NULL' : `'${error}'`}, 0, false)`);
  }

  beforeAll(async () => {
    chain = await startSeededChain();
    await sent({ block: 10, from: ALICE, to: BOB, value: 2n ** 200n });
    await sent({ block: 11, from: BOB, to: ALICE, value: 7n });
    await sent({ block: 11, index: 1, from: ALICE, to: BOB, value: 0n });
    await sent({ block: 12, from: ALICE, to: BOB, value: 8n, status: 0 });
    await sent({ block: 13, from: ALICE, to: ALICE, value: 9n });
    await sent({ block: 14, from: ALICE, value: 10n });
    await sent({ block: HEAD, from: ALICE, to: BOB, value: 11n });
    await called({ block: 10, index: 0, from: ALICE, to: BOB, value: 2n ** 200n });
    await called({ block: 10, index: 1, from: BOB, to: ALICE, value: 3n });
    await called({ block: 10, index: 2, from: BOB, to: ALICE, value: 4n, error: 'execution reverted' });
    await called({ block: 10, index: 3, from: BOB, to: ALICE, value: 0n });
    await called({ block: 10, index: 4, from: ALICE, to: ALICE, value: 5n, type: 'CALLCODE' });
    await called({ block: 14, index: 1, from: MADE, to: BOB, value: 6n, type: 'SELFDESTRUCT' });
  });

  afterAll(() => chain?.close());

  const listOf = async (path: string) => {
    const { statusCode, json } = await chain.get(path);
    expect({ statusCode, error: json.error }).toEqual({ statusCode: 200, error: undefined });
    return json;
  };

  const moves = async (path: string) =>
    (await listOf(path)).data.map(({ block_number, direction, value }) => [block_number, direction, value]);

  describe('native transfers', () => {
    test('are what transactions that succeeded gave, to the contract that they made as well', async () => {
      expect((await listOf(`/addresses/${ALICE}/native-transfers?direction=out&limit=1`)).data).toEqual([
        {
          block_number: 14,
          timestamp: '2026-01-01T00:02:20Z',
          transaction_hash: `0x${(140).toString(16).padStart(64, '0')}`,
          transaction_index: 0,
          kind: 'create',
          from: ALICE,
          to: MADE,
          value: '10',
          direction: 'out',
        },
      ]);
      expect(await moves(`/addresses/${MADE}/native-transfers`)).toEqual([[14, 'in', '10']]);
      const big = String(2n ** 200n);
      expect(await moves(`/addresses/${ALICE}/native-transfers?order=asc`)).toEqual([
        [10, 'out', big],
        [11, 'in', '7'],
        [13, 'self', '9'],
        [14, 'out', '10'],
      ]);
      expect(await moves(`/addresses/${ALICE}/native-transfers?direction=in`)).toEqual([
        [13, 'self', '9'],
        [11, 'in', '7'],
      ]);
    });

    test('above the finalized block are told on request', async () => {
      const [newest] = (await listOf(`/addresses/${ALICE}/native-transfers?finality=latest`)).data;
      expect(newest).toMatchObject({ block_number: HEAD, value: '11', finalized: false });
    });

    test('come in pages that have each once', async () => {
      const found: unknown[] = [];
      let cursor = '';
      for (let pages = 0; pages < 4; pages += 1) {
        const { data, next_cursor } = await listOf(`/addresses/${ALICE}/native-transfers?limit=1${cursor}`);
        found.push(...data.map(({ block_number }) => block_number));
        expect(next_cursor === undefined).toBe(pages === 3);
        cursor = `&cursor=${next_cursor}`;
      }
      expect(found).toEqual([14, 13, 11, 10]);
    });

    test('within transactions are what calls gave that did not fail, and not what the transaction itself gave', async () => {
      expect((await listOf(`/addresses/${BOB}/internal-transfers?order=asc`)).data).toEqual([
        expect.objectContaining({ block_number: 10, trace_index: 1, type: 'CALL', to: ALICE, value: '3' }),
        {
          block_number: 14,
          timestamp: '2026-01-01T00:02:20Z',
          transaction_hash: HASH,
          transaction_index: 0,
          trace_index: 1,
          trace_address: [1],
          type: 'SELFDESTRUCT',
          from: MADE,
          to: BOB,
          value: '6',
          direction: 'in',
        },
      ]);
      expect(await moves(`/addresses/${ALICE}/internal-transfers`)).toEqual([[10, 'in', '3']]);
    });

    test('within transactions of blocks that are not traced are no coverage, and never an empty list', async () => {
      await chain.insert(`UPDATE {schema}.coverage SET covered = '{[100, 601)}' WHERE dataset = 'traces'`);
      const untraced = await chain.get(`/addresses/${BOB}/internal-transfers?from_block=20&to_block=90`);
      expect([untraced.statusCode, untraced.json.error?.code]).toEqual([422, 'no_coverage']);
      expect((await listOf(`/addresses/${BOB}/internal-transfers`)).meta.coverage).toBe('partial');
      expect((await listOf(`/addresses/${BOB}/native-transfers`)).meta.coverage).toBe('full');
    });
  });

  describe('an overview', () => {
    const NEVER = { count: 0, exact: true };
    const FULL = {
      transactions: 'full',
      erc20_transfers: 'full',
      nft_transfers: 'full',
      traces: 'partial',
      logs: 'full',
    };

    const UNMADE = {
      created_by: null,
      created_by_kind: null,
      created_in: null,
      created_by_reason: 'no_coverage',
    };

    const overviewOf = async (of: string, options: GetOptions = {}) => {
      const { statusCode, headers, body } = await chain.get(`/addresses/${of}`, options);
      const contentType = String(headers?.['Content-Type']);
      const response = checkContract('getAddress', { status: statusCode, contentType, body: String(body) });
      return (response as { readonly data: Record<string, unknown> }).data;
    };

    test('has what an address did up to the finalized block, and what the nodes tell of it there', async () => {
      const asked: unknown[] = [];
      const readState: GetOptions['readState'] = async (...call) => {
        asked.push(call);
        return {
          ...{ native_balance: '12', has_code: false, account_kind: 'eoa', delegated_to: null },
          ...{ proxy_kind: 'none', implementation: null },
        };
      };
      expect(await overviewOf(ALICE, { readState })).toEqual({
        address: ALICE,
        first_seen: { block_number: 10, timestamp: '2026-01-01T00:01:40Z' },
        last_seen: { block_number: 14, timestamp: '2026-01-01T00:02:20Z' },
        ...UNMADE,
        seen_as_smart_account: false,
        transactions_sent: { count: 5, exact: true },
        transactions_received: { count: 2, exact: true },
        erc20_transfers_sent: NEVER,
        erc20_transfers_received: NEVER,
        nft_transfers_sent: NEVER,
        nft_transfers_received: NEVER,
        coverage: FULL,
        label: null,
        native_balance: '12',
        has_code: false,
        account_kind: 'eoa',
        delegated_to: null,
        proxy_kind: 'none',
        implementation: null,
      });
      expect(asked).toEqual([[CHAIN, ALICE, FINALIZED]]);
      expect((await chain.get(`/addresses/${ALICE.toUpperCase().replace('X', 'x')}`)).statusCode).toBe(200);
    });

    test('of one that never did anything is no error; what no node tells is null', async () => {
      expect(await overviewOf(address('dead'))).toEqual({
        address: address('dead'),
        first_seen: null,
        last_seen: null,
        ...UNMADE,
        seen_as_smart_account: false,
        transactions_sent: NEVER,
        transactions_received: NEVER,
        erc20_transfers_sent: NEVER,
        erc20_transfers_received: NEVER,
        nft_transfers_sent: NEVER,
        nft_transfers_received: NEVER,
        coverage: FULL,
        label: null,
        native_balance: null,
        has_code: null,
        account_kind: null,
        delegated_to: null,
        proxy_kind: null,
        implementation: null,
      });
    });

    test('has the creation of a contract, and what it is known as', async () => {
      await chain.insert(`INSERT INTO {schema}.tokens (address, standard, name, symbol, first_seen_block, updated_block)
      VALUES (${bytes(MADE)}, 20, 'Made', 'MD', 14, 14)`);
      const token = { kind: 'token', name: 'Made', symbol: 'MD', standard: 'erc20', protocol: null };
      expect(await overviewOf(MADE)).toMatchObject({ first_seen: { block_number: 14 }, label: token });
      await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, name, symbol, decimals, initial_multiplier,
        registered_block, updated_block)
      VALUES (${bytes(MADE)}, 'unknown', 'Made Inc.', 'MADE', 18, 1, 14, 14)`);
      expect((await overviewOf(MADE)).label).toEqual({
        ...token,
        kind: 'stock',
        name: 'Made Inc.',
        symbol: 'MADE',
      });
      await chain.insert(`INSERT INTO {schema}.dex_pools (pool_id, protocol, factory, token0, token1, created_block,
        created_log_index, created_time, updated_block)
      VALUES (${bytes(MADE)}, 'uniswap_v2', '\\x00', '\\x01', '\\x02', 14, 0, now(), 14)`);
      expect((await overviewOf(MADE)).label).toMatchObject({ kind: 'pool', protocol: 'uniswap_v2' });
    });

    test('tells who made a contract and where: a transaction, or a call within one that did not fail', async () => {
      const madeIn = (block: number, hash: string) => ({
        block_number: block,
        timestamp: new Date(Date.UTC(2026, 0, 1) + block * 10_000).toISOString().replace('.000', ''),
        transaction_hash: hash,
      });
      expect(await overviewOf(MADE)).toMatchObject({
        created_by: ALICE,
        created_by_kind: 'eoa',
        created_in: madeIn(14, `0x${(140).toString(16).padStart(64, '0')}`),
        created_by_reason: null,
      });
      const [factory, child, wallet, grandchild] = ['fac', 'c4d', '7702', 'c4d2'].map(address) as [
        string,
        string,
        string,
        string,
      ];
      const create = { from: factory, to: child, value: 0n, type: 'CREATE2' };
      await called({ block: 15, index: 1, ...create });
      await called({ block: 16, index: 1, ...create, from: BOB, error: 'out of gas' });
      await called({ block: 16, index: 2, ...create, from: BOB, type: 'CALL' });
      await called({ block: HEAD, index: 1, ...create, from: BOB });
      expect(await overviewOf(child)).toMatchObject({
        created_by: factory,
        created_by_kind: 'contract',
        created_in: madeIn(15, HASH),
        created_by_reason: null,
      });
      await sent({ block: 17, from: wallet, to: BOB, value: 0n });
      await called({ block: 17, index: 1, from: wallet, to: grandchild, value: 0n, type: 'CREATE' });
      expect(await overviewOf(grandchild)).toMatchObject({
        created_by: wallet,
        created_by_kind: 'delegated',
      });
      // One that is made again where the former destroyed itself is made by the last that did.
      await called({ block: 18, index: 1, ...create, from: wallet });
      expect(await overviewOf(child)).toMatchObject({ created_by: wallet, created_in: madeIn(18, HASH) });
    });

    test('is made by the last that made it, within a block too, and by no other call and no other transaction', async () => {
      const [twice, again, own, early] = ['2ce', 'a6a1', '0e1', 'ea71'].map(address) as [
        string,
        string,
        string,
        string,
      ];
      const create = { index: 1, to: twice, value: 0n, type: 'CREATE2' };
      await called({ block: 30, sentAt: 2, from: BOB, ...create });
      await called({ block: 30, sentAt: 9, from: ALICE, ...create });
      await called({ block: 30, sentAt: 5, from: MADE, ...create });
      expect(await overviewOf(twice)).toMatchObject({ created_by: ALICE, created_in: { block_number: 30 } });
      // Whatever is newer counts, the transaction or the call, by the place in the block where both are in one.
      await sent({ block: 31, from: BOB, made: again, value: 0n });
      await called({ block: 31, sentAt: 1, from: MADE, ...create, to: again });
      expect(await overviewOf(again)).toMatchObject({ created_by: MADE, created_by_kind: 'contract' });
      await sent({ block: 32, from: BOB, made: again, value: 0n });
      expect(await overviewOf(again)).toMatchObject({ created_by: BOB, created_by_kind: 'eoa' });
      // What a transaction itself makes is its receipt's to say, and not its first call's.
      await sent({ block: 33, from: BOB, made: own, value: 0n });
      await called({ block: 33, sentAt: 1, from: ALICE, ...create, index: 0, to: own });
      expect(await overviewOf(own)).toMatchObject({ created_by: BOB, created_by_kind: 'eoa' });
      await called({ block: FINALIZED, from: MADE, ...create, to: early });
      await sent({ block: FINALIZED + 1, from: BOB, made: early, value: 0n });
      expect(await overviewOf(early)).toMatchObject({ created_by: MADE });
    });

    test('has no maker and no other kind by what somebody logs of a user operation in its name', async () => {
      const readState = async () => ({ ...UNKNOWN_STATE, account_kind: 'eoa' as const });
      const before = await overviewOf(BOB, { readState });
      const rows = (await listOf(`/addresses/${BOB}/activity`)).data;
      const sender = BOB.slice(2).padStart(64, '0');
      for (const [at, emitter] of [ENTRY_POINT, MADE].entries())
        await chain.insert(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address,
          topic0, topic1, topic2, topic3, data, data_size)
        VALUES (34, ${at}, 0, '\\x00', ${time(34)}, ${bytes(emitter)}, ${bytes(USER_OPERATION)}, '\\x${sender}', '\\x${sender}', '\\x${sender}', '\\x', 0)`);
      expect(await overviewOf(BOB, { readState })).toEqual({ ...before, seen_as_smart_account: true });
      expect((await listOf(`/addresses/${BOB}/activity`)).data).toEqual(rows);
      expect((await listOf(`/addresses/${BOB}/approvals`)).data).toEqual([]);
      await chain.insert('DELETE FROM {schema}.logs WHERE block_number = 34');
    });

    test('of a transaction that failed, or of unknown blocks, is no maker, and says why', async () => {
      const [failed, old] = [address('fa11'), address('01d')];
      for (const [block, made, status] of [
        [19, failed, 0],
        [20, old, null],
      ] as const)
        await sent({ block, from: BOB, made, value: 0n, status });
      expect(await overviewOf(failed)).toMatchObject(UNMADE);
      expect(await overviewOf(old)).toMatchObject({ created_by: BOB, created_by_kind: 'eoa' });
      await chain.insert(`UPDATE {schema}.coverage SET covered = '{[0, 601)}' WHERE dataset = 'traces'`);
      expect(await overviewOf(failed)).toMatchObject({ ...UNMADE, created_by_reason: 'not_seen' });
      await chain.insert(
        `UPDATE {schema}.coverage SET covered = '{[1, 601)}' WHERE dataset = 'transactions'`,
      );
      expect(await overviewOf(failed)).toMatchObject(UNMADE);
      await chain.insert(
        `UPDATE {schema}.coverage SET covered = '{[0, 601)}' WHERE dataset = 'transactions'`,
      );
      await chain.insert(`UPDATE {schema}.coverage SET covered = '{[100, 601)}' WHERE dataset = 'traces'`);
    });

    test('tells who sent user operations, by the listed contracts alone: others can log the same of anybody', async () => {
      const V0_6 = '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789';
      const V0_9 = '0x433709009b8330fda32311df1c2afa402ed8d009';
      const [own, unlisted] = [address('e4e4'), address('bad')];
      const [old, wallet, forged, early, payer] = ['601', '609', '6bad', '6fed', '6fee'].map(address) as [
        ...[string, string, string, string, string],
      ];
      const word = (of: string) => bytes(`0x${of.slice(2).padStart(64, '0')}`);
      const operated = (block: number, emitter: string, sender: string, topic0 = USER_OPERATION) =>
        chain.insert(`INSERT INTO {schema}.logs (block_number, log_index, block_time, tx_index, tx_hash, address, topic0, topic1,
          topic2, topic3, data, data_size)
        VALUES (${block}, ${block}, ${time(block)}, 0, '\\x00', ${bytes(emitter)}, ${bytes(topic0)}, ${word('0x01')},
          ${word(sender)}, ${word(payer)}, '\\x', 0)`);
      const seen = async (of: string, options: GetOptions = {}) =>
        (await overviewOf(of, options)).seen_as_smart_account;
      await operated(30, V0_6, old);
      await operated(31, V0_9, wallet);
      await operated(32, unlisted, forged);
      await operated(33, V0_9, forged, `0x${'be'.repeat(32)}`);
      await operated(HEAD, V0_9, early);
      await operated(34, own, BOB);
      for (const sender of [old, wallet])
        expect({ sender, is: await seen(sender) }).toEqual({ sender, is: true });
      for (const other of [forged, early, payer, BOB])
        expect({ other, is: await seen(other) }).toEqual({ other, is: false });

      const entryPoints = [own.toUpperCase().replace('X', 'x')];
      expect(await seen(BOB, { entryPoints })).toBe(true);
      expect(await seen(wallet, { entryPoints })).toBe(false);
      expect(await seen(wallet, { entryPoints: [] })).toBe(false);

      // Where logs are missing, nothing is said of what is not there.
      await chain.insert(`UPDATE {schema}.coverage SET covered = '{[1, 601)}' WHERE dataset = 'logs'`);
      expect([await seen(wallet), await seen(forged)]).toEqual([true, null]);
      await chain.insert(`UPDATE {schema}.coverage SET covered = '{[0, 601)}' WHERE dataset = 'logs'`);
    });

    test('counts up to a bound, and says that there is more', async () => {
      const many = address('ffff');
      await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
      SELECT 20 + n / 100, n % 100, 0, '\\x00', ${time(20)}, ${bytes(MADE)}, ${bytes(many)}, ${bytes(BOB)}, 1, 'transfer'
      FROM generate_series(0, 1000) AS n`);
      expect((await overviewOf(many)).erc20_transfers_sent).toEqual({ count: 1_000, exact: false });
      await chain.insert(`DELETE FROM {schema}.erc20_transfers WHERE log_index = 0 AND block_number = 20`);
      expect((await overviewOf(many)).erc20_transfers_sent).toEqual({ count: 1_000, exact: true });
    });

    test('never calls nothing what it does not know', async () => {
      await chain.insert(`UPDATE {schema}.coverage SET covered = '{}' WHERE dataset = 'nft_transfers'`);
      await chain.insert(
        `UPDATE {schema}.coverage SET covered = '{[12, 601)}' WHERE dataset = 'transactions'`,
      );
      expect(await overviewOf(ALICE)).toMatchObject({
        transactions_sent: { count: 5, exact: false },
        nft_transfers_sent: { count: null, exact: false },
        nft_transfers_received: { count: null, exact: false },
        coverage: { transactions: 'partial', erc20_transfers: 'full', nft_transfers: 'none' },
      });
    });
  });

  describe('values of balances', () => {
    const HOLDER = address('f00d');
    const SNAPSHOT_BLOCK = 300;
    const priced = (token: string, block: number, price: string) =>
      chain.insert(`INSERT INTO {schema}.token_prices (token, block_number, block_time, price_usd, method, sample_trades)
      VALUES (${bytes(token)}, ${block}, ${time(block)}, ${price}, 'peg', 0)`);
    const held = async (token: string, decimals: number | null, amount: string) => {
      await chain.insert(`INSERT INTO {schema}.tokens (address, standard, symbol, decimals, first_seen_block, updated_block)
      VALUES (${bytes(token)}, 20, 'S', ${decimals}, 1, 1)`);
      await chain.insert(`INSERT INTO {schema}.balances (holder, token, amount, method, confidence, block_number, snapshot_id)
      VALUES (${bytes(HOLDER)}, ${bytes(token)}, ${amount}, 'ledger', 'verified', ${SNAPSHOT_BLOCK - 100}, 1)`);
    };
    const values = async (path: string) =>
      (await listOf(path)).data.map(({ price_usd, value_usd, price_block_number }) => [
        price_usd,
        value_usd,
        price_block_number,
      ]);

    beforeAll(async () => {
      await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
      VALUES (1, ${SNAPSHOT_BLOCK}, '\\x00', ${time(SNAPSHOT_BLOCK)}, now())`);
      await held(address('e1'), 18, '1234567000000000000000');
      await held(address('e2'), 6, '9'.repeat(60));
      await held(address('e3'), null, '5');
      await held(address('e4'), 18, '5');
      await priced(address('e1'), 100, '7');
      await priced(address('e1'), SNAPSHOT_BLOCK, '1.50');
      await priced(address('e1'), SNAPSHOT_BLOCK + 1, '99');
      await priced(address('e2'), 1, '1');
      await priced(address('e3'), 1, '2');
      await priced(address('e4'), 100_000, '2');
    });

    test('are at the last price up to the indexed head, exact, and null where there is none', async () => {
      const path = `/addresses/${HOLDER}/balances/usd`;
      expect(await values(path)).toEqual([
        ['99', '122222.133', SNAPSHOT_BLOCK + 1],
        ['1', `${'9'.repeat(54)}.999999`, 1],
        ['2', null, 1],
        [null, null, null],
      ]);
      const { data } = await listOf(path);
      expect(data.map(({ unpriced_reason }) => unpriced_reason)).toEqual([
        null,
        null,
        'no_decimals',
        'no_pool',
      ]);
      expect(data[2]).toMatchObject({
        token: address('e3'),
        decimals: null,
        balance: '5',
        block_number: 300,
      });
      // Stable tokens are sold at their peg.
      expect(data.map(({ sellable_usd }) => sellable_usd)).toEqual(data.map(({ value_usd }) => value_usd));
      const { data: plain } = await listOf(`/addresses/${HOLDER}/balances`);
      expect(plain.map(({ token, balance }) => [token, balance])).toEqual(
        data.map(({ token, balance }) => [token, balance]),
      );
      expect(Object.keys(plain[0] ?? {})).toEqual(['token', 'balance', 'symbol', 'decimals']);
    });

    test('are never more than the pool behind the price can pay', async () => {
      const victim = address('71c');
      const [scam, stock, gone] = [address('e5'), address('e6'), address('e7')];
      // An airdrop that is priced by 60 dollars, a stock with a pool of 1.8 million, and one whose pool was emptied.
      for (const [token, amount, price, liquidity, depth] of [
        [scam, 10n ** 9n, '6000000', '60', '0.597029'],
        [stock, 90_000n, '175', '1829975', '18209.154'],
        [gone, 5n, '175', '0', '0'],
      ] as const) {
        await held(token, 0, '1');
        await chain.insert(`INSERT INTO {schema}.balances (holder, token, amount, method, confidence, block_number, snapshot_id)
        VALUES (${bytes(victim)}, ${bytes(token)}, ${amount}, 'ledger', 'verified', 200, 1)`);
        await chain.insert(`INSERT INTO {schema}.token_prices
          (token, block_number, block_time, price_usd, method, liquidity_usd, depth_usd, sample_trades)
        VALUES (${bytes(token)}, 100, ${time(100)}, ${price}, 'stable_pool', ${liquidity}, ${depth}, 0)`);
      }
      const { data } = await listOf(`/addresses/${victim}/balances/usd`);
      expect(
        data.map(({ price_usd, value_usd, sellable_usd }) => [price_usd, value_usd, sellable_usd]),
      ).toEqual([
        ['6000000', null, '0.597029'],
        ['175', '15750000', '18209.154'],
        ['175', null, '0'],
      ]);
      expect(data.map(({ unpriced_reason }) => unpriced_reason)).toEqual(['worth', null, 'no_depth']);
      expect(data.map(({ possible_spam, spam_reason }) => [possible_spam, spam_reason])).toEqual([
        [true, 'worth'],
        [false, null],
        // What its market held is gone, which is no reason.
        [false, null],
      ]);
      const { json } = await chain.get(`/tokens/${scam}/price`);
      expect(json.data).toMatchObject({ liquidity_usd: '60', depth_usd: '0.597029' });
    });

    test('stand beside balances of stocks', async () => {
      await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, name, symbol, decimals, initial_multiplier,
        registered_block, updated_block)
      VALUES (${bytes(address('e1'))}, 'unknown', 'Stock', 'S', 18, 1, 14, 14)`);
      expect(await values(`/addresses/${HOLDER}/stocks`)).toEqual([['99', '122222.133', SNAPSHOT_BLOCK + 1]]);
    });
  });
});

describe('places of calls', () => {
  const CALLER = address('ca11');
  /** Transactions and calls around the last ones that have a number of their own in an index, some blocks of each. */
  const TRANSACTIONS = [0, 1, 8_189, 8_190, 8_191, 8_192, 9_000, 2_000_000];
  const CALLS = [0, 1, 262_141, 262_142, 262_143, 262_144, 300_000];
  const BLOCKS = [100, 101];

  let chain: SeededChain;
  beforeAll(async () => {
    chain = await startSeededChain();
    const caller = `decode('${CALLER.slice(2)}', 'hex')`;
    // Not in their order, so that no order of theirs comes from where they are.
    await chain.insert(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT block, tx, call, '\\x07', now(), '0', 'CALL', ${caller}, ${caller}, 1, 1, 1, '\\x', 0, '\\x', 0, 0, false
    FROM unnest(ARRAY[${BLOCKS.join()}]) AS block, unnest(ARRAY[${TRANSACTIONS.join()}]) AS tx, unnest(ARRAY[${CALLS.join()}]) AS call
    ORDER BY md5(block || ' ' || tx || ' ' || call)`);
  });
  afterAll(() => chain?.close());

  /** Places of all rows, page by page. */
  async function placesOf(path: string): Promise<string[]> {
    const places: string[] = [];
    let cursor = '';
    do {
      const { json } = await chain.get(`${path}${cursor}`);
      for (const { block_number, transaction_index, trace_index } of json.data)
        places.push(`${block_number}/${transaction_index}/${trace_index}`);
      cursor = json.next_cursor === undefined ? '' : `&cursor=${json.next_cursor}`;
    } while (cursor !== '');
    return places;
  }

  test.each([
    ['traces', CALLS, 1],
    ['traces', CALLS, 5],
    ['traces', CALLS, 200],
    ['internal-transfers', CALLS.filter((call) => call > 0), 3],
  ] as const)(
    '%s stand in the order of the chain, each once, in blocks of any size',
    async (kind, calls, limit) => {
      const all = BLOCKS.flatMap((block) =>
        TRANSACTIONS.flatMap((tx) => calls.map((call) => `${block}/${tx}/${call}`)),
      );
      const path = `/addresses/${CALLER}/${kind}?limit=${limit}`;
      expect(await placesOf(`${path}&order=asc`)).toEqual(all);
      expect(await placesOf(path)).toEqual(all.toReversed());
    },
  );
});

describe('holders', () => {
  const TOKEN = address('70');

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    const token = `'\\x${TOKEN.slice(2)}'::bytea`;
    await chain.insert(`INSERT INTO {schema}.tokens (address, standard, total_supply, first_seen_block, updated_block)
    VALUES (${token}, 20, 1, 1, 1)`);
    await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
    VALUES (${token}, 'unknown', 1, 1, 1)`);
    await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${FINALIZED}, '\\x00', now(), now())`);
    await chain.insert(`INSERT INTO {schema}.balances
    SELECT decode(lpad(holder, 40, '0'), 'hex'), ${token}, amount, 'ledger', 'verified', ${FINALIZED}, 1
    FROM (VALUES ('a1', 2::numeric ^ 255), ('b2', 214749), ('c3', 2), ('d4', 1)) AS held (holder, amount)`);
  });

  afterAll(() => chain?.close());

  test.each([`/tokens/${TOKEN}/holders`, `/stocks/${TOKEN}/holders`])(
    'a holder of more than the supply has no share of it: %s',
    async (path) => {
      const { statusCode, json } = await chain.get(path);
      expect({ statusCode, error: json.error }).toEqual({ statusCode: 200, error: undefined });
      expect(json.data.map(({ balance, share_bps }) => [balance, share_bps])).toEqual([
        [(2n ** 255n).toString(), null],
        ['214749', null],
        ['2', null],
        ['1', 10_000],
      ]);
    },
  );
});
