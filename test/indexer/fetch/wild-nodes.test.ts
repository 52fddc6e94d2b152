import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { createBlockReader } from '../../../lambdas/indexer/fetch/read-blocks.ts';
import type { PostedResponse } from '../../../lambdas/shared/http/send-request.ts';
import { createNodeLessons } from '../../../lambdas/shared/upstream/health/node-lessons.ts';
import { type Answerer, createFakeNode, httpResponse, type ReceivedCall } from './fake-node.ts';
import { answersOf, makeChain, type NodeJson } from './node-chain.ts';

const LENGTH = 60;
const BLOCK_TRACES = 'debug_traceBlockByNumber';
const RECEIPTS = 'eth_getBlockReceipts';
const TRACE_METHODS = [BLOCK_TRACES, 'trace_block', 'debug_traceTransaction'];
const PLAN = 'is not available on the Free tier - upgrade to Pay As You Go';

const chain = makeChain(LENGTH);
const usual = answersOf(chain);

type Limit = (calls: readonly ReceivedCall[], isBatch: boolean) => string | PostedResponse | undefined;

const errorBody = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });
const isOf = (methods: readonly string[]) => (calls: readonly ReceivedCall[]) =>
  calls.some(({ method }) => methods.includes(method));
/** Refuses requests in which there is a call of some methods, as a whole. */
const refusing = (methods: readonly string[], response: PostedResponse): Limit => {
  const isRefused = isOf(methods);
  return (calls) => (isRefused(calls) ? response : undefined);
};
const ofBatches =
  (response: PostedResponse): Limit =>
  (_, isBatch) =>
    isBatch ? response : undefined;
/** Answers calls of some methods with an error each. */
const lacking =
  (methods: readonly string[], code: number, message: string): Answerer =>
  (call) =>
    methods.includes(call.method) ? { error: { code, message } } : usual(call);

/** The flat form of a trace, as `trace_block` has it. */
function flatTraces(number: number): NodeJson[] {
  const traces = (chain[number]?.traces ?? []).flatMap(({ txHash, result }, index) => {
    const { calls, type, ...action } = result as NodeJson;
    const [child] = calls as NodeJson[];
    const place = { transactionHash: txHash, transactionPosition: index, blockNumber: number };
    const shown = { gasUsed: action.gasUsed, output: action.output };
    return [
      {
        ...place,
        type: 'call',
        traceAddress: [],
        subtraces: 1,
        action: { ...action, callType: 'call' },
        result: shown,
      },
      {
        ...place,
        ...{ type: 'call', traceAddress: [0], subtraces: 0 },
        action: { ...child, callType: 'staticcall', value: '0x0' },
        result: { gasUsed: '0x1', output: '0x' },
      },
    ];
  });
  return [
    ...traces,
    { type: 'reward', action: { author: '0x0' }, traceAddress: [], subtraces: 0, result: null },
  ];
}

/** Has the traces of a chain in another form than by blocks. */
const tracing =
  (method: 'trace_block' | 'debug_traceTransaction'): Answerer =>
  (call) => {
    if (call.method === method && method === 'trace_block')
      return { result: flatTraces(Number(call.params[0])) };
    if (call.method === method)
      return {
        result: chain.flatMap(({ traces }) => traces).find(({ txHash }) => txHash === call.params[0])?.result,
      };
    return lacking(TRACE_METHODS, -32601, 'method not found')(call);
  };

interface Behaviour {
  readonly name: string;
  readonly answer?: Answerer;
  readonly limit?: Limit;
  /** @default traced */
  readonly traces?: 'traced' | 'unsupported' | 'timeout' | 'not_started';
  readonly wanted?: boolean;
  /** Most requests for the whole chain. */
  readonly requests: number;
}

/** What a node says that has no traces. */
const WITHOUT_TRACES: Readonly<Record<string, Pick<Behaviour, 'answer' | 'limit'>>> = {
  '403 with the words of a plan': {
    limit: refusing(TRACE_METHODS, httpResponse(403, errorBody(-32600, `${BLOCK_TRACES} ${PLAN}`))),
  },
  'one object for the whole batch': {
    limit: refusing(TRACE_METHODS, httpResponse(200, errorBody(-32601, 'the method does not exist'))),
  },
  '404 with one object': {
    limit: refusing(TRACE_METHODS, httpResponse(404, errorBody(-32601, 'Method not found'))),
  },
  '405 with one object': {
    limit: refusing(TRACE_METHODS, httpResponse(405, errorBody(-32000, 'Not Allowed'))),
  },
  '403 with text': { limit: refusing(TRACE_METHODS, httpResponse(403, 'Forbidden')) },
  'words of a plan in each answer': { answer: lacking(TRACE_METHODS, -32600, `${BLOCK_TRACES} ${PLAN}`) },
  'module disabled': { answer: lacking(TRACE_METHODS, -32000, 'Module debug is disabled') },
  'Besu, method not enabled': { answer: lacking(TRACE_METHODS, -32604, 'Method not enabled') },
};

