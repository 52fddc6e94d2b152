/** Approvals of an address are told as events say them, and what is left of the first ones as the contracts say it. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAllowanceReader } from '../../lambdas/data/read-allowances.ts';
import { checkContract } from '../api/contract.ts';
import { type Character, SimulatedGateway } from '../nodes/simulated-gateway.ts';
import { address, CHAIN, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

describe('approvals', () => {
  const OWNER = address('a11ce');
  const BUSY = address('b5');
  const [FIRST, SECOND] = [address('51'), address('52')];
  const [COIN, GONE, ITEMS] = [address('70'), address('71'), address('72')];
  const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';
  const ANY = 2n ** 256n - 1n;
  const EXPIRES = 2_000_000_000n;
  const ASKED = 50;
  const TOPICS = {
    approval: '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
    forAll: '17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
    permit2: 'da9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b',
  };

  let chain: SeededChain;

  const word = (value: string | bigint) => BigInt(value).toString(16).padStart(64, '0');

  /** Puts an event into the index. */
  function logged(
    [block, log]: readonly [number, number],
    emitter: string,
    topics: readonly string[],
    data: string,
  ): Promise<void> {
    const [topic0, ...others] = topics;
    const places = [topic0, ...others.map(word), null, null].slice(0, 4);
    const values = places.map((topic) => (topic === null ? 'NULL' : `'\\x${topic}'::bytea`));
    return chain.insert(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address,
      topic0, topic1, topic2, topic3, data, data_size)
    VALUES (${block}, ${log}, 0, decode(repeat('ab', 32), 'hex'), '2026-01-01', '\\x${emitter.slice(2)}', ${values.join(', ')},
      '\\x${data}', ${data.length / 2})`);
  }

  beforeAll(async () => {
    chain = await startSeededChain();
    await logged([10, 0], COIN, [TOPICS.approval, OWNER, FIRST], word(ANY));
    await logged([10, 1], COIN, [TOPICS.approval, OWNER, SECOND], word(1_000n));
    await logged([11, 0], GONE, [TOPICS.approval, OWNER, FIRST], word(5n));
    await logged([12, 0], ITEMS, [TOPICS.forAll, OWNER, FIRST], word(1n));
    await logged([12, 1], ITEMS, [TOPICS.approval, OWNER, SECOND, '0x7'], '');
    await logged([13, 0], PERMIT2, [TOPICS.permit2, OWNER, COIN, FIRST], word(9n) + word(EXPIRES));
    await logged([14, 0], COIN, [TOPICS.approval, OWNER, SECOND], word(0n));
    // What is not what it looks like: Permit2's event of another contract, an amount that is cut short, no spender, another owner.
    await logged([15, 0], COIN, [TOPICS.permit2, OWNER, COIN, FIRST], word(9n) + word(EXPIRES));
    await logged([15, 1], COIN, [TOPICS.approval, OWNER, FIRST], 'ffffff');
    await logged([15, 2], COIN, [TOPICS.approval, OWNER], word(9n));
    await logged([15, 3], COIN, [TOPICS.approval, SECOND, FIRST], word(9n));
    for (let index = 0; index < ASKED + 10; index += 1)
      await logged(
        [20, index],
        COIN,
        [TOPICS.approval, BUSY, address((0x1000 + index).toString(16))],
        word(7n),
      );
  });

  afterAll(() => chain?.close());

  /** What contracts return, by the contract and the data of the call. */
  const LEFT: Readonly<Record<string, string>> = {
    [`${COIN}0xdd62ed3e${word(OWNER)}${word(FIRST)}`]: word(ANY),
    [`${COIN}0xdd62ed3e${word(OWNER)}${word(SECOND)}`]: word(400n),
    [`${ITEMS}0xe985e9c5${word(OWNER)}${word(FIRST)}`]: word(1n),
    [`${ITEMS}0x081812fc${word(7n)}`]: word(SECOND),
    [`${ITEMS}0x6352211e${word(7n)}`]: word(OWNER),
    [`${PERMIT2}0x927da105${word(OWNER)}${word(COIN)}${word(FIRST)}`]: word(3n) + word(EXPIRES) + word(1n),
  };
  const CONTRACTS: Character = {
    respond: ({ params }) => {
      const [{ to, data }] = params as [{ to: string; data: string }];
      return { result: JSON.stringify(`0x${LEFT[to + data] ?? ''}`) };
    },
  };

  async function approvals(path: string, character: Character = CONTRACTS) {
    const gateway = new SimulatedGateway([character]);
    const read = createAllowanceReader(new Map([[CHAIN, gateway.node]]), gateway.clock);
    const {
      statusCode: status,
      body,
      json,
      headers,
    } = await chain.get(`/addresses/${path}`, {
      readAllowances: (...call) => gateway.clock.until(read(...call)),
    });
    checkContract('listAddressApprovals', { status, contentType: 'application/json', body: String(body) });
    return { rows: json.data, meta: json.meta, asked: gateway.received(), billed: headers?.['X-CU-Billed'] };
  }

  test('are told as they were given, with what is left of each', async () => {
    const { rows, meta, asked, billed } = await approvals(`${OWNER}/approvals?order=asc`);
    expect(
      rows.map(({ block_number, kind, token, spender, token_id, amount, approved, allowance }) => [
        block_number,
        kind,
        token,
        spender,
        token_id,
        amount,
        approved,
        allowance,
      ]),
    ).toEqual([
      [10, 'approval', COIN, FIRST, null, String(ANY), true, String(ANY)],
      [10, 'approval', COIN, SECOND, null, '1000', true, '400'],
      [11, 'approval', GONE, FIRST, null, '5', true, null],
      [12, 'approval_for_all', ITEMS, FIRST, null, null, true, '1'],
      [12, 'approval_of_item', ITEMS, SECOND, '7', null, true, '1'],
      [13, 'permit2', COIN, FIRST, null, '9', true, '3'],
      [14, 'approval', COIN, SECOND, null, '0', false, '400'],
      [15, 'approval', COIN, FIRST, null, null, false, String(ANY)],
    ]);
    expect(rows[5]).toMatchObject({ expiration: Number(EXPIRES) });
    expect(rows[2]).toMatchObject({ known_by: 'approved', allowance_block: null });
    expect(rows[0]).toMatchObject({ known_by: 'allowance', allowance_block: HEAD });
    expect([meta.coverage, billed]).toEqual(['full', '50']);
    expect(new Set(asked.map(({ params }) => (params as unknown[])[1]))).toEqual(
      new Set([`0x${HEAD.toString(16)}`]),
    );
  });

  test.each([
    [
      'an item that a later owner approved the same spender for',
      `${ITEMS}0x6352211e${word(7n)}`,
      word(FIRST),
      4,
    ],
    [
      'Permit2 whose time is over',
      `${PERMIT2}0x927da105${word(OWNER)}${word(COIN)}${word(FIRST)}`,
      word(3n) + word(999n),
      5,
    ],
  ])('of %s have nothing left', async (_, question, answer, row) => {
    const { rows, asked } = await approvals(`${OWNER}/approvals?order=asc`, {
      respond: ({ params }) => {
        const [{ to, data }] = params as [{ to: string; data: string }];
        return { result: JSON.stringify(`0x${to + data === question ? answer : (LEFT[to + data] ?? '')}`) };
      },
    });
    expect(rows[row]).toMatchObject({ known_by: 'allowance', allowance: '0' });
    expect(asked[0]?.params).toMatchObject([{ gas: '0x1e8480' }, expect.any(String)]);
  });

  test('beyond the first fifty of a page are called approved, and the nodes are not asked', async () => {
    const left: Character = { respond: () => ({ result: JSON.stringify(`0x${word(7n)}`) }) };
    const { rows, asked } = await approvals(`${BUSY}/approvals?limit=100`, left);
    expect(rows.map(({ known_by }) => known_by)).toEqual([
      ...Array<string>(ASKED).fill('allowance'),
      ...Array<string>(10).fill('approved'),
    ]);
    expect(asked).toHaveLength(ASKED);
  });

  test('are called approved where no node says anything, and in files', async () => {
    const broken: Character = {
      respond: () => ({ error: JSON.stringify({ code: -32_000, message: 'execution reverted' }) }),
    };
    const { rows } = await approvals(`${OWNER}/approvals`, broken);
    const { file } = await chain.get(`/addresses/${OWNER}/approvals?format=ndjson&trailer=none`);
    let text = '';
    for await (const piece of file?.stream ?? []) text += piece;
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(rows);
    expect(new Set(rows.map(({ known_by, allowance }) => `${known_by} ${allowance}`))).toEqual(
      new Set(['approved null']),
    );
  });

  test('of an address with none, and of address zero, are an empty list for which nobody is asked', async () => {
    for (const none of [address('dead'), address('0')]) {
      const { rows, asked } = await approvals(`${none}/approvals`);
      expect([rows, asked]).toEqual([[], []]);
    }
  });
});
