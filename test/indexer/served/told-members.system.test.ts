/** What nodes tell of a block is served as they told it. */

import fc from 'fast-check';
import { address, word } from '../../chain-data/decode/raw-blocks.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { repetitions } from '../../support/at-length.ts';
import { withBlock } from '../blocks/known-chains.ts';
import { makeBlock, type NodeBlockJson, type NodeJson } from '../fetch/node-chain.ts';
import { type ServedChain, serve } from './served-chain.ts';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

describe('members that some nodes tell', () => {
  const NUMBER = 1;

  /** What a node tells of a block beside what each node does. */
  interface Told {
    readonly block?: NodeJson;
    readonly transaction?: NodeJson;
    readonly receipt?: NodeJson;
  }

  function told({ block = {}, transaction = {}, receipt = {} }: Told): NodeBlockJson {
    const json = makeBlock(NUMBER, 1);
    const transactions = json.transactions.map((one) => ({ ...one, ...transaction }));
    const receipts = json.receipts.map((one) => ({ ...one, ...receipt }));
    return withBlock({ ...json, transactions, receipts }, { ...block, transactions });
  }

  /** The block and its transaction, as the Data API serves them. */
  async function served(form: Told) {
    const json = told(form);
    const chain = await serve(database, [makeBlock(0, 0), json, makeBlock(2, 0)]);
    const [block, transaction, blocks, listed] = await Promise.all([
      chain.get(`/blocks/${NUMBER}`),
      chain.get(`/transactions/${String(json.transactions[0]?.hash)}`),
      chain.get('/blocks'),
      chain.get(`/blocks/${NUMBER}/transactions`),
    ]);
    return { chain, block, transaction, blocks, listed };
  }

  const ACCESS_LIST = [
    { address: address(0x70), storageKeys: [word(1), word(2)] },
    { address: address(0x71), storageKeys: [] },
  ];

  describe('what a transaction paid', () => {
    test('on the OP stack since its Isthmus fork: gas, the parent chain and the operator', async () => {
      const receipt = {
        ...{ l1Fee: '0x1a2b', l1GasPrice: '0x3e8', l1GasUsed: '0x640', l1FeeScalar: '0.684' },
        ...{ operatorFeeScalar: '0x7a120', operatorFeeConstant: '0x3' },
      };
      const { transaction, listed } = await served({ receipt });
      // 50,000 of gas at a price of 1, 6,699 for the parent chain, and 50,000 x 500,000 / 10^6 + 3 for the operator.
      expect(transaction).toMatchObject({
        fee: '50000',
        l1_fee: '6699',
        operator_fee: '25003',
        total_fee: '81702',
      });
      const { l1Fee, ...further } = receipt;
      expect(transaction.receipt_extra).toEqual(further);
      expect(listed).toMatchObject([{ fee: '50000', total_fee: '81702' }]);
    });

    test('on the OP stack since its Jovian fork, where blob gas has no price', async () => {
      const receipt = {
        ...{
          l1Fee: '0x1',
          operatorFeeScalar: '0x2',
          operatorFeeConstant: '0x3',
          daFootprintGasScalar: '0x190',
        },
        blobGasUsed: '0x9c40',
      };
      const { transaction } = await served({ receipt });
      expect(transaction).toMatchObject({
        ...{ l1_fee: '1', operator_fee: '10000003', total_fee: '10050004' },
        ...{ blob_gas_used: 40_000, blob_gas_price: null },
      });
    });

    test('for blobs, with their hashes', async () => {
      const hashes = [word(0x1001n), word(0x1002n)];
      const { transaction } = await served({
        transaction: { type: '0x3', maxFeePerBlobGas: '0x5', blobVersionedHashes: hashes },
        receipt: { blobGasUsed: '0x40000', blobGasPrice: '0x2' },
      });
      expect(transaction).toMatchObject({
        ...{
          blob_gas_used: 262_144,
          blob_gas_price: '2',
          total_fee: '574288',
          l1_fee: null,
          operator_fee: null,
        },
        ...{ blob_versioned_hashes: hashes, extra: { maxFeePerBlobGas: '0x5' }, receipt_extra: {} },
      });
    });

    test('a part that is no number stays as it was told', async () => {
      const { transaction } = await served({ receipt: { l1Fee: '12.5' } });
      expect(transaction).toMatchObject({ l1_fee: null, receipt_extra: { l1Fee: '12.5' } });
    });
  });

  describe('lists of a transaction', () => {
    test('access lists and authorizations are served as the node tells them', async () => {
      const authorizationList = [
        {
          ...{ chainId: '0x1', address: address(0x99), nonce: '0x7', yParity: '0x1' },
          ...{ r: word(5), s: word(6) },
        },
      ];
      const { transaction } = await served({
        transaction: { type: '0x4', accessList: ACCESS_LIST, authorizationList },
      });
      expect(transaction).toMatchObject({
        access_list: ACCESS_LIST,
        authorization_list: authorizationList,
        blob_versioned_hashes: [],
        extra_omitted: [],
      });
      expect(transaction.extra).toEqual({ ticketId: word(3) });
    });

    test('one that is too long is said to be missing, and never told as empty', async () => {
      const storageKeys = Array.from({ length: 200 }, (_, index) => word(index));
      const { transaction } = await served({
        transaction: { accessList: [{ address: address(0x70), storageKeys }] },
      });
      expect(transaction).toMatchObject({ access_list: null, extra_omitted: ['accessList'] });
      expect(transaction.extra).toEqual({ ticketId: word(3) });
    });
  });

  describe('a block', () => {
    const withdrawals = Array.from({ length: 16 }, (_, index) => ({
      index: `0x${(0x1_0000 + index).toString(16)}`,
      validatorIndex: `0x${(0x200 + index).toString(16)}`,
      address: address(index === 3 ? 0xa11ce : 0xb0b),
      amount: index === 3 ? '0xffffffffffffffff' : '0x10',
    }));

    test('has its uncles and withdrawals, and each address its own', async () => {
      const uncles = [word(0x1234n), word(0x5678n)];
      const { chain, block, blocks } = await served({ block: { uncles, withdrawals } });
      expect(block.extra).toMatchObject({ uncles, withdrawals });
      const [, listed] = blocks as unknown as { extra: NodeJson }[];
      expect(listed?.extra).toMatchObject({ uncles });
      expect(listed?.extra).not.toHaveProperty('withdrawals');
      expect(await chain.get(`/addresses/${address(0xa11ce)}/withdrawals`)).toEqual([
        {
          block_number: NUMBER,
          timestamp: '2023-11-14T22:13:21Z',
          withdrawal_index: '65539',
          validator_index: '515',
          to: address(0xa11ce),
          value: '18446744073709551615000000000',
          finalized: false,
        },
      ]);
      const file = await chain.file(`/addresses/${address(0xb0b)}/withdrawals?format=csv`);
      expect(file.split('\r\n').slice(1, -2)).toHaveLength(15);
      expect(await chain.get('/status/coverage/withdrawals')).toMatchObject([
        { from_block: 0, to_block: 2, state: 'covered' },
      ]);
    });

    test('with withdrawals of another form keeps them, and is indexed', async () => {
      const { chain, block } = await served({ block: { withdrawals: [{ recipient: '0x1' }] } });
      expect(block.extra).toMatchObject({ withdrawals: [{ recipient: '0x1' }] });
      expect(await chain.get(`/addresses/${address(1)}/withdrawals`)).toEqual([]);
    });
  });

  test('fields of layer 2s are served to the letter, all at once', async () => {
    const long = `0x${'ab'.repeat(700)}`;
    const block = {
      ...{ l1BatchNumber: '0x1', l1BatchTimestamp: '0x2', sealFields: [], l1DataFee: '0x0' },
      ...{ globalExitRoot: word(9), localExitRoot: word(8), blockExtraData: long, blockGasCost: '0x0' },
    };
    const ofTransaction = {
      ...{ sourceHash: word(7), mint: '0x0', isSystemTx: false, depositReceiptVersion: '0x1' },
      ...{ refundTo: address(1), retryData: long, maxSubmissionFee: '0x0', retryTo: address(2) },
      ...{ l1BatchNumber: '0x1', l1BatchTxIndex: '0x3', feeCurrency: address(0x77), queueIndex: '0x2' },
    };
    const l2ToL1Log = { sender: address(0x8008), key: word(1), value: word(2), isService: true, logIndex: 0 };
    const ofReceipt = {
      ...{ depositNonce: '0x1', depositReceiptVersion: '0x1', timeboosted: false, baseFee: '0x1' },
      ...{ l1BatchNumber: '0x1', l2ToL1Logs: [l2ToL1Log], effectivePercentage: 255, root: word(8) },
    };
    const form = await served({
      block,
      transaction: { type: '0x7e', ...ofTransaction },
      receipt: { status: undefined, l1Fee: '0x5', ...ofReceipt },
    });
    expect(form.block.extra).toMatchObject(block);
    expect(form.transaction.extra).toEqual({ ticketId: word(3), ...ofTransaction });
    expect(form.transaction.receipt_extra).toEqual(ofReceipt);
    expect(form.transaction.extra_omitted).toEqual([]);
  });

  /** JSON without what no JSON document can say and come back from: -0 is 0, and null is as good as absent at the top. */
  const value = fc.jsonValue({ maxDepth: 3 }).filter((one) => one !== null);
  /** Names that no member of a node has that is stored elsewhere. */
  const members = fc.dictionary(
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((name) => `x${name}`),
    value,
    { maxKeys: 6 },
  );

  test('whatever else a node tells is served equal, or named as left out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(members, members, members), { minLength: 8, maxLength: 8 }),
        async (forms) => {
          const chain = forms.map(([block, transaction, receipt], number) => {
            const json = makeBlock(number, 1);
            const transactions = json.transactions.map((one) => ({ ...one, ...transaction }));
            const receipts = json.receipts.map((one) => ({ ...one, ...receipt }));
            return withBlock({ ...json, transactions, receipts }, { ...block, transactions });
          });
          const { get } = await serve(database, chain);
          for (const [number, [block, transaction, receipt]] of forms.entries()) {
            const extraOf = (await get(`/blocks/${number}`)).extra as NodeJson;
            const detail = await get(`/transactions/${String(chain[number]?.transactions[0]?.hash)}`);
            expectTold(block, extraOf, (extraOf.extra_omitted ?? []) as string[]);
            expectTold(transaction, detail.extra as NodeJson, detail.extra_omitted as string[]);
            expectTold(receipt, detail.receipt_extra as NodeJson, detail.extra_omitted as string[]);
          }
        },
      ),
      { numRuns: repetitions(8) },
    );
  });

  /** What a node can send as JSON, and read again. */
  const asSent = (json: unknown) => JSON.parse(JSON.stringify(json)) as unknown;
  const NOT_KEPT = /\\u0000|\\ud[89a-f]|e[+-]?\d|\d{16}/i;

  function expectTold(sent: NodeJson, got: NodeJson, omitted: readonly string[]): void {
    for (const [name, one] of Object.entries(sent)) {
      if (name in got) expect([name, got[name]]).toEqual([name, asSent(one)]);
      else {
        // Only what PostgreSQL or a number of this program could not hold is left out.
        expect(`${JSON.stringify(name)} ${JSON.stringify(one)}`).toMatch(NOT_KEPT);
        expect(omitted.length).toBeGreaterThan(0);
      }
    }
  }

  test.each<[string, unknown]>([
    ['a NUL', 'a\0b'],
    ['half of a pair', 'a\ud800'],
    ['a number beyond 2^53', 2 ** 60],
    ['a list that is too deep', Array.from({ length: 40 }).reduce((inner: unknown) => [inner], 1)],
  ])('%s is left out and named, and the block is indexed', async (_, one) => {
    const { block, transaction } = await served({
      block: { odd: one },
      transaction: { odd: one },
      receipt: { even: [one] },
    });
    expect(block.extra).toMatchObject({ extra_omitted: ['odd'] });
    expect(transaction.extra_omitted).toEqual(['odd', 'even']);
  });

  test('the longest row that can be kept is served', async () => {
    const bytes = (length: number) => `0x${'ab'.repeat(length)}`;
    const { transaction } = await served({
      transaction: { input: bytes(16_384), long: Array.from({ length: 2_900 }, () => 1) },
      receipt: { long: bytes(5_900) },
    });
    expect(transaction.extra_omitted).toEqual([]);
    expect(JSON.stringify(transaction).length).toBeGreaterThan(50_000);
  });
});

