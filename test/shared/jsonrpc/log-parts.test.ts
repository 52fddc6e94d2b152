/** A range of logs is cut without a gap, and its parts are joined to one list. */
import fc from 'fast-check';
import {
  blocksOfLogs,
  countOf,
  finalityTags,
  joinLists,
  partsOf,
  withBlocks,
} from '../../../lambdas/shared/jsonrpc/log-parts.ts';

const params = (filter: unknown) => Buffer.from(JSON.stringify([filter]));
const LATEST = { latest: 100 };

test('parts are the range, in order and without a gap', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.nat(10_000), fc.integer({ min: 1, max: 5_000 }), (from, more, size) => {
      const blocks = { from, to: from + more };
      const parts = partsOf(blocks, size);
      expect(parts[0]?.from).toBe(from);
      expect(parts.at(-1)?.to).toBe(blocks.to);
      // Jest is asked about what is wrong alone: there can be thousands of parts.
      const isWrong = (part: (typeof parts)[number], index: number) =>
        countOf(part) > size || (index > 0 && part.from !== (parts[index - 1]?.to ?? 0) + 1);
      expect(parts.filter(isWrong)).toEqual([]);
    }),
  );
});

test('lists that are joined are the list of all, whatever the space in them', () => {
  const space = fc.constantFrom('', ' ', '\n\t', '\r\n  ');
  const list = fc.tuple(fc.array(fc.jsonValue(), { maxLength: 4 }), space, space);
  fc.assert(
    fc.property(fc.array(list, { maxLength: 5 }), (lists) => {
      const bytes = lists.map(([items, before, after]) => {
        const inner = items.map((item) => JSON.stringify(item)).join(',');
        return Buffer.from(`${before}[${after}${inner}${before}]${after}`);
      });
      const joined = JSON.parse(Buffer.from(joinLists(bytes) ?? '').toString());
      expect(joined).toEqual(JSON.parse(JSON.stringify(lists.flatMap(([items]) => items))));
    }),
  );
  expect(joinLists([Buffer.from('{}')])).toBeUndefined();
});

test('the tags of finality that a call names, of which a block by its hash has none', () => {
  expect(finalityTags(params({ fromBlock: 'safe', toBlock: 'finalized' }))).toEqual(['safe', 'finalized']);
  expect(finalityTags(params({ fromBlock: '0x5', toBlock: 'latest' }))).toEqual([]);
  expect(finalityTags(params({ blockHash: `0x${'1'.repeat(64)}` }))).toEqual([]);
});

test('the blocks of a call, and the same call for others', () => {
  expect(blocksOfLogs(params({ fromBlock: '0x5', toBlock: 'latest' }), LATEST)).toEqual({ from: 5, to: 100 });
  expect(blocksOfLogs(params({ fromBlock: 'earliest', toBlock: '0xa' }), LATEST)).toEqual({
    from: 0,
    to: 10,
  });
  expect(blocksOfLogs(params({ fromBlock: '0x5', toBlock: 'finalized' }), LATEST)).toBeUndefined();
  expect(blocksOfLogs(params({ fromBlock: '0x5', toBlock: `0x${'f'.repeat(14)}` }), LATEST)).toBeUndefined();
  expect(blocksOfLogs(params({ blockHash: `0x${'1'.repeat(64)}` }), LATEST)).toBeUndefined();
  expect(blocksOfLogs(params({ fromBlock: '0x5', toBlock: '0x4' }), LATEST)).toBeUndefined();
  const other = withBlocks(params({ address: '0x01', FromBlock: '0x5', toBlock: 'latest' }), {
    from: 7,
    to: 9,
  });
  expect(JSON.parse(Buffer.from(other).toString())).toEqual([
    { address: '0x01', fromBlock: '0x7', toBlock: '0x9' },
  ]);
});
