/** The lists of an address tell the native coin beside its tokens, and never add what is of two ages. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkContract } from '../api/contract.ts';
import { address, CHAIN, type GetOptions, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

const bytes = (text: string) => `'\\x${text.slice(2)}'::bytea`;

describe('the native coin among balances', () => {
  const HOLDER = address('a1');
  const NATIVE = address('0');
  const SNAPSHOT = 300;
  const WEI = 2n ** 200n;

  let chain: SeededChain;

  beforeAll(async () => {
    chain = await startSeededChain();
    await chain.insert(`INSERT INTO {schema}.coverage VALUES ('balances', '{[0,${SNAPSHOT + 1})}')`);
    await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${SNAPSHOT}, '\\x00', now(), now())`);
    await chain.insert(`INSERT INTO {schema}.balances
    SELECT ${bytes(HOLDER)}, decode(lpad('7' || n, 40, '0'), 'hex'), n, 'ledger', 'verified', 300, 1
    FROM generate_series(1, 3) AS n`);
    await chain.insert(`INSERT INTO {schema}.token_prices (token, block_number, block_time, price_usd, method, sample_trades,
      liquidity_usd, depth_usd, confidence)
    VALUES (${bytes(NATIVE)}, 10, '2026-01-01', 2, 'stable_pool', 1, 1, 1, 'high')`);
  });

  afterAll(() => chain?.close());

  /** Nodes that keep the state of some blocks, and what they were asked. */
  function nodes(keep: (block: number) => boolean, balance = WEI) {
    const asked: unknown[] = [];
    const readState: GetOptions['readState'] = async (...call) => {
      asked.push(call);
      return {
        native_balance: keep(call[2]) ? String(balance) : null,
        has_code: false,
        account_kind: 'eoa',
        delegated_to: null,
      };
    };
    return { asked, readState };
  }

  async function listed(path: string, options: GetOptions = {}) {
    const { statusCode: status, body, headers, json } = await chain.get(path, options);
    const id = path.includes('/usd') ? 'listAddressBalanceValues' : 'listAddressBalances';
    checkContract(id, { status, contentType: 'application/json', body: String(body) });
    return { rows: json.data, headers, next: json.next_cursor };
  }

  test.each<[string, (block: number) => boolean, number | null]>([
    ['at the block of the snapshot, like the tokens', () => true, SNAPSHOT],
    ['at the indexed head, where no node has the state of the snapshot', (block) => block === HEAD, HEAD],
    ['as not known, where no node says it', () => false, null],
  ])('is told %s', async (_, keep, block) => {
    const { asked, readState } = nodes(keep);
    for (const path of ['balances', 'balances/usd']) {
      const { rows } = await listed(`/addresses/${HOLDER}/${path}?native=true`, { readState });
      expect(rows.map(({ token, balance, as_of_block }) => [token, balance, as_of_block])).toEqual([
        [NATIVE, block === null ? null : String(WEI), block],
        ...[1, 2, 3].map((n) => [address(`7${n}`), String(n), SNAPSHOT]),
      ]);
      expect(rows[0]).toMatchObject({ decimals: 18 });
    }
    const once = (block === SNAPSHOT ? [SNAPSHOT] : [SNAPSHOT, HEAD]).map((each) => [CHAIN, HOLDER, each]);
    expect(asked).toEqual([...once, ...once]);
  });

  test('has its price, and is no spam whatever it is worth', async () => {
    const { readState } = nodes(() => true, 3n * 10n ** 18n);
    const { rows } = await listed(`/addresses/${HOLDER}/balances/usd?native=true`, { readState });
    expect(rows[0]).toMatchObject({ price_usd: '2', value_usd: '6', possible_spam: false });
    const rich = nodes(() => true, 10n ** 30n);
    const { rows: more } = await listed(`/addresses/${HOLDER}/balances/usd?native=true`, rich);
    expect(more[0]).toMatchObject({ value_usd: null, sellable_usd: '1', possible_spam: false });
  });

  test('of an address with nothing is 0, and the rest is empty', async () => {
    for (const none of [address('dead'), NATIVE]) {
      const { rows } = await listed(
        `/addresses/${none}/balances?native=true`,
        nodes(() => true, 0n),
      );
      expect(rows).toEqual([
        { token: NATIVE, balance: '0', symbol: '', decimals: 18, as_of_block: SNAPSHOT },
      ]);
    }
  });

  test('begins the first page alone, and nodes are asked for that one alone', async () => {
    const { asked, readState } = nodes(() => true);
    const path = `/addresses/${HOLDER}/balances?native=true&limit=2`;
    const first = await listed(path, { readState });
    expect(first.rows.map(({ token }) => token)).toEqual([NATIVE, address('71')]);
    const second = await listed(`${path}&cursor=${first.next}`, { readState });
    expect(second.rows.map(({ token }) => token)).toEqual([address('72'), address('73')]);
    expect(second.next).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test('is told only if it is asked for, at the same price', async () => {
    const { asked, readState } = nodes(() => true);
    const plain = await listed(`/addresses/${HOLDER}/balances`, { readState });
    expect(plain.rows[0]).toEqual({ token: address('71'), balance: '1', symbol: '', decimals: -1 });
    expect(asked).toEqual([]);
    const { headers } = await listed(`/addresses/${HOLDER}/balances?native=true`, { readState });
    expect(headers?.['X-CU-Billed']).toBe(plain.headers?.['X-CU-Billed']);
  });

  test('is in files', async () => {
    const { file } = await chain.get(
      `/addresses/${HOLDER}/balances?native=true&format=csv`,
      nodes(() => true),
    );
    let text = '';
    for await (const piece of file?.stream ?? []) text += piece;
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      'token,balance,symbol,decimals,as_of_block',
      `${NATIVE},${WEI},"",18,${SNAPSHOT}`,
      `${address('71')},1,"",-1,${SNAPSHOT}`,
    ]);
  });
});