describe('large numbers', () => {
  const NUMBER = 1;
  const hex = (value: bigint) => `0x${value.toString(16)}`;
  /** Gas that no block can use: of a development chain, of BSC's own transactions, and the largest that a node can tell. */
  const [DEVELOPMENT, SYSTEM, LARGEST] = [2n ** 80n, 2n ** 63n - 1n, 2n ** 256n - 1n];
  const EXACT = 2n ** 53n - 1n;

  let chain: ServedChain;

  beforeAll(async () => {
    chain = await serve(database, [makeBlock(0, 0), largeBlock(), makeBlock(2, 1)]);
  });

  function largeBlock(): NodeBlockJson {
    const json = makeBlock(NUMBER, 2);
    const changed = (list: NodeJson[], ...changes: NodeJson[]) =>
      list.map((one, index) => ({ ...one, ...changes[index] }));
    const transactions = changed(
      json.transactions,
      { gas: hex(SYSTEM), nonce: hex(2n ** 64n - 1n) },
      { gas: hex(EXACT) },
    );
    return {
      block: { ...json.block, gasLimit: hex(DEVELOPMENT), gasUsed: hex(LARGEST), transactions },
      transactions,
      receipts: changed(json.receipts, { cumulativeGasUsed: hex(LARGEST), gasUsed: hex(DEVELOPMENT) }),
      traces: json.traces.map((trace) => ({
        ...trace,
        result: { ...(trace.result as object), calls: [{ ...childOf(trace), gas: hex(LARGEST) }] },
      })),
    };
  }

  function childOf(trace: NodeJson): object {
    return (trace.result as { readonly calls: readonly [object] }).calls[0];
  }

  test('gas of any size is indexed, and told as digits where a number would be rounded', async () => {
    expect(await chain.get(`/blocks/${NUMBER}`)).toMatchObject({
      gas_limit: DEVELOPMENT.toString(),
      gas_used: LARGEST.toString(),
    });
    expect(await chain.get(`/blocks/${NUMBER}/transactions`)).toMatchObject([
      {
        gas: SYSTEM.toString(),
        nonce: (2n ** 64n - 1n).toString(),
        gas_used: DEVELOPMENT.toString(),
        cumulative_gas_used: LARGEST.toString(),
      },
      { gas: Number(EXACT), nonce: 1, gas_used: 50_000 },
    ]);
    const traces = (await chain.get(`/blocks/${NUMBER}/traces`)) as unknown as { gas: unknown }[];
    expect(traces.map(({ gas }) => gas)).toEqual([
      SYSTEM.toString(),
      LARGEST.toString(),
      Number(EXACT),
      LARGEST.toString(),
    ]);
  });

  test('files have them too', async () => {
    const lines = (await chain.file('/transactions?format=ndjson&order=asc')).trimEnd().split('\n');
    const rows = lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ gas }) => gas)).toEqual([SYSTEM.toString(), Number(EXACT), 100_000]);
    const [names = '', ...csv] = (await chain.file('/transactions?format=csv&order=asc')).split('\r\n');
    const place = names.split(',').indexOf('gas');
    expect(csv.slice(0, 3).map((line) => line.split(',')[place])).toEqual([
      SYSTEM.toString(),
      EXACT.toString(),
      '100000',
    ]);
  });
});
