import fc from 'fast-check';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { relaxedBy } from '../../../lambdas/indexer/blocks/block-error.ts';
import { type Manifest, parseManifest } from '../../../lambdas/indexer/files/manifest.ts';
import { word } from '../../chain-data/decode/raw-blocks.ts';
import { denseBlocks } from '../../operator/fill/dense-chain.ts';
import { repetitions } from '../../support/at-length.ts';
import { makeForkingChain } from '../follow/forking-chain.ts';
import { anyBlock } from './any-block.ts';
import { blocksOf, likeOfNode, MemoryFiles, partOf, restated } from './memory-files.ts';

const chain = makeForkingChain(40).blocks.map(likeOfNode);

/** The chain with one block changed. */
function withBlock(number: number, change: (block: RawBlock) => RawBlock): RawBlock[] {
  return chain.map((block) => (block.number === number ? change(block) : block));
}

const refusalOf = async (blocks: Iterable<RawBlock>, change = (manifest: Manifest) => manifest) => {
  const { files, manifest } = await partOf(blocks);
  return blocksOf(files, change(manifest)).then(
    () => 'not refused',
    (error: Error) => error.message,
  );
};

test('blocks are read as they were written', async () => {
  const dense = denseBlocks(8).map(likeOfNode);
  const { files, manifest } = await partOf(dense);
  expect(await blocksOf(files, manifest)).toEqual(dense);
});

test('any block is read as it was written', async () => {
  await fc.assert(
    fc.asyncProperty(anyBlock(), async (block) => {
      const { files, manifest } = await partOf([block]);
      expect(await blocksOf(files, manifest, relaxedBy([{ check: 'missingMembers' }]))).toEqual([block]);
    }),
    { numRuns: repetitions(60) },
  );
});

test('the manifest names range, counts, bytes, hashes and links, and is read as it was written', async () => {
  const { files, manifest } = await partOf(chain);
  expect(manifest).toMatchObject({
    chain_id: 31_337,
    from_block: 0,
    to_block: 40,
    first_parent: chain[0]?.parentHash,
    last_hash: chain[40]?.hash,
  });
  expect(manifest.files.map(({ name, rows }) => [name, rows])).toEqual([
    ['blocks/000000000000-000000000040.parquet', 41],
    ['transactions/000000000000-000000000040.parquet', chain.flatMap((one) => one.transactions).length],
    ['logs/000000000000-000000000040.parquet', expect.any(Number)],
    ['traces/000000000000-000000000040.parquet', expect.any(Number)],
    ['withdrawals/000000000000-000000000040.parquet', 0],
  ]);
  expect(restated(manifest, files)).toEqual(manifest);
  expect(parseManifest('m', JSON.stringify(manifest))).toEqual(manifest);
});

