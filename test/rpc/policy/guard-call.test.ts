/** State beyond the window, too many blocks of logs, and the present of a chain that syncs are refused. */
import { guardCall } from '../../../lambdas/rpc/policy/screen-calls.ts';
import type { HeadTracker } from '../../../lambdas/shared/upstream/routing/head-tracker.ts';

const HEAD = 10_000n;
const CHAIN = { maxLogsBlockRange: 100, stateWindowBlocks: 128 };
const HASH = `0x${'ab'.repeat(32)}`;

let asked: number;

/** How far behind the head the chain's finality is: that of a layer 2, thousands of blocks. */
const FINALITY_LAG = 5_000n;

function view({ syncing = false } = {}): HeadTracker {
  const read = async () => {
    asked += 1;
    return HEAD;
  };
  const tagged: HeadTracker['tagged'] = async (block) =>
    block === 'latest' ? read() : HEAD - (block === 'finalized' ? FINALITY_LAG : 50n);
  const whyUnknown = () => ({ reason: syncing ? 'node_syncing' : 'upstream_unavailable' }) as const;
  return {
    known: HEAD,
    readFinal: read,
    settled: async () => {},
    peek: read,
    glance: read,
    reach: () => undefined,
    watch: () => undefined,
    isYoung: () => true,
    bounds: () => undefined,
    askBeside: () => undefined,
    tagged,
    doubt: () => {},
    isSyncing: () => syncing,
    whyUnknown,
  };
}

const unknown = async () => undefined;
const UNKNOWN: HeadTracker = { ...view(), tagged: unknown, peek: unknown, glance: unknown };

beforeEach(() => {
  asked = 0;
});

async function reasonOf(
  method: string,
  params: readonly unknown[],
  seen = view(),
): Promise<string | undefined> {
  const call = { id: Buffer.from('1'), method, params: Buffer.from(JSON.stringify(params)) };
  return (await guardCall(call, { chain: CHAIN, view: seen, deadline: 0 }))?.reason;
}

const hex = (number: bigint) => `0x${number.toString(16)}`;
/** The oldest of the most recent 128 blocks. */
const OLDEST = HEAD - 127n;

