import fc from 'fast-check';
import { encodeAbiParameters } from 'viem';
import type { Hex, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { isOvertaken } from '../../../lambdas/chain-data/store/cursor.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { createItemDescriber } from '../../../lambdas/indexer/describe/describe-items.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { emptySchema, newSchema, untouchedSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { createFakeNode, type Said } from '../../indexer/fetch/fake-node.ts';
import { isAtLength, repetitions } from '../../support/at-length.ts';
import { TOKEN_EVENTS } from '../decode/contract-events.ts';
import { ALICE, address, BOB, type LogContents, logOf, TOKEN, ZERO } from '../decode/raw-blocks.ts';
import { append, cursorOf, fill, linkedBlock } from './linked-blocks.ts';
import { type NftState, nftsOf } from './nft-model.ts';
import { countTouchedRows } from './touched-rows.ts';

const { erc20, erc721, single, batch, consecutive, uri } = TOKEN_EVENTS;

const MAX_UINT = 2n ** 256n - 1n;
/** Time for many runs from an empty schema, and for the search of a smaller one that fails. */
const MANY_RUNS_MS = 300_000;
const COLLECTIONS = [address(0x721), address(0x1155)];
const HOLDERS = [ALICE, BOB, address(0xca), ZERO];

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** An index that has begun below a block, in an empty schema. */
async function indexFrom(first: number, into?: string) {
  const schema = into ?? (await newSchema(database));
  const index = openChainIndex(connectionTo(database.writer, schema));
  await index.begin(linkedBlock(first - 1, []));
  return { schema, index };
}

async function nftsIn(schema: string): Promise<NftState> {
  const texts = async (sql: string) => (await database.admin.query(sql)).rows.map(({ text }) => String(text));
  const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
  const item = `${hex('token')} || ' ' || token_id`;
  const owners = await texts(
    `SELECT ${item} || ' ' || ${hex('owner')} || ' ' || standard || ' ' || amount || ' ' || acquired_block AS text
     FROM ${schema}.nft_owners
     WHERE acquired_time = (SELECT time FROM ${schema}.blocks WHERE number = acquired_block)`,
  );
  const items = await texts(
    `SELECT ${item} || ' ' || first_seen_block || ' ' || updated_block || ' ' || coalesce(token_uri, 'null') AS text
     FROM ${schema}.nft_items`,
  );
  const standards = await texts(`SELECT ${hex('address')} || ' ' || standard AS text FROM ${schema}.tokens`);
  return { owners: owners.sort(), items: items.sort(), standards: standards.sort() };
}

const holder = fc.constantFrom(...HOLDERS);
const collection = fc.constantFrom(...COLLECTIONS);
const id = fc.bigInt(0n, 2n);
const amount = fc.oneof(fc.bigInt(0n, 4n), fc.constant(MAX_UINT));
const moved = fc.oneof(
  fc.tuple(collection, holder, holder, id).map(([token, ...values]) => logOf(erc721, token, values)),
  fc
    .tuple(collection, holder, holder, id, amount)
    .map(([token, ...values]) => logOf(single, token, [ALICE, ...values])),
  fc
    .tuple(collection, holder, holder, fc.array(id, { maxLength: 4 }), fc.array(amount, { maxLength: 4 }))
    .map(([token, ...values]) => logOf(batch, token, [ALICE, ...values])),
  fc
    .tuple(collection, holder, holder, id)
    .map(([token, from, to, first]) => logOf(consecutive, token, [first, first + 1n, from, to])),
  fc.tuple(collection, holder, holder, amount).map(([token, ...values]) => logOf(erc20, token, values)),
  fc
    .tuple(collection, id, fc.constantFrom('ipfs://a', 'ipfs://b', ''))
    .map(([token, item, value]) => logOf(uri, token, [value, item])),
);
const blockLogs: fc.Arbitrary<LogContents[]> = fc.array(moved, { maxLength: 4 });

/** What is done to an index, one after the other. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('append'), logs: fc.array(blockLogs, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constant('fill'), skip: fc.nat(9), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('rewind'), depth: fc.integer({ min: 1, max: 5 }) }),
);
const FIRST = 12;

describe('what is known of NFTs', () => {
  test(
    'is what all stored blocks say, in whatever order they came and went',
    async () => {
      const schema = await newSchema(database);
      await fc.assert(
        fc.asyncProperty(
          fc.array(blockLogs, { minLength: FIRST, maxLength: FIRST }),
          fc.array(change, { minLength: 4, maxLength: 10 }),
          async (past, changes) => {
            await emptySchema(database, schema);
            const { index } = await indexFrom(FIRST, schema);
            const old = past.map((logs, number) => linkedBlock(number, logs));
            const stored = new Map<number, RawBlock>();
            const branches = new Map<number, number>();
            let branch = 0;
            for (const step of changes) {
              const head = (await cursorOf(index)).number;
              if ('logs' in step) {
                const blocks = step.logs.map((logs, place) => {
                  const number = head + 1 + place;
                  return linkedBlock(number, logs, branch, place > 0 ? branch : (branches.get(head) ?? 0));
                });
                await append(index, blocks);
                for (const block of blocks) {
                  stored.set(block.number, block);
                  branches.set(block.number, branch);
                }
              } else if ('depth' in step) {
                const ancestor = Math.max(FIRST - 1, head - step.depth);
                if (ancestor === head) continue;
                const block = stored.get(ancestor) ?? old[ancestor];
                if (block === undefined) throw new Error('no ancestor');
                await index.rollBack(await cursorOf(index), block);
                for (let number = ancestor + 1; number <= head; number += 1) stored.delete(number);
                branch += 1;
              } else if (head >= FIRST) {
                const absent = old.filter(({ number }) => !stored.has(number));
                const from = absent[step.skip % Math.max(1, absent.length)]?.number ?? FIRST;
                const blocks = absent.filter(({ number }) => number >= from && number < from + step.count);
                const page = blocks.filter(({ number }, place) => number === from + place);
                if (page.length > 0) await fill(index, page);
                for (const block of page) stored.set(block.number, block);
              }
              expect(await nftsIn(schema)).toEqual(nftsOf([...stored.values()]));
            }
          },
        ),
        { numRuns: repetitions(20) },
      );
    },
    MANY_RUNS_MS,
  );

  test('is that of all blocks where several are stored and taken back at once', async () => {
    const logsAt = (number: number) => [
      logOf(single, TOKEN, [ALICE, HOLDERS[number % 3], HOLDERS[(number + 1) % 3], 1n, BigInt(number % 5)]),
      logOf(erc721, TOKEN, [ALICE, HOLDERS[(number * 7) % 3], BigInt(number % 2)]),
      logOf(single, COLLECTIONS[0] ?? TOKEN, [ALICE, ZERO, BOB, BigInt(number % 3), 1n]),
    ];
    const { schema, index } = await indexFrom(40);
    const blocks = Array.from({ length: 60 }, (_, number) => linkedBlock(number, logsAt(number)));
    await append(index, blocks.slice(40, 50));
    const insist = async (work: () => Promise<void>) => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!isOvertaken(error)) throw error;
        }
      }
    };
    await Promise.all([
      ...[0, 8, 16, 24, 32].map((from) => insist(() => fill(index, blocks.slice(from, from + 8)))),
      insist(async () => index.rollBack(await cursorOf(index), blocks[45] as RawBlock)).then(() =>
        insist(() => append(index, blocks.slice(46, 60))),
      ),
    ]);
    expect(await nftsIn(schema)).toEqual(nftsOf(blocks));
  });

  test('has no part of blocks that are sent twice', async () => {
    const { schema, index } = await indexFrom(2);
    const blocks = [0, 1, 2].map((number) =>
      linkedBlock(number, [logOf(single, TOKEN, [ALICE, ZERO, BOB, 1n, 5n])]),
    );
    await append(index, blocks.slice(2));
    await fill(index, blocks.slice(1, 2));
    await expect(fill(index, blocks.slice(0, 2))).rejects.toThrow('are stored already');
    expect((await nftsIn(schema)).owners).toEqual([`${TOKEN} 1 ${BOB} 1155 10 2`]);
  });
});

describe('the URI of an item', () => {
  const moves = linkedBlock(1, [logOf(single, TOKEN, [ALICE, ZERO, BOB, 1n, 5n])]);
  const announced = linkedBlock(2, [logOf(uri, TOKEN, ['ipfs://first', 1n])]);
  const again = linkedBlock(3, [
    logOf(uri, TOKEN, ['ipfs://second', 1n]),
    logOf(uri, TOKEN, ['ipfs://new', 2n]),
  ]);

  test('is the same whether its block comes alone or with the transfer', async () => {
    const [alone, together] = [await indexFrom(1), await indexFrom(1)];
    await append(alone.index, [moves]);
    await append(alone.index, [announced]);
    await append(together.index, [moves, announced]);
    const expected = [`${TOKEN} 1 1 2 ipfs://first`];
    expect((await nftsIn(alone.schema)).items).toEqual(expected);
    expect((await nftsIn(together.schema)).items).toEqual(expected);
  });

  test('is the older one again where a reorganisation takes back the newer', async () => {
    const { schema, index } = await indexFrom(1);
    await append(index, [moves, announced]);
    await append(index, [again]);
    expect((await nftsIn(schema)).items).toEqual([
      `${TOKEN} 1 1 3 ipfs://second`,
      `${TOKEN} 2 3 3 ipfs://new`,
    ]);
    await index.rollBack(await cursorOf(index), announced);
    expect((await nftsIn(schema)).items).toEqual([`${TOKEN} 1 1 2 ipfs://first`]);
    await index.rollBack(await cursorOf(index), moves);
    expect((await nftsIn(schema)).items).toEqual([`${TOKEN} 1 1 1 null`]);
  });

  test('stays the newest where an older one is filled in', async () => {
    const { schema, index } = await indexFrom(3);
    await append(index, [again]);
    await fill(index, [moves, announced]);
    expect((await nftsIn(schema)).items[0]).toBe(`${TOKEN} 1 1 3 ipfs://second`);
  });
});

describe('the length of a history', () => {
  const HISTORY = isAtLength ? 30_000 : 10_000;
  const HEAD = 50_000;
  /** Rows that a block of these few transfers may read, in all tables; far less than the history. */
  const MAX_READ = 400;

  /** An index whose token has an item with a long history: it moved often as one of ERC-1155, and rarely as one of ERC-721. */
  async function longHistory() {
    const schema = await untouchedSchema(database);
    await database.admin.query(
      `INSERT INTO ${schema}.nft_transfers (block_number, log_index, batch_index, tx_index, tx_hash, block_time, standard,
         token, token_id, from_address, to_address, amount, kind)
       SELECT number, log_index, 0, 0, '\\x00', to_timestamp(number), standard, decode(:token, 'hex'), 1,
              decode(:alice, 'hex'),
              CASE WHEN number % 2 = 0 THEN decode(lpad(to_hex(number), 40, '0'), 'hex') ELSE decode(:bob, 'hex') END,
              1, 'transfer'
       FROM generate_series(1, ${HISTORY}) AS number, (VALUES (0, 1155), (1, 721)) AS log (log_index, standard)
       WHERE standard = 1155 OR number < 10`,
      { token: TOKEN.slice(2), alice: ALICE.slice(2), bob: BOB.slice(2) },
    );
    await database.admin.query(`SELECT ${schema}.add_to_nft_ledger(1, ${HISTORY}, 1) AS added`);
    await database.admin.query(
      `INSERT INTO ${schema}.nft_items (token, token_id, first_seen_block, updated_block)
       VALUES (decode(:token, 'hex'), 1, 1, 1)`,
      { token: TOKEN.slice(2) },
    );
    await database.admin.query(
      `INSERT INTO ${schema}.tokens (address, standard, first_seen_block, transfer_count, updated_block)
       VALUES (decode(:token, 'hex'), 1155, 1, 0, ${HISTORY})`,
      { token: TOKEN.slice(2) },
    );
    const begun = openChainIndex(connectionTo(database.writer, schema));
    await begun.begin(linkedBlock(HEAD - 1, []));
    const counted = countTouchedRows(database.writer, schema);
    return { schema, counted, index: openChainIndex(connectionTo(counted.database, schema)) };
  }

  const few = (number: number) =>
    linkedBlock(number, [
      logOf(single, TOKEN, [ALICE, ALICE, BOB, 1n, 1n]),
      logOf(erc721, TOKEN, [ALICE, BOB, 1n]),
      logOf(single, TOKEN, [ALICE, BOB, ALICE, 1n, 2n]),
    ]);

  async function readBy(
    { counted }: { readonly counted: { read: () => number } },
    work: () => Promise<void>,
  ): Promise<number> {
    const before = counted.read();
    await work();
    return counted.read() - before;
  }

  const analyze = (schema: string) =>
    database.admin.query(`ANALYZE ${schema}.nft_transfers, ${schema}.nft_owners, ${schema}.nft_ledger`);

  test.each(['known', 'not known'])(
    'of an item does not count for an append or a fill where statistics are %s',
    async (statistics) => {
      const long = await longHistory();
      const { schema, index } = long;
      if (statistics === 'known') await analyze(schema);
      expect(await readBy(long, () => append(index, [few(HEAD)]))).toBeLessThan(MAX_READ);
      expect(await readBy(long, () => append(index, [few(HEAD + 1)]))).toBeLessThan(MAX_READ);
      expect(await readBy(long, () => fill(index, [few(HEAD - 1)]))).toBeLessThan(MAX_READ);
    },
  );

  test('of an item does not count for a reorganisation', async () => {
    const long = await longHistory();
    const { schema, index } = long;
    await append(index, [few(HEAD), few(HEAD + 1)]);
    await analyze(schema);
    const rewind = async () => index.rollBack(await cursorOf(index), few(HEAD));
    expect(await readBy(long, rewind)).toBeLessThan(MAX_READ);
  });

  test('of the items of ranges does not count for the block after them', async () => {
    const ITEMS = isAtLength ? 1_000 : 300;
    const RANGES = 10;
    const range = logOf(consecutive, TOKEN, [0n, BigInt(ITEMS) - 1n, ZERO, BOB]);
    const schema = await untouchedSchema(database);
    const counted = countTouchedRows(database.writer, schema);
    const index: ChainIndex = openChainIndex(connectionTo(counted.database, schema));
    await index.begin(linkedBlock(0, []));
    const read: number[] = [];
    for (let number = 1; number <= 12; number += 1) {
      const block = linkedBlock(number, Array<LogContents>(RANGES).fill(range));
      read.push(await readBy({ counted }, () => append(index, [block])));
    }
    // While a table is being analysed, a block may be read by another plan.
    expect(Math.min(...read.slice(-4))).toBeLessThan(4 * RANGES * ITEMS);
    expect((await nftsIn(schema)).owners).toHaveLength(ITEMS);
  });
});