const BEHAVIOURS: readonly Behaviour[] = [
  { name: 'no quirks', requests: 20 },
  ...Object.entries(WITHOUT_TRACES).map(
    ([name, said]): Behaviour => ({ name: `traces: ${name}`, ...said, traces: 'unsupported', requests: 20 }),
  ),
  {
    name: 'traces: too slow',
    answer: lacking(TRACE_METHODS, -32000, 'execution timeout'),
    traces: 'timeout',
    requests: 30,
  },
  { name: 'traces by trace_block', answer: tracing('trace_block'), requests: 40 },
  { name: 'traces by debug_traceTransaction', answer: tracing('debug_traceTransaction'), requests: 80 },
  { name: 'traces are not wanted', wanted: false, traces: 'not_started', requests: 12 },
  {
    name: 'receipts: 400 with one object for the batch',
    limit: refusing([RECEIPTS], httpResponse(400, errorBody(-32601, 'Method not found'))),
    requests: 90,
  },
  {
    name: 'receipts: 200 with one object for the batch',
    limit: refusing([RECEIPTS], httpResponse(200, errorBody(-32601, 'no such method'))),
    requests: 90,
  },
  {
    name: 'receipts: not found in each answer',
    answer: lacking([RECEIPTS], -32601, 'the method does not exist'),
    requests: 90,
  },
  {
    name: 'batches are disabled',
    limit: ofBatches(httpResponse(200, errorBody(-32600, 'batch requests are disabled'))),
    requests: 400,
  },
  {
    name: 'batches are disabled, status 400',
    limit: ofBatches(httpResponse(400, errorBody(-32600, 'batch requests are disabled'))),
    requests: 400,
  },
  {
    name: 'an array is an invalid request',
    limit: ofBatches(httpResponse(200, errorBody(-32600, 'Invalid Request'))),
    requests: 400,
  },
  {
    name: 'at most 10 calls',
    limit: (calls) => (calls.length > 10 ? 'batch limit 10 exceeded' : undefined),
    requests: 90,
  },
  {
    name: 'Besu: at most 10 calls',
    limit: (calls) =>
      calls.length > 10
        ? httpResponse(200, errorBody(-32005, 'Number of requests exceeds max batch size'))
        : undefined,
    requests: 90,
  },
  {
    name: 'responses of 20 calls are too large',
    limit: (calls) =>
      calls.length > 20 ? httpResponse(200, errorBody(-32003, 'response too large')) : undefined,
    requests: 40,
  },
];

async function readChain({ answer = usual, limit, wanted = true }: Behaviour) {
  let now = 0;
  const clock = { now: () => now };
  const node = createFakeNode(answer, limit);
  const known = { ...node, lessons: createNodeLessons(clock) };
  const wait = async (ms: number) => {
    now += ms;
  };
  const reader = createBlockReader({ node: known, clock, wait, traces: wanted });
  const blocks: RawBlock[] = [];
  for await (const block of reader.read(0, LENGTH - 1, { deadline: 10_000_000 })) blocks.push(block);
  return { blocks, node };
}

const kindOf = ({ traces }: RawBlock) => (traces.kind === 'gap' ? traces.reason : traces.kind);

test.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))(
  'a node with %s is read to its head',
  async (_, behaviour) => {
    const { blocks, node } = await readChain(behaviour);
    expect(blocks.map(({ number }) => number)).toEqual(chain.map((_block, number) => number));
    const kinds = new Set(blocks.map(kindOf));
    expect([...kinds]).toEqual([behaviour.traces ?? 'traced']);
    expect(node.requests.length).toBeLessThanOrEqual(behaviour.requests);
  },
);

test('every way of asking for traces tells the same', async () => {
  const [byBlock, flat, byTransaction] = await Promise.all(
    ['no quirks', 'traces by trace_block', 'traces by debug_traceTransaction'].map((name) =>
      readChain(BEHAVIOURS.find((behaviour) => behaviour.name === name) as Behaviour),
    ),
  );
  expect(flat?.blocks).toEqual(byBlock?.blocks);
  expect(byTransaction?.blocks).toEqual(byBlock?.blocks);
});

test('a flat list of traces that lacks one is no trace of the block', async () => {
  const answer: Answerer = (call) => {
    const said = tracing('trace_block')(call);
    return call.method === 'trace_block' && 'result' in said
      ? { result: (said.result as unknown[]).toSpliced(1, 1) }
      : said;
  };
  const { blocks } = await readChain({ name: 'one trace too few', answer, requests: 0 });
  expect(new Set(blocks.map(kindOf))).toEqual(new Set(['rpc_error']));
});
