/** A node that lies about what the chain fixes is named, and no honest one ever is. */
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { dispatch } from '../../lambdas/shared/upstream/asking/dispatch.ts';
import { finalizedBlock } from '../../lambdas/shared/upstream/routing/head-tracker.ts';
import type { RawResponse, ReceivedCall } from '../nodes/replies.ts';
import { hex, valueAt } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import {
  LIES,
  paymentOf,
  type ShownLie,
  SOFTWARE,
  type Software,
  spelledAnswer,
} from '../nodes/spelled-nodes.ts';
import { Random } from '../simulation/random.ts';
import { CHAIN } from './cache/cache-world.ts';
import { MemoryCacheStore } from './cache/memory-cache-store.ts';

const REQUEST_MS = 20_000;
/** Calls of one kind, each about another block. */
const CALLS = 10;
const FIRST = 5_000;
const ACCOUNT = `0x${'1'.padStart(40, '0')}`;
const WEI: ShownLie = (object) => object;

/** What calls of one kind ask of a block, and how a node lies about it. */
interface Kind {
  readonly asked: (block: number) => Call;
  readonly lie: ShownLie;
}

const transfer = (number: number) => call('eth_getTransactionByHash', [paymentOf(number)]);
const block = (number: number) => call('eth_getBlockByNumber', [hex(number), false]);
const logs = (number: number) => call('eth_getLogs', [{ fromBlock: hex(number), toBlock: hex(number) }]);
const receipt = (number: number) => call('eth_getTransactionReceipt', [paymentOf(number)]);
const balance = (number: number) => call('eth_getBalance', [ACCOUNT, hex(number)]);

const KINDS: readonly (readonly [lie: string, kind: Kind])[] = [
  ['txvalue', { asked: transfer, lie: LIES.txvalue }],
  ['blockmember', { asked: block, lie: LIES.blockmember }],
  ['logtx', { asked: logs, lie: LIES.logtx }],
  ['rcptfrom', { asked: receipt, lie: LIES.rcptfrom }],
];
const altering =
  (mark: string, change: object): ShownLie =>
  (object) =>
    mark in object ? { ...object, ...change } : object;
const STATUS: ShownLie = (object) => ('logs' in object ? { ...object, status: '0x0' } : object);

interface Node {
  readonly software?: Software;
  readonly lie?: ShownLie | undefined;
  /** Overrides all else. */
  readonly says?: (asked: ReceivedCall) => RawResponse | undefined;
}

function characterOf({ software = 'geth', lie, says }: Node): Character {
  return {
    respond: (asked) => {
      const said = says?.(asked) ?? spelledAnswer(asked, software, lie);
      if (said !== undefined || asked.method !== 'eth_getBalance' || lie === undefined) return said;
      const [account, number] = asked.params as readonly [string, string];
      return { result: JSON.stringify(`${valueAt(account, Number(number))}1`) };
    },
    latencyMs: () => 5,
  };
}

/** A gateway with its cache, as a client meets it. */
class World {
  readonly gateway: SimulatedGateway;
  readonly #cache: ResponseCache;

  constructor(nodes: readonly Node[], agreement: 1 | 2 = 1, seed = 1) {
    this.gateway = new SimulatedGateway(nodes.map(characterOf), seed, agreement);
    this.#cache = new ResponseCache({ clock: this.gateway.clock, store: new MemoryCacheStore() });
  }

  async ask(...calls: readonly Call[]): Promise<readonly UpstreamResponse[]> {
    const { clock, node, upstreams } = this.gateway;
    const deadline = clock.now() + REQUEST_MS;
    const head = {
      known: node.head.known,
      readFinal: async () => finalizedBlock(node.view.finalityHead(clock.now()) ?? 0n),
    };
    const settings = { ...CHAIN, upstreams: upstreams.map(() => 'http://127.0.0.1:1') };
    const { responses } = await this.#cache.answer({
      chain: { settings, head, node },
      calls,
      deadline,
      send: (sent) => clock.until(dispatch(sent, node, deadline)),
    });
    return responses.map(({ response }) => response);
  }

  /** What is in the log of upstreams that disagree, without what is in each line. */
  logged() {
    return this.gateway.telemetry.logged
      .filter(({ event }) => event === 'upstreams_disagree')
      .map(({ upstream, alone, method }) => ({ upstream, alone, method }));
  }

  disagreed(): number {
    const metrics = this.gateway.telemetry.metrics();
    return metrics.reduce((sum, { UpstreamsDisagree = 0 }) => sum + UpstreamsDisagree, 0);
  }
}

