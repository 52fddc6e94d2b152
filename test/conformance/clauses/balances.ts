import assert from 'node:assert/strict';
import { type Checks, Skipped } from '../clause.ts';
import { expectFields, listOf, objectOf } from '../expect-shape.ts';
import { balances, receivers, richest, successOf, UNUSED_ADDRESS } from './data-answers.ts';

/** Rows of a page that names no limit. */
const DEFAULT_LIMIT = 50;

/** Balances of an address: entries, order and pages. */
export const BALANCE_CHECKS: Checks = {
  'data.cursor': async (probe) => {
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
  'data.balances': async (probe) => {
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
  'data.balances.order': async (probe) => {
    const tokens = (await richest(probe)).rows.map((row) => String(objectOf(row, 'a balance').token));
    assert.deepEqual(tokens, [...tokens].sort());
  },
  'data.balances.limit': async (probe) => {
    const { rows } = await balances(probe, UNUSED_ADDRESS, '?limit=500');
    assert.deepEqual(rows, []);
    const beyond = await probe.data(`/{chain}/addresses/${UNUSED_ADDRESS}/balances?limit=501`);
    assert.ok(beyond.status >= 400 && beyond.status < 500, `limit=501 is answered by ${beyond.status}`);
  },
  'data.balances.default': async (probe) => {
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
  'data.balances.empty': async (probe) => assert.deepEqual((await balances(probe, UNUSED_ADDRESS)).rows, []),
  'data.balances.snapshot': async (probe) => {
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
};
