import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportRange } from '../../bin/operator/files/export-range.ts';
import { folderFiles, readManifests } from '../../bin/operator/files/folder-files.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { ALL_STRICT } from '../../lambdas/indexer/blocks/block-error.ts';
import { MAX_PART_BLOCKS } from '../../lambdas/indexer/files/manifest.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { rawBlock, word } from '../chain-data/decode/raw-blocks.ts';
import { answersOf, makeChain } from '../indexer/fetch/node-chain.ts';
import { blocksOf, CHAIN_ID, likeOfNode } from '../indexer/files/memory-files.ts';
import { makeForkingChain } from '../indexer/follow/forking-chain.ts';
import { answering } from '../nodes/replies.ts';
import { startScriptedNode } from '../nodes/scripted-node.ts';
import { BARE_CONTEXT } from './bare-context.ts';
import { capturedRun } from './captured-run.ts';

const PAGE = 16;
const chain = makeForkingChain(60).blocks.map(likeOfNode);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** The reader of a chain in memory, which fails at a block. */
function readerOf(blocks: readonly RawBlock[], failAt = Number.POSITIVE_INFINITY) {
  return {
    async *pages(from: number, to: number) {
      for (let first = from; first <= to; first += PAGE) {
        if (first + PAGE > failAt) throw new Error('the node is gone');
        yield blocks.slice(first, Math.min(to, first + PAGE - 1) + 1);
      }
    },
  };
}

function write(from: number, to: number, reader = readerOf(chain), chainId = CHAIN_ID) {
  const told: string[] = [];
  const onPart = ({ from_block, to_block }: { from_block: number; to_block: number }, known: boolean) =>
    void told.push(`${from_block}-${to_block}${known ? ' known' : ''}`);
  return exportRange({
    reader,
    chainId,
    isRelaxed: ALL_STRICT,
    folder,
    range: { from, to },
    clock: systemClock,
    onPart,
  }).then((report) => ({ ...report, told }));
}

async function blocksOfFolder() {
  const blocks: RawBlock[] = [];
  for (const manifest of await readManifests(folder))
    blocks.push(...(await blocksOf(folderFiles(folder), manifest)));
  return blocks;
}

test('a range is written to files that have all of it', async () => {
  expect(await write(5, 55)).toMatchObject({ parts: 1, written: 1, told: ['5-55'] });
  expect(await blocksOfFolder()).toEqual(chain.slice(5, 56));
  expect((await readdir(folder)).sort()).toEqual(
    ['blocks', 'logs', 'manifests', 'traces', 'transactions', 'withdrawals'].sort(),
  );
});

test('what is there stays, and gaps are filled: an export goes on where it was stopped', async () => {
  await write(20, 29);
  await expect(write(0, 60, readerOf(chain, 50))).rejects.toThrow('the node is gone');
  expect((await readManifests(folder)).map(({ from_block }) => from_block)).toEqual([0, 20]);
  expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('unfinished'));
  expect((await write(0, 60)).told).toEqual(['0-19 known', '20-29 known', '30-60']);
  expect(await blocksOfFolder()).toEqual(chain);
});

test('a chain whose blocks are empty for long is written in parts of a bounded number of blocks', async () => {
  const last = 2 * MAX_PART_BLOCKS;
  const empty = Array.from({ length: last + 1 }, (_, number) =>
    likeOfNode(rawBlock([], { number, hash: word(number + 1), parentHash: word(number), timestamp: number })),
  );
  const { parts, bytes } = await write(0, last, readerOf(empty));
  expect(parts).toBe(3);
  expect(bytes / last).toBeLessThan(100);
  expect((await blocksOfFolder()).length).toBe(last + 1);
}, 120_000);

test('parts of another chain, or that do not follow, are refused by name', async () => {
  await write(0, 9);
  await expect(write(0, 60, readerOf(chain), 1)).rejects.toThrow(
    'file manifests/000000000000-000000000009.json is refused: it is of the chain with id 31337, not 1',
  );
  const forked = makeForkingChain(60);
  forked.fork(5, 60);
  await expect(write(0, 60, readerOf(forked.blocks.map(likeOfNode)))).rejects.toThrow(
    'file manifests/000000000010-000000000060.json is refused: it does not follow the part before',
  );
  await expect(write(0, 5)).rejects.toThrow('it reaches beyond block 5');
});

test.each([
  ['no JSON', '{', 'it is not JSON'],
  ['of no known layout', '{"layout":"other"}', 'its layout "other" is not known: export it anew'],
  ['without a range', '{"layout":"gateway-blocks-2","chain_id":1}', 'it names no chain or no range'],
])('a manifest that is %s is refused by name', async (_, text, reason) => {
  await write(0, 9);
  await writeFile(join(folder, 'manifests/000000000010-000000000019.json'), text);
  await expect(write(0, 60)).rejects.toThrow(
    `file manifests/000000000010-000000000019.json is refused: ${reason}`,
  );
});

test('the command reads a node, and refuses blocks that are not final', async () => {
  const json = makeChain(300, 2);
  let chainId = '"0x7a69"';
  const answerOf = answersOf(json);
  const node = await startScriptedNode(
    answering(({ id, method, params = [] }) => {
      if (method === 'eth_chainId') return { result: chainId };
      const said = answerOf({ id, method, params: params[0] === 'latest' ? ['0x12b'] : params });
      return 'result' in said
        ? { result: JSON.stringify(said.result) }
        : { error: JSON.stringify(said.error) };
    }),
  );
  const run = (line: string) => capturedRun([...line.split(' '), '--local'], BARE_CONTEXT);
  try {
    const relaxed = `--node ${node.url} --to ${folder} --relax logsBloom`;
    expect(await run(`export-range made_chain 0 299 ${relaxed}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/LAST is above the newest final block of the node, \d+\n$/),
    });
    const strict = await run(`export-range made_chain 0 9 --node ${node.url} --to ${folder}`);
    expect(strict.stderr).toContain('relax the check');
    expect(await readManifests(folder)).toEqual([]);
    const unverified = await run(`export-range made_chain 0 9 ${relaxed}`);
    expect(unverified.stderr).toContain('does not match its hash');
    expect(await readManifests(folder)).toEqual([]);
    const unformed = await run(`export-range made_chain 10 19 ${relaxed} --form none`);
    expect(unformed).toMatchObject({ exitCode: 0 });
    await rm(join(folder, 'manifests'), { recursive: true });
    expect((await run(`export-range made_chain 10 19 ${relaxed} --form x`)).exitCode).toBe(2);
    // Of no known form.
    chainId = '"0x7a6a"';
    const done = await run(`export-range made_chain 0 9 ${relaxed} --json`);
    expect({ ...done, stdout: JSON.parse(done.stdout) }).toMatchObject({
      exitCode: 0,
      stdout: { chain: 'made_chain', from_block: 0, to_block: 9, parts: 1, written: 1 },
      stderr: expect.stringContaining('part_written'),
    });
    expect(
      JSON.parse(await readFile(join(folder, 'manifests/000000000000-000000000009.json'), 'utf8')),
    ).toMatchObject({
      chain_id: 31_338,
    });
    expect(
      (await run(`export-range made_chain 0 9 --node ${node.url} --to ${folder} --relax x`)).exitCode,
    ).toBe(2);
  } finally {
    await node.close();
  }
});