describe('state', () => {
  test.each([
    ['eth_call', [{ to: '0x1' }]],
    ['eth_estimateGas', [{ to: '0x1' }]],
    ['eth_createAccessList', [{ to: '0x1' }]],
    ['eth_simulateV1', [{}]],
    ['debug_traceCall', [{ to: '0x1' }]],
    ['eth_getBalance', ['0x1']],
    ['eth_getCode', ['0x1']],
    ['eth_getTransactionCount', ['0x1']],
    ['eth_getStorageAt', ['0x1', '0x0']],
    ['eth_getProof', ['0x1', []]],
  ])('of a block beyond the window is refused: %s', async (method, before) => {
    expect(await reasonOf(method, [...before, hex(OLDEST - 1n)])).toBe('state_not_available');
    expect(await reasonOf(method, [...before, { blockNumber: hex(OLDEST - 1n) }])).toBe(
      'state_not_available',
    );
    expect(await reasonOf(method, [...before, 'earliest'])).toBe('state_not_available');
    expect(await reasonOf(method, [...before, hex(OLDEST)])).toBeUndefined();
    expect(await reasonOf(method, [...before, hex(HEAD + 5n)])).toBeUndefined();
    expect(await reasonOf(method, [...before, { blockHash: HASH }])).toBeUndefined();
  });

  test('historical state is not available beyond the most recent N blocks: for N = 128 head - 127 passes and head - 128 does not', async () => {
    for (const [behind, reason] of [
      [127n, undefined],
      [128n, 'state_not_available'],
    ] as const) {
      expect(await reasonOf('eth_getBalance', ['0x1', hex(HEAD - behind)])).toBe(reason);
    }
  });

  test('is let pass while the head is not known', async () => {
    expect(await reasonOf('eth_call', [{}, '0x1'], UNKNOWN)).toBeUndefined();
  });

  test('is not what blocks, logs and traces of the past are about', async () => {
    expect(await reasonOf('eth_getBlockByNumber', ['0x1', true])).toBeUndefined();
    expect(await reasonOf('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }])).toBeUndefined();
    expect(await reasonOf('debug_traceBlockByNumber', ['0x1'])).toBeUndefined();
    expect(asked).toBe(0);
  });

  test('beyond the window carries the number of blocks', async () => {
    const call = { id: Buffer.from('1'), method: 'eth_getBalance', params: Buffer.from('["0x1","0x1"]') };
    expect(await guardCall(call, { chain: CHAIN, view: view(), deadline: 0 })).toEqual({
      reason: 'state_not_available',
      parameters: { max: 128 },
      details: { max_blocks: 128 },
    });
  });
});

describe('while the chain syncs', () => {
  const syncing = view({ syncing: true });

  test.each<[string, readonly unknown[]]>([
    ['eth_blockNumber', []],
    ['eth_gasPrice', []],
    ['eth_call', [{}, 'latest']],
    ['eth_call', [{}]],
    ['eth_getBalance', ['0x1', 'pending']],
    ['eth_getBlockByNumber', ['safe', false]],
    ['eth_feeHistory', ['0x1', 'latest', []]],
    ['eth_getLogs', [{}]],
  ])('what depends on the newest block is refused: %s', async (method, params) => {
    expect(await reasonOf(method, params, syncing)).toBe('node_syncing');
  });

  test.each<[string, readonly unknown[]]>([
    ['eth_getBlockByNumber', [hex(HEAD + 1n), false]],
    ['eth_call', [{}, hex(HEAD + 1n)]],
    ['eth_getBalance', ['0x1', { blockNumber: hex(HEAD + 1_000n) }]],
    ['debug_traceBlockByNumber', [hex(HEAD + 1n)]],
  ])('what is pinned to a block above what the node has is refused: %s', async (method, params) => {
    expect(await reasonOf(method, params, syncing)).toBe('node_syncing');
    expect(await reasonOf(method, params)).toBeUndefined();
  });

  test.each<[string, readonly unknown[]]>([
    ['eth_chainId', []],
    ['eth_syncing', []],
    ['net_version', []],
    ['web3_clientVersion', []],
    ['eth_getBlockByNumber', ['0x10', false]],
    ['eth_getBlockByHash', [HASH, false]],
    ['eth_getTransactionReceipt', [HASH]],
    ['eth_call', [{}, hex(HEAD - 1n)]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]],
    ['eth_sendRawTransaction', ['0x00']],
  ])('the rest still passes: %s', async (method, params) => {
    expect(await reasonOf(method, params, syncing)).toBeUndefined();
  });
});

describe('logs', () => {
  test('of too many blocks are refused', async () => {
    expect(await reasonOf('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x64' }])).toBeUndefined();
    expect(await reasonOf('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x65' }])).toBe(
      'logs_range_too_large',
    );
    expect(await reasonOf('eth_getLogs', [{ fromBlock: hex(HEAD - 99n) }])).toBeUndefined();
    expect(await reasonOf('eth_getLogs', [{ fromBlock: hex(HEAD - 100n) }])).toBe('logs_range_too_large');
  });

  test('of too many blocks are refused without a question where the head can only be where it is', async () => {
    const known = { ...UNKNOWN, bounds: () => ({ least: HEAD, most: HEAD }) };
    const reasonFrom = (from: bigint) => reasonOf('eth_getLogs', [{ fromBlock: hex(from) }], known);
    expect(await reasonFrom(HEAD - 99n)).toBeUndefined();
    expect(await reasonFrom(HEAD - 100n)).toBe('logs_range_too_large');
  });

  test('from or to the finalized block are counted from where the node has it', async () => {
    const lower = hex(HEAD - FINALITY_LAG - 99n);
    expect(await reasonOf('eth_getLogs', [{ fromBlock: 'finalized', toBlock: 'latest' }])).toBe(
      'logs_range_too_large',
    );
    expect(await reasonOf('eth_getLogs', [{ fromBlock: 'safe', toBlock: 'latest' }])).toBeUndefined();
    expect(await reasonOf('eth_getLogs', [{ fromBlock: lower, toBlock: 'finalized' }])).toBeUndefined();
    expect(
      await reasonOf('eth_getLogs', [{ fromBlock: hex(HEAD - FINALITY_LAG - 100n), toBlock: 'finalized' }]),
    ).toBe('logs_range_too_large');
  });

  test('from a finalized block that no node tells cannot be judged', async () => {
    const silent = async () => undefined;
    const filter = { fromBlock: 'finalized', toBlock: hex(HEAD) };
    expect(await reasonOf('eth_getLogs', [filter], { ...view(), tagged: silent })).toBe(
      'upstream_unavailable',
    );
    expect(await reasonOf('eth_getLogs', [filter], { ...view({ syncing: true }), tagged: silent })).toBe(
      'node_syncing',
    );
    const one = { fromBlock: 'safe', toBlock: 'safe' };
    expect(await reasonOf('eth_getLogs', [one], { ...view(), tagged: silent })).toBeUndefined();
  });

  test('up to a head that is not known cannot be judged', async () => {
    expect(await reasonOf('eth_getLogs', [{ fromBlock: '0x1' }], UNKNOWN)).toBe('upstream_unavailable');
  });
});
