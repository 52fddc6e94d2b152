/** What a key sent is found where it asks for it, whatever instance and node are asked, and a synchronous send has the right answer. */
import { keccak_256 } from '@noble/hashes/sha3';
import type { RawResponse, ReceivedCall } from '../../nodes/replies.ts';
import { hex } from '../../nodes/simulated-chain.ts';
import { call, SimulatedGateway, told } from '../../nodes/simulated-gateway.ts';
import { type SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';

const BLOCK_MS = 12_000;
const PROCESSES = 12;
const SENDER = `0x${'a'.repeat(40)}`;
const FIRST_NONCE = 5;
const ACCEPTED = { code: 4, message: 'not in a block in time', data: '0xab' };
const ALREADY_KNOWN = { code: -32000, message: 'already known' };

function hashOf(raw: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`;
}

function rawOf(number: number): string {
  return `0x02${number.toString(16).padStart(8, '0')}`;
}

/** A node that tells no other of its transactions. */
interface PoolNode extends SharedNode {
  readonly pool: Set<string>;
  mined: number;
}

function poolNode(): PoolNode {
  const pool = new Set<string>();
  const node: PoolNode = {
    latencyMs: 20,
    pool,
    mined: 0,
    respond: ({ method, params = [] }: ReceivedCall): RawResponse | undefined => {
      const [first, second] = params as readonly string[];
      switch (method) {
        case 'eth_sendRawTransaction': {
          const hash = hashOf(first ?? '');
          if (pool.has(hash)) return { error: JSON.stringify(ALREADY_KNOWN) };
          pool.add(hash);
          return { result: `"${hash}"` };
        }
        case 'eth_getTransactionByHash':
          return {
            result: pool.has(first ?? '') ? JSON.stringify({ hash: first, blockNumber: null }) : 'null',
          };
        case 'eth_getTransactionCount':
          return {
            result: JSON.stringify(hex(FIRST_NONCE + node.mined + (second === 'pending' ? pool.size : 0))),
          };
        default:
          return undefined;
      }
    },
  };
  return node;
}

function stage(nodes: readonly SharedNode[], seed = 1): SimulatedProcesses {
  return new SimulatedProcesses(nodes, { processes: PROCESSES, blockMs: BLOCK_MS, seed });
}

describe('a transaction that a key sent', () => {
  test.each([2, 3])('is found by its hash at %i nodes that tell each other nothing', async (count) => {
    const world = stage(Array.from({ length: count }, poolNode));
    let lost = 0;
    for (let at = 0; at < 24; at++) {
      const sent = await world.asked(at % PROCESSES, 'eth_sendRawTransaction', [rawOf(at)]);
      await world.clock.pass(1_000);
      const found = await world.asked((at * 7 + 3) % PROCESSES, 'eth_getTransactionByHash', [
        sent.body.result,
      ]);
      if (found.body.result === null) lost += 1;
    }
    expect(lost).toBe(0);
  });

  test('counts as pending from the first moment, one after the other', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const world = stage([poolNode(), poolNode()], seed);
      for (let sent = 1; sent <= 8; sent++) {
        await world.asked((sent * 5) % PROCESSES, 'eth_sendRawTransaction', [rawOf(sent)]);
        for (let asked = 0; asked < 3; asked++) {
          const { body } = await world.asked((sent + asked * 7) % PROCESSES, 'eth_getTransactionCount', [
            SENDER,
            'pending',
          ]);
          expect(body.result).toBe(hex(FIRST_NONCE + sent));
          await world.clock.pass(900);
        }
      }
    }
  });

  test('that its node drops, or replaces, is gone, and counts no more', async () => {
    const nodes = [poolNode(), poolNode()];
    const world = stage(nodes);
    const { body } = await world.asked(0, 'eth_sendRawTransaction', [rawOf(1)]);
    for (const { pool } of nodes) pool.clear();
    expect((await world.asked(1, 'eth_getTransactionByHash', [body.result])).body.result).toBeNull();
    const count = await world.asked(2, 'eth_getTransactionCount', [SENDER, 'pending']);
    expect(count.body.result).toBe(hex(FIRST_NONCE));
  });

  test('is sent twice at once by two processes: both get its hash, and find it', async () => {
    const world = stage([poolNode(), poolNode()]);
    const raw = rawOf(7);
    const answers = await world.clock.until(
      Promise.all([0, 1].map((process) => world.ask(process, 'eth_sendRawTransaction', [raw]))),
    );
    for (const { body } of answers) expect(body.result).toBe(hashOf(raw));
    for (let asked = 0; asked < PROCESSES; asked++) {
      const found = await world.asked(asked, 'eth_getTransactionByHash', [hashOf(raw)]);
      expect(found.body.result).toMatchObject({ hash: hashOf(raw) });
    }
  });

  test('counts no lower than the newest block of another node has it', async () => {
    const [taker, other] = [poolNode(), poolNode()];
    taker.lag = 2;
    const { respond } = other;
    other.respond = (asked) =>
      asked.method === 'eth_sendRawTransaction'
        ? { error: '{"code":-32000,"message":"txpool is full"}' }
        : respond?.(asked);
    const world = stage([taker, other]);
    await world.asked(0, 'eth_sendRawTransaction', [rawOf(1)]);
    other.mined = 4;
    for (let asked = 0; asked < 10; asked++) {
      await world.clock.pass(3_000);
      await world.asked(asked, 'eth_getBlockByNumber', ['latest', false]);
      const { body } = await world.asked(asked, 'eth_getTransactionCount', [SENDER, 'pending']);
      expect(Number(body.result)).toBeGreaterThanOrEqual(FIRST_NONCE + 4);
    }
  });

  test('is asked for where one node is down', async () => {
    const nodes = [poolNode(), poolNode()];
    const world = stage(nodes);
    const { body } = await world.asked(0, 'eth_sendRawTransaction', [rawOf(1)]);
    const taker = nodes.find(({ pool }) => pool.size > 0) as PoolNode;
    taker.fate = () => ({ kind: 'failure', error: 'unreachable', sent: false });
    const { body: answer } = await world.asked(1, 'eth_getTransactionByHash', [body.result]);
    expect(answer).toMatchObject({ result: null });
  });
});

describe('a synchronous send', () => {
  const RAW = rawOf(9);
  const send = (...timeout: readonly unknown[]) => call('eth_sendRawTransactionSync', [RAW, ...timeout]);
  const RECEIPT = JSON.stringify({ transactionHash: hashOf(RAW), blockNumber: '0x2711' });
  const answering = (response: RawResponse, receipts: readonly string[] = []) => {
    const left = [...receipts];
    return new SimulatedGateway(
      [0, 1].map(() => ({
        respond: ({ method }: ReceivedCall): RawResponse | undefined => {
          if (method === 'eth_sendRawTransactionSync') return response;
          return method === 'eth_getTransactionReceipt' ? { result: left.shift() ?? 'null' } : undefined;
        },
      })),
    );
  };
  const timeoutsOf = (gateway: SimulatedGateway) =>
    gateway.received().flatMap(({ method, params }) => (method.endsWith('Sync') ? [params?.[1]] : []));

  test.each([
    [30_000, 19_000],
    [5_000, 5_000],
    ['0x7530', '0x4a38'],
    ['30000', '19000'],
    ['soon', 'soon'],
    [undefined, undefined],
  ])('gets the time that is left, in the form of the client: %j', async (given, sent) => {
    const gateway = answering({ result: RECEIPT });
    const answer = await gateway.ask([given === undefined ? send() : send(given)]);
    expect(answer.map(told)).toEqual([RECEIPT]);
    expect(timeoutsOf(gateway)).toEqual([sent]);
  });

  test.each([4, 5])('that ends with code %i is answered, by one node', async (code) => {
    const error = { ...ACCEPTED, code, message: 'rate limit exceeded: too many requests' };
    const gateway = answering({ error: JSON.stringify(error) });
    expect((await gateway.ask([send()])).map(told)).toEqual([`error ${code} ${JSON.stringify(error)}`]);
    expect(timeoutsOf(gateway)).toHaveLength(1);
  });

  test('without a response has the hash of its transaction, and is not to be repeated', async () => {
    const silent = { fate: () => ({ kind: 'stall' }) as const };
    const [answer] = await new SimulatedGateway([silent, silent]).ask([send(60_000)]);
    expect(answer).toMatchObject({
      kind: 'failed',
      error: {
        reason: 'no_upstream_response',
        details: { transaction_hash: hashOf(RAW), retryable: false },
      },
    });
  });

  test('of a transaction that the node has already waits for its receipt within four calls', async () => {
    const gateway = answering({ error: JSON.stringify(ALREADY_KNOWN) }, ['null', RECEIPT]);
    expect((await gateway.ask([send(8_000)])).map(told)).toEqual([RECEIPT]);
    const none = answering({ error: JSON.stringify(ALREADY_KNOWN) });
    const [answer] = await none.ask([send(8_000)]);
    expect(answer).toMatchObject({ error: { details: { transaction_hash: hashOf(RAW) } } });
    expect(none.received()).toHaveLength(4);
  });

  test('that is refused for its nonce is its receipt, or the refusal', async () => {
    const refusal = { code: -32000, message: 'nonce too low' };
    const mined = answering({ error: JSON.stringify(refusal) }, [RECEIPT]);
    expect((await mined.ask([send()])).map(told)).toEqual([RECEIPT]);
    const other = answering({ error: JSON.stringify(refusal) });
    expect((await other.ask([send()])).map(told)).toEqual([`error -32000 ${JSON.stringify(refusal)}`]);
  });
});

test('one that is sent again, and refused for its nonce by a node that does not know it, is found at the node that took it', async () => {
  const raw = rawOf(1);
  const gateway = new SimulatedGateway(
    [1, 2].map((priority) => ({
      priority,
      respond: ({ method }: ReceivedCall) => {
        if (method === 'eth_sendRawTransaction')
          return { error: JSON.stringify({ code: -32000, message: 'nonce too low' }) };
        if (method !== 'eth_getTransactionByHash') return undefined;
        return {
          result: priority === 1 ? 'null' : JSON.stringify({ hash: hashOf(raw), blockNumber: '0x1' }),
        };
      },
    })),
  );
  await gateway.ask([call('eth_getBlockByNumber', ['latest', false])]);
  let attempts = 0;
  const [answer] = await gateway.ask([call('eth_sendRawTransaction', [raw])], {
    keyId: 'a',
    learn: async (absent) => ({
      given: undefined,
      takers: new Map(absent.map((one) => [one, 'upstream-2'] as const)),
    }),
    onServed: (served) => {
      attempts = served.attempts;
    },
  });
  expect(answer && told(answer)).toBe(`"${hashOf(raw)}"`);
  expect(attempts).toBe(3);
});