describe('URIs that items are asked for', () => {
  const OTHER = address(0x7210);
  const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value]);
  const options = { deadline: Number.POSITIVE_INFINITY };

  /** Items 1 to `count` of two ERC-721 collections, one of an ERC-1155, and a node that answers for them. */
  async function world(count: number, answer: (to: string, data: string) => Said) {
    const { schema, index } = await indexFrom(1);
    const mints = [COLLECTIONS[0], OTHER].flatMap((token) =>
      Array.from({ length: count }, (_, place) =>
        logOf(erc721, token ?? ZERO, [ZERO, ALICE, BigInt(place + 1)]),
      ),
    );
    const item = logOf(single, COLLECTIONS[1] ?? ZERO, [ALICE, ZERO, ALICE, 7n, 1n]);
    await append(index, [linkedBlock(1, [...mints, item])]);
    const node = createFakeNode(({ params }) => {
      const { to, data } = params[0] as { to: string; data: string };
      return answer(to, data);
    });
    const patient = createRetryingClient(node, { now: () => 0 }, async () => {});
    const describeItems = createItemDescriber({
      chain: connectionTo(database.writer, schema),
      node: patient,
    });
    const told = async () =>
      (
        await database.admin.query(
          `SELECT '0x' || encode(token, 'hex') AS token, token_id::int AS id, asked_uri, asked_uri_size, uri_attempts
           FROM ${schema}.nft_items ORDER BY 1, 2`,
        )
      ).rows;
    return { describeItems, node, told };
  }

  test('are what each contract says by its standard, once; null where it says nothing', async () => {
    const { describeItems, node, told } = await world(2, (to, data) => {
      if (to === OTHER) return { error: { code: 3, message: 'execution reverted' } };
      return { result: text(`${data.slice(0, 10)}/${BigInt(`0x${data.slice(10)}`)}`) };
    });
    expect(await describeItems(100, options)).toBe(5);
    expect(await describeItems(100, options)).toBe(0);
    expect(node.requests.flat()).toHaveLength(5);
    const done = { uri_attempts: null };
    const said = { asked_uri_size: 12, ...done };
    expect(await told()).toEqual([
      { token: COLLECTIONS[0], id: 1, asked_uri: '0xc87b56dd/1', ...said },
      { token: COLLECTIONS[0], id: 2, asked_uri: '0xc87b56dd/2', ...said },
      { token: COLLECTIONS[1], id: 7, asked_uri: '0x0e89341c/7', ...said },
      { token: OTHER, id: 1, asked_uri: null, asked_uri_size: null, ...done },
      { token: OTHER, id: 2, asked_uri: null, asked_uri_size: null, ...done },
    ]);
  });

  test('are asked for to the end, also those before the collections that were asked last', async () => {
    const { describeItems } = await world(2, () => ({ result: text('a') }));
    const asked: number[] = [];
    while (asked.at(-1) !== 0) asked.push(await describeItems(1, options));
    expect(asked).toEqual([1, 1, 1, 1, 1, 0]);
  });

  test.each<[string, Said, string | null, number | null]>([
    ['no text', { result: '0x' }, null, null],
    ['an empty text', { result: text('') }, null, null],
    ['more than is kept', { result: text('a'.repeat(24_575)) }, null, 24_575],
    ['more than is kept as JSON', { result: text('"'.repeat(12_288)) }, null, 12_288],
    ['as much as is kept', { result: text('a'.repeat(24_574)) }, 'a'.repeat(24_574), 24_574],
    ['what PostgreSQL cannot hold, quotes and braces', { result: text('a\0"{},\'\\') }, 'a"{},\'\\', 8],
  ])('of %s', async (_, said, uri, size) => {
    const { describeItems, told } = await world(1, () => said);
    await describeItems(100, options);
    for (const row of await told())
      expect(row).toMatchObject({ asked_uri: uri, asked_uri_size: size, uri_attempts: null });
  });

  test('collections take turns, however many items one has', async () => {
    const { describeItems, node } = await world(9, () => ({ result: text('ipfs://') }));
    const asked: string[][] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const before = node.requests.flat().length;
      await describeItems(4, options);
      asked.push(
        node.requests
          .flat()
          .slice(before)
          .map(({ params }) => (params[0] as { to: string }).to),
      );
    }
    expect(asked[0]).toEqual([COLLECTIONS[0], COLLECTIONS[1], OTHER]);
    expect(asked.flat().filter((to) => to === OTHER)).toHaveLength(3);
  });

  test('an item for which the node fails is asked five times, and holds up no other', async () => {
    const { describeItems, told } = await world(1, (to) =>
      to === OTHER
        ? { error: { code: -32005, message: 'daily limit exceeded' } }
        : { result: text('ipfs://') },
    );
    for (let attempt = 0; attempt < 12; attempt += 1) await describeItems(1, options).catch(() => undefined);
    expect((await told()).map(({ asked_uri, uri_attempts }) => [asked_uri, uri_attempts])).toEqual([
      ['ipfs://', null],
      ['ipfs://', null],
      [null, null],
    ]);
  });
});
