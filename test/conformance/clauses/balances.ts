import assert from 'node:assert/strict';
import { type Clause, Skipped, unseen } from '../clause.ts';
import { expectFields, listOf, objectOf } from '../expect-shape.ts';
import { balances, receivers, richest, successOf, UNUSED_ADDRESS } from './data-answers.ts';

/** Rows of a page that names no limit. */
const DEFAULT_LIMIT = 50;

/** Balances of an address: entries, order and pages. */
export const BALANCE_CLAUSES: readonly Clause[] = [
  {
    id: 'data.cursor',
    words: '`next_cursor` is present only when another page exists; a cursor taken from it pages further',
    check: async (probe) => {
      const { address, rows } = await richest(probe);
      if (rows.length < 2) throw new Skipped('no address is known that holds two tokens');
      const first = await balances(probe, address, '?limit=1');
      assert.equal(typeof first.body.next_cursor, 'string');
      const next = await balances(
        probe,
        address,
        `?limit=500&cursor=${encodeURIComponent(String(first.body.next_cursor))}`,
      );
      assert.deepEqual([...first.rows, ...next.rows], rows);
      assert.equal('next_cursor' in next.body, false);
    },
  },
  {
    id: 'data.balances',
    words:
      'Balance entry: `token` (lowercase hex), `balance` (decimal string, only non-zero), `symbol` (string), `decimals` (integer)',
    check: async (probe) => {
      for (const row of (await richest(probe)).rows) {
        expectFields(row, {
          token: 'address',
          balance: 'decimal string',
          symbol: 'string',
          decimals: 'integer',
        });
        const { token, balance } = objectOf(row, 'a balance');
        assert.equal(token, String(token).toLowerCase());
        assert.notEqual(balance, '0');
      }
    },
  },
  {
    id: 'data.balances.order',
    words: 'The list is ordered by token.',
    check: async (probe) => {
      const tokens = (await richest(probe)).rows.map((row) => String(objectOf(row, 'a balance').token));
      assert.deepEqual(tokens, [...tokens].sort());
    },
  },
  {
    id: 'data.balances.limit',
    words: 'Balances page size `limit`: maximum 500',
    check: async (probe) => {
      const { rows } = await balances(probe, UNUSED_ADDRESS, '?limit=500');
      assert.deepEqual(rows, []);
      const beyond = await probe.data(`/{chain}/addresses/${UNUSED_ADDRESS}/balances?limit=501`);
      assert.ok(beyond.status >= 400 && beyond.status < 500, `limit=501 is answered by ${beyond.status}`);
    },
  },
  {
    id: 'data.balances.default',
    words: 'Balances page size `limit`: default 50',
    check: async (probe) => {
      for (const address of (await receivers(probe)).slice(0, 10)) {
        const { rows } = await balances(probe, address, '?limit=500');
        if (rows.length <= DEFAULT_LIMIT) continue;
        const { rows: page, body } = await balances(probe, address);
        assert.equal(page.length, DEFAULT_LIMIT);
        assert.equal(typeof body.next_cursor, 'string');
        return;
      }
      throw new Skipped(`not looked at: no address is known that holds more than ${DEFAULT_LIMIT} tokens`);
    },
  },
  unseen(
    'data.balances.values',
    'Balance entry: `balance`, `symbol` and `decimals` are those of the token',
    'nodes seldom have the state of the block of the snapshot',
  ),
  {
    id: 'data.balances.empty',
    words: 'An address with no non-zero balances returns 200 with an empty `data` array, never 404',
    check: async (probe) => assert.deepEqual((await balances(probe, UNUSED_ADDRESS)).rows, []),
  },
  {
    id: 'data.balances.snapshot',
    words:
      '`coverage` is `full` only if no transfer of the address came after the snapshot, whose block is `X-Snapshot-Block`',
    check: async (probe) => {
      for (const address of (await receivers(probe)).slice(0, 10)) {
        const { headers, body } = await balances(probe, address, '?limit=1');
        const snapshot = Number(headers.get('x-snapshot-block') ?? Number.NaN);
        assert.ok(Number.isSafeInteger(snapshot), 'there is no X-Snapshot-Block');
        const { as_of_block: head, finalized_block: finalized, coverage } = objectOf(body.meta, 'meta');
        assert.ok(snapshot <= Number(finalized), `snapshot ${snapshot} is above ${finalized}`);
        if (snapshot === Number(head)) continue;
        const since = `standard=erc20&from_block=${snapshot + 1}&to_block=${head}&finality=latest&limit=1`;
        const moved = await probe.data(`/{chain}/addresses/${address}/transfers?${since}`);
        if (moved.status === 409) throw new Skipped('the chain was reorganised meanwhile');
        if (listOf(successOf(moved).data, 'data').length > 0) assert.equal(coverage, 'partial', address);
      }
    },
  },
  unseen('data.snapshot', 'Balances: a snapshot refreshed every 6 hours', 'it takes six hours'),
];