const blocks = Array.from({ length: CALLS }, (_, index) => FIRST + index);

/** What an honest node of some software says. */
function truthOf({ method, params }: Call, software: Software = 'geth'): string {
  const asked = { id: 1, method, params: JSON.parse(Buffer.from(params ?? []).toString()) };
  const said = spelledAnswer(asked, software);
  return said !== undefined && 'result' in said ? said.result : '';
}

describe('where two upstreams have to agree', () => {
  test.each(KINDS)(
    'the lie %s of one of three costs nobody the response: two say it, and who stood alone is named',
    async (_, { asked, lie }) => {
      for (const liar of [0, 1, 2]) {
        const nodes = [0, 1, 2].map((place) => ({ lie: place === liar ? lie : undefined }));
        const world = new World(nodes, 2, liar + 1);
        for (const number of blocks) {
          const [response] = await world.ask(asked(number));
          expect(told(response as UpstreamResponse)).toBe(truthOf(asked(number)));
        }
        expect(world.logged()).toEqual([
          {
            upstream: 'upstream-1, upstream-2, upstream-3',
            alone: `upstream-${liar + 1}`,
            method: asked(FIRST).method,
          },
        ]);
        const { length: received } = world.gateway.received();
        expect(received).toBeLessThanOrEqual(3 * CALLS);
      }
    },
  );

  test('calls of a batch that differ are asked of the third together', async () => {
    const requests: number[] = [];
    const world = new World([{}, { lie: LIES.rcptfrom }, {}], 2);
    for (const upstream of world.gateway.upstreams) {
      const { post } = upstream.connection;
      Object.assign(upstream.connection, {
        post: (request: Parameters<typeof post>[0]) => {
          if (Buffer.from(request.body).includes('eth_getTransactionReceipt')) requests.push(1);
          return post(request);
        },
      });
    }
    const responses = await world.ask(...blocks.map(receipt));
    expect(responses.map((response) => told(response))).toEqual(
      blocks.map((number) => truthOf(receipt(number))),
    );
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  test('a lie about the newest state of one of three is outvoted at the same block', async () => {
    const lie = (asked: ReceivedCall) =>
      asked.method === 'eth_getBalance' ? { result: '"0xbad"' } : undefined;
    for (const seed of [1, 2, 3, 4]) {
      const world = new World([{}, { says: lie }, {}], 2, seed);
      const [response] = await world.ask(call('eth_getBalance', [ACCOUNT, 'latest']));
      expect(told(response as UpstreamResponse)).toBe(
        JSON.stringify(valueAt(ACCOUNT, Number((response as { readonly asOf?: bigint }).asOf))),
      );
    }
  });

  test('three that say three things have no response, and none of them is named alone', async () => {
    const saying = (value: string): Node => ({
      says: ({ method }) => (method === 'eth_getBalance' ? { result: `"${value}"` } : undefined),
    });
    const world = new World([saying('0x1'), saying('0x2'), saying('0x3')], 2);
    const [response] = await world.ask(balance(FIRST));
    expect(told(response as UpstreamResponse)).toBe('upstream_unavailable');
    expect(world.logged()).toEqual([
      { upstream: 'upstream-1, upstream-2, upstream-3', alone: undefined, method: 'eth_getBalance' },
    ]);
  });

  test('a contract that returns the gas that is left, and calls spelled in a way of their own, say nothing of a node', async () => {
    let gas = 1;
    const node: Node = {
      says: ({ method, params = [] }) => {
        gas += 1;
        if (method === 'eth_call') return { result: `"0x${gas.toString(16).padStart(64, '0')}"` };
        return method === 'eth_getStorageAt' && params[1] === '10'
          ? { result: `"0x${gas.toString(16)}"` }
          : undefined;
      },
    };
    const refusing: Node = {
      says: ({ method }) =>
        method === 'eth_getStorageAt'
          ? { error: '{"code":-32602,"message":"invalid argument 1"}' }
          : undefined,
    };
    for (const nodes of [
      [node, node],
      [node, node, node],
      [node, node, refusing],
    ])
      for (const agreement of [1, 2] as const) {
        const world = new World(nodes, agreement);
        for (let round = 0; round < 6; round += 1)
          await world.ask(
            call('eth_call', [{ to: ACCOUNT }, hex(FIRST)]),
            call('eth_getStorageAt', [ACCOUNT, '10', hex(FIRST)]),
          );
        expect([world.logged(), world.disagreed()]).toEqual([[], 0]);
      }
  });
});

describe('by default', () => {
  /** Rounds of the same calls within which a liar is named. */
  const ROUNDS = 3;
  const LYING: readonly (readonly [name: string, kind: Kind])[] = [
    ...KINDS,
    ['status', { asked: receipt, lie: STATUS }],
    ['balance', { asked: balance, lie: WEI }],
    ['input', { asked: transfer, lie: altering('input', { input: '0xbad0' }) }],
    ['nonce', { asked: transfer, lie: altering('input', { nonce: '0xbad' }) }],
    ['time', { asked: block, lie: altering('parentHash', { timestamp: '0xbad' }) }],
    ['parent', { asked: block, lie: altering('parentHash', { parentHash: paymentOf(1) }) }],
    ['data', { asked: logs, lie: altering('topics', { data: '0xbad0' }) }],
    ['topics', { asked: logs, lie: altering('topics', { topics: [paymentOf(1)] }) }],
    ['gas', { asked: receipt, lie: altering('logs', { gasUsed: '0xbad' }) }],
    ['nolog', { asked: receipt, lie: altering('logs', { logs: [] }) }],
  ];

  test.each(LYING)(
    'the liar of %s is named among two by the second time that a call is made',
    async (_, { asked, lie }) => {
      const world = new World([{}, { lie }]);
      await world.ask(call('eth_blockNumber'));
      const before = world.gateway.received().length;
      await world.ask(asked(FIRST));
      await world.ask(asked(FIRST));
      expect(world.logged()).toEqual([
        { upstream: 'upstream-1, upstream-2', alone: undefined, method: asked(FIRST).method },
      ]);
      // No call of a node was made for it.
      expect(world.gateway.received().length - before).toBe(2);
      await world.ask(asked(FIRST));
      expect(world.disagreed()).toBe(1);
    },
  );

  test.each(LYING)(
    'the liar of %s is named alone among three within three rounds',
    async (_, { asked, lie }) => {
      for (const liar of [0, 1, 2]) {
        const nodes = [0, 1, 2].map((place) => ({ lie: place === liar ? lie : undefined }));
        const world = new World(nodes, 1, liar + 1);
        await world.ask(call('eth_blockNumber'));
        for (let round = 0; round < ROUNDS; round += 1)
          for (const number of blocks) await world.ask(asked(number));
        expect(world.logged()).toContainEqual({
          upstream: 'upstream-1, upstream-2, upstream-3',
          alone: `upstream-${liar + 1}`,
          method: asked(FIRST).method,
        });
        expect(world.logged().map(({ alone }) => alone ?? `upstream-${liar + 1}`)).toEqual(
          world.logged().map(() => `upstream-${liar + 1}`),
        );
      }
    },
  );

  /** Calls that are answered as if they were about the block after theirs. */
  const MISTAKEN: readonly Kind['asked'][] = [
    transfer,
    block,
    logs,
    receipt,
    (number) => call('eth_getBlockReceipts', [hex(number)]),
  ];
  const answersBeside = (asked: Kind['asked']): Node => ({
    says: ({ id, method, params }) => {
      const text = JSON.stringify(params);
      const number = blocks.find((one) => Buffer.from(asked(one).params ?? []).toString() === text);
      if (number === undefined || asked(number).method !== method) return undefined;
      return { id, result: truthOf(asked(number + 1)) };
    },
  });

  test.each(MISTAKEN.map((asked) => [asked(FIRST).method, asked] as const))(
    'a result of %s that is of another call reaches nobody, the next node is asked, and the one is named at once',
    async (method, asked) => {
      const [alone, ...rest] = [
        new World([answersBeside(asked)]),
        new World([answersBeside(asked), {}], 1, 2),
      ];
      for (const world of [alone, ...rest]) await world?.ask(call('eth_blockNumber'));
      const [response] = await (alone as World).ask(asked(FIRST));
      expect(told(response as UpstreamResponse)).toBe('malformed_upstream_response');
      const [two] = rest as [World];
      for (const number of blocks) {
        const [given] = await two.ask(asked(number));
        expect(told(given as UpstreamResponse)).toBe(truthOf(asked(number)));
      }
      expect(two.logged()).toEqual([{ upstream: 'upstream-1', alone: 'upstream-1', method }]);
      expect(two.disagreed()).toBeGreaterThan(0);
    },
  );

  test.each([
    ['one account', ['a'], [15, 40]],
    ['two accounts', ['a', 'b'], [0, 4]],
  ] as const)(
    'a node whose results are of other calls of %s gets fewer only once two have met it',
    async (_, accounts, [least, most]) => {
      const gateway = new SimulatedGateway([answersBeside(block), {}].map(characterOf));
      await gateway.ask([call('eth_blockNumber')]);
      const asked = async (rounds: number) => {
        const before = gateway.received(0).length;
        for (let round = 0; round < rounds; round += 1)
          for (const account of accounts) await gateway.ask([block(FIRST + (round % CALLS))], { account });
        return gateway.received(0).length - before;
      };
      await asked(20);
      const received = await asked(60 / accounts.length);
      expect(received).toBeGreaterThanOrEqual(least);
      expect(received).toBeLessThanOrEqual(most);
    },
  );

  test('nodes of all software that tell the truth do not disagree', async () => {
    const asked = [transfer, block, logs, receipt, balance];
    const receipts = (number: number) => call('eth_getBlockReceipts', [hex(number)]);
    const whole = (number: number) => call('eth_getBlockByNumber', [hex(number), true]);
    for (const other of SOFTWARE) {
      const world = new World([{ software: 'geth' }, { software: other }, { software: 'erigon' }]);
      await world.ask(call('eth_blockNumber'));
      for (let round = 0; round < ROUNDS; round += 1)
        for (const kind of [...asked, receipts, whole]) await world.ask(kind(FIRST));
      expect([other, world.logged()]).toEqual([other, []]);
    }
  });

  test('a thousand calls of a customer hold no node, name none, and leave nothing wrong behind', async () => {
    const random = new Random(11);
    let gas = 1;
    const says = ({ method, params = [] }: ReceivedCall) => {
      gas += 1;
      if (method === 'eth_call') return { result: `"0x${gas.toString(16).padStart(64, '0')}"` };
      const isNobodys = String(params[0]).startsWith('0xdead');
      return isNobodys ? { result: 'null' } : undefined;
    };
    const nobodys = () =>
      `0xdead${random
        .integer(0, 2 ** 40)
        .toString(16)
        .padStart(60, '0')}`;
    const number = (at: number) =>
      random.pick([hex(at), `0x0${at.toString(16)}`, `0x${at.toString(16).toUpperCase()}`]);
    const provoking = [
      (at: number) => call('eth_call', [{ to: ACCOUNT, data: '0x5a' }, number(at)]),
      (at: number) => call('eth_getBalance', [ACCOUNT, number(at)]),
      (at: number) => call('eth_getLogs', [{ fromBlock: number(at), toBlock: hex(at), address: [] }]),
      () => call('eth_getTransactionByHash', [nobodys()]),
      () => call('eth_getTransactionReceipt', [nobodys()]),
      () => call('eth_getBlockByHash', [nobodys(), false]),
      () => call('eth_getBlockReceipts', [nobodys()]),
    ] as const;
    const world = new World([{ says }, { says, software: 'erigon' }, { says }]);
    await world.ask(call('eth_blockNumber'));
    for (let made = 0; made < 1_000; made += 1) {
      const at = FIRST + random.integer(0, 20);
      await world.ask(random.pick(provoking)(at));
      if (made % 10 !== 0) continue;
      const [response] = await world.ask(receipt(at));
      const shown = JSON.parse(told(response as UpstreamResponse)) as object;
      expect(shown).toMatchObject({ transactionHash: paymentOf(at), status: '0x1' });
    }
    expect(world.gateway.node.upstreams.map(({ health }) => health.isHeld)).toEqual([false, false, false]);
    expect(world.logged()).toEqual([]);
  });
});
