import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { Hex, RawCall } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { ALICE, BOB, PLAIN, rawBlock, rawTransaction, TOKEN } from './raw-blocks.ts';

function call(change: Partial<RawCall> = {}): RawCall {
  return {
    type: 'CALL',
    from: ALICE,
    to: BOB,
    value: 5n,
    gas: 100n,
    gasUsed: 50n,
    input: '0x',
    output: '0x',
    error: null,
    revertReason: null,
    calls: [],
    ...change,
  };
}

function tracesOf(...calls: RawCall[]) {
  const transactions = calls.map((_, index) => rawTransaction(index));
  return decodeBlock(rawBlock(transactions, { traces: { kind: 'traced', calls } }), PLAIN);
}

test('calls are flattened depth first, with the places of all parents', () => {
  const leaf = call({ type: 'STATICCALL' });
  const { traces } = tracesOf(call({ calls: [call({ calls: [leaf, leaf] }), leaf] }), leaf);
  expect(traces.map((row) => [row.tx_index, row.trace_index, row.trace_address, row.subcalls])).toEqual([
    [0, 0, '', 2],
    [0, 1, '0', 2],
    [0, 2, '0,0', 0],
    [0, 3, '0,1', 0],
    [0, 4, '1', 0],
    [1, 0, '', 0],
  ]);
});

test('what a failed call called is reverted with it', () => {
  const { traces } = tracesOf(
    call({
      calls: [
        call({
          error: 'out of gas',
          calls: [call(), call({ error: 'execution reverted', revertReason: 'no\0', calls: [call()] })],
        }),
        call(),
      ],
    }),
  );
  expect(traces.map((row) => [row.error, row.reverted_by_parent, row.revert_reason])).toEqual([
    [null, false, null],
    ['out of gas', false, null],
    ['out of gas', true, null],
    ['execution reverted', true, 'no'],
    ['execution reverted', true, null],
    [null, false, null],
  ]);
});

test.each([
  ['DELEGATECALL', 'DELEGATECALL', 0n],
  ['STATICCALL', 'STATICCALL', 0n],
  ['SELFDESTRUCT', 'SELFDESTRUCT', 5n],
  ['CALLCODE', 'CALLCODE', 5n],
  ['CREATE2', 'CREATE2', 5n],
  ['INVALID', 'CALL', 5n],
])('%s is %s and moves %s', (type, expectedType, value) => {
  expect(tracesOf(call({ type })).traces).toMatchObject([{ type: expectedType, value }]);
});

test('a method is that of a call, not of a creation', () => {
  const input = '0x12345678aa';
  expect(tracesOf(call({ input }), call({ input, type: 'CREATE', to: null })).traces).toMatchObject([
    { method_id: '0x12345678', to_address: BOB },
    { method_id: null, to_address: null },
  ]);
});

test('long input and output are in pieces', () => {
  const input: Hex = `0x${'ab'.repeat(16_384 + 24_576 + 1)}`;
  const { traces, data_pieces } = tracesOf(call({ calls: [call({ input, output: input, from: TOKEN })] }));
  expect(traces[1]).toMatchObject({ input_size: 40_961, output_size: 40_961 });
  const place = { block_number: 7, item_index: 0, part_index: 1 };
  expect(data_pieces.map(({ data, ...rest }) => [rest, data.length / 2 - 1])).toEqual([
    [{ ...place, kind: 'trace_input', piece: 1 }, 24_576],
    [{ ...place, kind: 'trace_input', piece: 2 }, 1],
    [{ ...place, kind: 'trace_output', piece: 1 }, 24_576],
    [{ ...place, kind: 'trace_output', piece: 2 }, 1],
  ]);
});

test('a block without traces is a gap', () => {
  const traces = { kind: 'gap', reason: 'node_pruned', message: 'missing trie node' } as const;
  expect(decodeBlock(rawBlock([rawTransaction(0)], { traces }), PLAIN)).toMatchObject({
    traces: [],
    trace_gap: { block_number: 7, reason: 'node_pruned', last_error: 'missing trie node' },
  });
});

test('a thousand calls deep', () => {
  let deep = call();
  for (let depth = 0; depth < 1_024; depth += 1) deep = call({ calls: [deep] });
  expect(tracesOf(deep).traces).toHaveLength(1_025);
});