describe('a part is refused by the name of its file', () => {
  test('if a block does not follow the one before', async () => {
    const { files, manifest } = await partOf(chain.slice(0, 20));
    const later = await partOf(chain.slice(20));
    expect(await blocksOf(files, manifest)).toHaveLength(20);
    expect(await refusalOf(chain, (one) => ({ ...one, first_parent: word(99) }))).toMatch(
      /^file blocks\/0+-0+40\.parquet is refused: block 0: wrong_parent/,
    );
    expect(later.manifest.first_parent).toBe(manifest.last_hash);
  });

  test('if its last block is not that of its manifest', async () => {
    expect(await refusalOf(chain, (one) => ({ ...one, last_hash: word(99) }))).toContain(
      'its last block is not that of its manifest',
    );
  });

  test('if it has other blocks than its name says', async () => {
    const { files, manifest } = await partOf(chain.slice(10, 20));
    const named = { ...manifest, from_block: 20, to_block: 29 };
    expect(() => parseManifest('m', JSON.stringify(named))).toThrow(
      'file blocks/000000000010-000000000019.parquet is refused: its name is not that of blocks 20 to 29',
    );
    await expect(blocksOf(files, named)).rejects.toThrow('rows of block 10 are doubled');
    const longer = { ...manifest, to_block: 20 };
    await expect(blocksOf(files, longer)).rejects.toThrow('block 20: it is not there');
    const shorter = { ...manifest, to_block: 18 };
    await expect(blocksOf(files, shorter)).rejects.toThrow('it continues with block 19');
  });

  test('if it is of another chain', async () => {
    expect(await refusalOf(chain, (one) => ({ ...one, chain_id: 1 }))).toContain(
      'it is of the chain with id 1, not 31337',
    );
  });

  test('if a log is missing that the bloom counts, or another is there', async () => {
    const busy = chain.find(
      ({ transactions }) => (transactions[0]?.receipt.logs.length ?? 0) > 1,
    ) as RawBlock;
    const changed = withBlock(busy.number, (block) => ({
      ...block,
      transactions: block.transactions.map((one) => ({
        ...one,
        receipt: { ...one.receipt, logs: one.receipt.logs.slice(0, 1) },
      })),
    }));
    expect(await refusalOf(changed)).toContain('bloom of other logs; if blocks of this chain are so, relax');
    const { files, manifest } = await partOf(changed);
    expect(await blocksOf(files, manifest, relaxedBy([{ check: 'extraBloomBits' }]))).toEqual(changed);
    const bloomless = withBlock(3, (block) => ({ ...block, logsBloom: null }));
    expect(await refusalOf(bloomless)).toContain('block 3 has no bloom to compare its logs with');
  });

  test('if rows are missing that the block counts', async () => {
    const busy = chain.find(
      ({ transactions, traces }) => transactions.length > 0 && traces.kind === 'traced',
    ) as RawBlock;
    for (const lacked of ['transactions', 'logs', 'traces']) {
      const { files, manifest } = await partOf(chain, undefined, undefined, (table, row) =>
        table === lacked && row.block_number === busy.number ? [] : [row],
      );
      await expect(blocksOf(files, manifest)).rejects.toThrow(
        new RegExp(`block ${busy.number}: ${lacked} has 0 rows, and the block counts [1-9]`),
      );
    }
  });

  test('if a key stands twice', async () => {
    const { files, manifest } = await partOf(chain, undefined, undefined, (table, row) =>
      table === 'logs' && row.block_number === 0 ? [row, row] : [row],
    );
    await expect(blocksOf(files, manifest)).rejects.toThrow(
      'file blocks/000000000000-000000000040.parquet is refused: block 0: logs has 2 rows, and the block counts 1',
    );
    const counted = await partOf(chain, undefined, undefined, (table, row) => {
      if (row.block_number !== 0) return [row];
      if (table === 'logs') return [row, row];
      return table === 'blocks' ? [{ ...row, log_count: 2 }] : [row];
    });
    await expect(blocksOf(counted.files, counted.manifest)).rejects.toThrow(
      'logs.log_index does not count from 0',
    );
  });

  test('if it has other rows than its manifest says, or another length', async () => {
    expect(
      await refusalOf(chain, (one) => ({ ...one, files: one.files.map((file) => ({ ...file, rows: 7 })) })),
    ).toContain('it has 41 rows, and its manifest says 7');
  });

  test('if it is cut, empty, or no Parquet', async () => {
    for (const keep of [0, 3, 8, 0.5, 0.999]) {
      const { files, manifest } = await partOf(chain);
      const name = manifest.files[2]?.name ?? '';
      const bytes = files.bytes.get(name) as Uint8Array;
      files.bytes.set(name, bytes.subarray(0, keep < 1 ? Math.floor(bytes.length * keep) : keep));
      await expect(blocksOf(files, manifest)).rejects.toThrow(
        'file logs/000000000000-000000000040.parquet is refused: it cannot be read: ',
      );
    }
  });
});

test('bytes that cannot be fetched are no fault of the file', async () => {
  const { files, manifest } = await partOf(chain);
  const broken = {
    open: async (file: { readonly name: string }) => ({
      ...(await files.open(file)),
      slice: async () => {
        throw new Error('S3 answered with status 503');
      },
    }),
  };
  await expect(blocksOf(broken, manifest)).rejects.toThrow(/^S3 answered with status 503$/);
});

test('one byte that is changed anywhere never gives other blocks', async () => {
  const { files, manifest } = await partOf(chain.slice(0, 6));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files.bytes.keys()),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
      async (name, place, flip) => {
        const changed = new MemoryFiles();
        for (const [file, bytes] of files.bytes) changed.bytes.set(file, Uint8Array.from(bytes));
        const bytes = changed.bytes.get(name) as Uint8Array;
        const at = Math.floor(place * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        // The hash of the manifest finds every change; without it a change is refused or changes a value, but never crashes.
        await blocksOf(changed, manifest).catch((error: Error) => {
          if (error.name !== 'FileRefusedError') throw error;
        });
      },
    ),
    { numRuns: repetitions(150) },
  );
});
