import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { concatHex, type Hex } from 'viem';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { DecodeOptions } from '../../../lambdas/chain-data/decode/decode-logs.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { TOPICS } from '../../../lambdas/chain-data/decode/topics.ts';
import { openTransferDerivation } from '../../../lambdas/chain-data/store/transfer-derivation.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { createHistoryDeriver, deriveHistory } from '../../../lambdas/indexer/follow/derive-history.ts';
import type { ChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { emptySchema, newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { inTime } from '../../indexer/bad-input/indexed-chain.ts';
import { contradictionsOf } from '../../indexer/bad-input/sound-index.ts';
import { dumpIndex } from '../../indexer/follow/dump-index.ts';
import { repetitions } from '../../support/at-length.ts';
import { TOKEN_EVENTS } from '../decode/contract-events.ts';
import { ALICE, address, BOB, type LogContents, logOf, word, ZERO } from '../decode/raw-blocks.ts';
import { append as appendTo, cursorOf, linkedBlock } from './linked-blocks.ts';

const WRAPPED = address(0xe74);
const OTHER = address(0xe75);
const NOTHING = wrapping();
const NATIVE = wrapping(WRAPPED);
const RUNS = repetitions(60);
/** Enough for a rule that would not wait to be in force. */
const TIME_TO_OVERTAKE_MS = 500;
const IN_TIME = { outOfTime: () => false };
const { erc20, erc721, deposit, withdrawal } = TOKEN_EVENTS;

let database: MigratedDatabase;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

function wrapping(...tokens: Hex[]): DecodeOptions {
  return { wrappedNative: new Set(tokens) };
}

const dump = (schema: string) => dumpIndex(database.postgres.superuser, schema);
const derivationOf = (schema: string, options: DecodeOptions) =>
  openTransferDerivation(connectionTo(database.writer, schema), options);

/** Blocks from 0 on, each with the logs of one transaction. */
function chainOf(logs: readonly (readonly LogContents[])[]): RawBlock[] {
  return logs.map((contents, number) => linkedBlock(number, contents));
}

async function append(
  schema: string,
  blocks: readonly RawBlock[],
  options: DecodeOptions,
  through: ChainDatabase = database.writer,
): Promise<void> {
  const index = openChainIndex(connectionTo(through, schema), options);
  const [first] = blocks;
  if (first === undefined) throw new Error('no blocks');
  if ((await index.cursor()) === undefined)
    await index.begin({ number: -1, hash: first.parentHash, parentHash: first.parentHash, timestamp: 0 });
  await appendTo(index, blocks, (block) => decodeBlock(block, options));
}

/** What an index has been from the beginning with these options. */
async function indexedBy(options: DecodeOptions, blocks: readonly RawBlock[], into?: string) {
  const schema = into ?? (await newSchema(database));
  await append(schema, blocks, options);
  return dump(schema);
}

async function deriveAll(schema: string, options: DecodeOptions) {
  const transfers = derivationOf(schema, options);
  await transfers.enforce();
  return deriveHistory(transfers, IN_TIME.outOfTime);
}

async function coveredTransfers(schema: string): Promise<unknown> {
  const { rows } = await database.admin.query(
    `SELECT covered::text AS covered FROM ${schema}.coverage WHERE dataset = 'erc20_transfers'`,
  );
  return rows[0]?.covered;
}

const wraps = chainOf([
  [logOf(deposit, WRAPPED, [ALICE, 5n]), logOf(deposit, OTHER, [ALICE, 7n])],
  [logOf(erc20, WRAPPED, [ZERO, BOB, 3n]), logOf(deposit, WRAPPED, [BOB, 3n])],
  [logOf(withdrawal, WRAPPED, [ALICE, 1n]), logOf(erc20, OTHER, [ALICE, BOB, 2n])],
]);

test('a wrapped native token that is named later is told as if it had been from the beginning', async () => {
  const schema = await newSchema(database);
  await append(schema, wraps, NOTHING);
  expect(await deriveAll(schema, NOTHING)).toEqual({ blocks: 0, complete: true });
  expect(await deriveAll(schema, NATIVE)).toEqual({ blocks: 3, complete: true });
  const expected = await indexedBy(NATIVE, wraps);
  expect(expected.erc20_transfers).toHaveLength(4);
  expect(await dump(schema)).toEqual(expected);
  expect(await deriveAll(schema, NATIVE)).toEqual({ blocks: 0, complete: true });
});

test('a token that is not the wrapped native one after all loses what only its wrappings told', async () => {
  const schema = await newSchema(database);
  await append(schema, wraps, wrapping(WRAPPED, OTHER));
  await deriveAll(schema, wrapping(WRAPPED, OTHER));
  await deriveAll(schema, NOTHING);
  expect(await dump(schema)).toEqual(await indexedBy(NOTHING, wraps));
});

test('nothing is covered until it is derived', async () => {
  const schema = await newSchema(database);
  await append(schema, wraps, NOTHING);
  await derivationOf(schema, NOTHING).enforce();
  expect(await coveredTransfers(schema)).toBe('{[0,3)}');
  await derivationOf(schema, NATIVE).enforce();
  expect(await coveredTransfers(schema)).toBe('{}');
  await derivationOf(schema, NATIVE).derive({ from: 1, to: 1 });
  expect(await coveredTransfers(schema)).toBe('{[1,2)}');
});

test('what an indexer stores by the rule before is not covered, and is derived too', async () => {
  const schema = await newSchema(database);
  await append(schema, wraps.slice(0, 1), NOTHING);
  await deriveAll(schema, NOTHING);
  await deriveAll(schema, NATIVE);
  await append(schema, wraps.slice(1, 2), NOTHING);
  expect(await coveredTransfers(schema)).toBe('{[0,1)}');
  await append(schema, wraps.slice(2), NATIVE);
  expect(await coveredTransfers(schema)).toBe('{[0,1),[2,3)}');
  await deriveAll(schema, NATIVE);
  expect(await dump(schema)).toEqual(await indexedBy(NATIVE, wraps));
});

test('a rule that changes while blocks are stored by the one before waits for them, and uncovers them', async () => {
  const schema = await newSchema(database);
  await append(schema, wraps.slice(0, 1), NOTHING);
  await derivationOf(schema, NOTHING).enforce();
  let seen = () => {};
  let goOn = () => {};
  const hasSeen = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slow: ChainDatabase = {
    query: database.writer.query,
    transaction: (work) =>
      database.writer.transaction((queries) =>
        work({
          query: async (sql, parameters) => {
            const result = await queries.query(sql, parameters);
            if (sql.includes('AS in_force')) {
              seen();
              await mayGoOn;
            }
            return result;
          },
        }),
      ),
  };
  const appending = append(schema, wraps.slice(1), NOTHING, slow);
  await hasSeen;
  const enforcing = derivationOf(schema, NATIVE).enforce();
  await Promise.race([enforcing, sleep(TIME_TO_OVERTAKE_MS)]);
  goOn();
  await Promise.all([appending, enforcing]);
  expect(await coveredTransfers(schema)).toBe('{}');
});

test('a page by a rule that is not in force any more, or of blocks that were taken back, leaves nothing', async () => {
  const schema = await newSchema(database);
  await append(schema, wraps, NOTHING);
  await derivationOf(schema, NOTHING).enforce();
  const native = derivationOf(schema, NATIVE);
  await native.enforce();
  const before = await dump(schema);
  await expect(derivationOf(schema, NOTHING).derive({ from: 0, to: 2 })).rejects.toThrow('another rule');
  expect(await dump(schema)).toEqual(before);
  const index = openChainIndex(connectionTo(database.writer, schema), NATIVE);
  await index.rollBack(await cursorOf(index), wraps[1] as RawBlock);
  const back = await dump(schema);
  await expect(native.derive({ from: 0, to: 2 })).rejects.toThrow('not all of blocks');
  expect(await dump(schema)).toEqual(back);
});

test('several derive at once while the chain is reorganised, and it is as if one had, before', async () => {
  const branchAt = 20;
  const logsOf = (number: number) => wraps[number % wraps.length]?.transactions[0]?.receipt.logs ?? [];
  const branchOf = (branch: number, from: number, to: number) =>
    Array.from({ length: to - from }, (_, place) =>
      linkedBlock(from + place, logsOf(from + place + branch), branch, place === 0 ? 0 : branch),
    );
  const trunk = branchOf(0, 0, branchAt);
  const [schema, direct] = [await newSchema(database), await newSchema(database)];
  for (let round = 0; round < 5; round += 1) {
    await emptySchema(database, schema);
    await emptySchema(database, direct);
    await append(schema, [...trunk, ...branchOf(0, branchAt, 40)], NOTHING);
    await derivationOf(schema, NOTHING).enforce();
    await derivationOf(schema, NATIVE).enforce();
    const replacement = branchOf(1, branchAt, 42);
    const reorganise = async () => {
      const index = openChainIndex(connectionTo(database.writer, schema), NATIVE);
      await index.rollBack(await cursorOf(index), trunk.at(-1) as RawBlock);
      await append(schema, replacement, NATIVE);
    };
    const pagewise = async () => {
      const transfers = derivationOf(schema, NATIVE);
      for (let block = 0; block < 40; block += 5)
        await transfers.derive({ from: block, to: block + 4 }).catch(() => undefined);
    };
    await Promise.all([deriveAll(schema, NATIVE), reorganise(), pagewise()]);
    await deriveAll(schema, NATIVE);
    expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
    expect(await dump(schema)).toEqual(await indexedBy(NATIVE, [...trunk, ...replacement], direct));
  }
});

test('what the time does not allow is left for later, and nothing is looked for again and again', async () => {
  const schema = await newSchema(database);
  await append(schema, wraps, NOTHING);
  await deriveAll(schema, NOTHING);
  const transfers = derivationOf(schema, NATIVE);
  await transfers.enforce();
  expect(await deriveHistory(transfers, () => true)).toEqual({ blocks: 0, complete: false });
  let now = 0;
  let looks = 0;
  const enforce = () => {
    looks += 1;
    return transfers.enforce();
  };
  const derive = createHistoryDeriver(schema, { ...transfers, enforce }, { now: () => now });
  expect(await derive(inTime())).toBe(3);
  now = 599_999;
  expect(await derive(inTime())).toBe(0);
  expect(looks).toBe(1);
  now = 600_000;
  expect(await derive(inTime())).toBe(0);
  expect(looks).toBe(2);
});

/** Words, addresses and amounts of which there are so few that movements meet. */
const anyAddress = fc.constantFrom(ALICE, BOB, ZERO);
const anyAmount = fc.oneof(
  fc.constantFrom(0n, 1n, 2n ** 56n, 2n ** 112n - 1n, 2n ** 112n, 2n ** 224n, 2n ** 256n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
);
const anyEmitter = fc.constantFrom(WRAPPED, OTHER, address(0xe76));
const wellFormed = fc
  .tuple(fc.nat(3), anyEmitter, anyAddress, anyAddress, anyAmount)
  .map(([kind, emitter, from, to, amount]): LogContents => {
    if (kind === 0) return logOf(erc20, emitter, [from, to, amount]);
    if (kind === 1) return logOf(erc721, emitter, [from, to, amount]);
    return logOf(kind === 2 ? deposit : withdrawal, emitter, [from, amount]);
  });
const topicWord = fc.oneof(
  anyAddress.map((account) => concatHex(['0x000000000000000000000000', account])),
  fc.constant(word(2n ** 160n)),
);
const anyLog = fc.record({
  address: anyEmitter,
  topics: fc
    .tuple(
      fc.constantFrom<Hex>(TOPICS.transfer, TOPICS.deposit, TOPICS.withdrawal, word(1)),
      fc.array(topicWord, { maxLength: 3 }),
    )
    .map(([topic0, rest]): Hex[] => [topic0, ...rest]),
  data: fc.oneof(
    fc.constantFrom<Hex>('0x', `0x${'01'.repeat(31)}`, `0x${'ff'.repeat(33)}`),
    anyAmount.map((amount): Hex => word(amount)),
  ),
});
const anyChain = fc.array(
  fc.array(fc.oneof({ weight: 3, arbitrary: wellFormed }, anyLog), { maxLength: 12 }),
  {
    minLength: 1,
    maxLength: 4,
  },
);
const anyOptions = fc.subarray([WRAPPED, OTHER]).map((tokens) => wrapping(...tokens));

test('whatever a chain logs, what the database derives is what the decoder finds', async () => {
  const [derived, direct] = [await newSchema(database), await newSchema(database)];
  await fc.assert(
    fc.asyncProperty(anyChain, anyOptions, anyOptions, async (logs, before, after) => {
      await emptySchema(database, derived);
      await emptySchema(database, direct);
      const blocks = chainOf(logs);
      await append(derived, blocks, before);
      await derivationOf(derived, before).enforce();
      await deriveAll(derived, after);
      expect(await dump(derived)).toEqual(await indexedBy(after, blocks, direct));
    }),
    { numRuns: RUNS },
  );
});
