/** With `X-Verify: state` a client gets what a block commits to whose hash two operators name, or an error: no node's word. */

import type { Fate } from '../../nodes/simulated-upstream.ts';
import type { Json } from '../../shared/verify/made-block.ts';
import { hex, word } from '../../shared/verify/made-block.ts';
import { Random } from '../../simulation/random.ts';
import { repetitions } from '../../support/at-length.ts';
import { batched } from '../seen/absent-answers.ts';
import {
  CONTRACT,
  FINALITY_LAG,
  type Lie,
  NO_SLOT,
  NOBODY,
  OTHER_CODE,
  OWNER,
  OWNERS,
  SLOTS,
  truthOf,
  VerifiedWorld,
  verifiedBlocks,
} from './proven-chain.ts';

/** One call of each kind, of what is there and what is not. */
const CALLS = [
  ['eth_getBalance', [OWNER, 'latest']],
  ['eth_getBalance', [NOBODY, 'latest']],
  ['eth_getTransactionCount', [CONTRACT, 'latest']],
  ['eth_getTransactionCount', [NOBODY]],
  ['eth_getStorageAt', [CONTRACT, SLOTS[0], 'latest']],
  ['eth_getStorageAt', [CONTRACT, NO_SLOT, 'latest']],
  ['eth_getStorageAt', [OWNER, SLOTS[1], 'latest']],
  ['eth_getCode', [CONTRACT, 'latest']],
  ['eth_getCode', [OWNER, 'latest']],
] as const;

const flipped = (nodes: unknown, place: number) => {
  const list = nodes as string[];
  const at = place % Math.max(1, list.length);
  const node = list[at];
  if (node === undefined) return list;
  const digit = node.length - 1 - (place % 30);
  const other = node[digit] === '0' ? '1' : '0';
  return list.with(at, `${node.slice(0, digit)}${other}${node.slice(digit + 1)}`);
};
const ofProof =
  (
    change: (
      proof: Json & { accountProof: string[]; storageProof: Json[] },
      ...rest: Parameters<Lie>
    ) => unknown,
  ): Lie =>
  (said, asked, world) =>
    asked.method === 'eth_getProof' && !(said instanceof Error)
      ? change(said as Json & { accountProof: string[]; storageProof: Json[] }, said, asked, world)
      : said;
const ofBlock =
  (change: (block: Json, ...rest: Parameters<Lie>) => unknown): Lie =>
  (said, asked, world) =>
    /^eth_getBlockBy/.test(asked.method) && said !== null ? change(said as Json, said, asked, world) : said;
const forkedFrom: Lie = (said, asked, { fork, head }) => fork.answer(asked, head) ?? said;

const LIES: Readonly<Record<string, Lie>> = {
  'the numbers beside the proof': ofProof((proof) => ({ ...proof, balance: '0x1', nonce: '0x1' })),
  'bits of nodes of the account': ofProof((proof) => ({
    ...proof,
    accountProof: flipped(proof.accountProof, proof.accountProof.length - 1),
  })),
  'the proof of another account': ofProof((_proof, _, { params = [] }, { chain, head }) =>
    chain.proof(
      chain.numberOf(params[2], head),
      params[0] === CONTRACT ? OWNER : CONTRACT,
      params[1] as string[],
    ),
  ),
  'the proof of an older block': ofProof((_, __, { params = [] }, { chain, head }) =>
    chain.proof(chain.numberOf(params[2], head) - 1, String(params[0]), params[1] as string[]),
  ),
  'a node left out': ofProof((proof) => ({ ...proof, accountProof: proof.accountProof.slice(0, -1) })),
  'that there is no account': ofProof((proof) => ({ ...proof, accountProof: [] })),
  'bits of nodes of a slot': ofProof((proof) => ({
    ...proof,
    storageProof: proof.storageProof.map((one) => ({ ...one, value: word(9), proof: flipped(one.proof, 1) })),
  })),
  'that the slot is empty': ofProof((proof) => ({
    ...proof,
    storageProof: proof.storageProof.map((one) => ({ ...one, value: '0x0', proof: [] })),
  })),
  'the state of a branch of its own under the hash of the chain': (said, asked, world) => {
    if (asked.method === 'eth_getProof') {
      const block = world.chain.numberOf(asked.params?.[2], world.head);
      return world.fork.proof(block, String(asked.params?.[0]), asked.params?.[1] as string[]);
    }
    return ofBlock((block) => ({
      ...block,
      stateRoot: world.fork.state(Number(block.number)).trie.root,
    }))(said, asked, world);
  },
  'a branch of its own, consistent in itself': (said, asked, world) => {
    const named = (asked.params?.[2] as { blockHash?: string } | undefined)?.blockHash;
    const block = named === undefined ? undefined : world.chain.numberOf({ blockHash: named }, world.head);
    if (asked.method === 'eth_getProof' && block !== undefined && Number.isFinite(block))
      return world.fork.proof(block, String(asked.params?.[0]), asked.params?.[1] as string[]);
    return forkedFrom(said, asked, world);
  },
  'a header with a member of a fork that is none': ofBlock((block, _, __, { fork }) => ({
    ...block,
    stateRoot: fork.state(Number(block.number)).trie.root,
    slotNumber: '0x1',
  })),
  'another block in place of the one that is asked for': ofBlock((_, said, asked, { chain, head }) =>
    asked.params?.[0] === 'latest' ? said : chain.answer({ ...asked, params: [hex(head - 3), false] }, head),
  ),
  'a head that is far ahead': (said, asked, { fork }) => {
    if (asked.method === 'eth_blockNumber') return hex(Number(said) + 5_000);
    if (asked.method !== 'eth_getBlockByNumber' || asked.params?.[0] !== 'latest') return said;
    const { block } = fork.block(Number((said as Json).number) + 5_000, String((said as Json).timestamp));
    return { ...block, transactions: [] };
  },
  'the code of another contract': (said, { method }) => (method === 'eth_getCode' ? OTHER_CODE : said),
  'nothing at all': (said, { method, params }) =>
    params?.[0] !== 'latest' && /Proof|Code|BlockBy/.test(method) ? null : said,
};

/** Asks all calls, and holds each result against the truth at the block that the response names. */
async function outcomes(world: VerifiedWorld) {
  const { answers, headers } = await world.ask(CALLS);
  const blocks = verifiedBlocks(headers['X-Verified']);
  const counts = { right: 0, refused: 0, wrong: 0 };
  for (const [place, [method, params]] of CALLS.entries()) {
    const { result, error } = answers[place] ?? {};
    const block = world.trueBlock(blocks[place]);
    if (error !== undefined) {
      expect(error).toMatchObject({ code: -32_000, data: { reason: 'not_verified', retryable: true } });
      expect(blocks[place]).toBeUndefined();
      counts.refused += 1;
    } else if (block !== undefined && result === truthOf(method, params, block)) counts.right += 1;
    else counts.wrong += 1;
  }
  expect(headers['X-CU-Billed']).toBe(String(10 * counts.right));
  return counts;
}

describe.each(Object.entries(LIES))('a node lies: %s', (_, lie) => {
  test.each([1, 2, 3])('of %d nodes: no wrong value is given', async (count) => {
    const all = { right: 0, refused: 0, wrong: 0 };
    for (let liar = 0; liar < count; liar += 1) {
      for (let seed = 1; seed <= repetitions(10); seed += 1) {
        const nodes = Array.from({ length: count }, (_, place) => ({
          lie: place === liar ? lie : undefined,
        }));
        const world = new VerifiedWorld(nodes, seed);
        const found = await outcomes(world);
        all.right += found.right;
        all.refused += found.refused;
        all.wrong += found.wrong;
      }
    }
    expect(all.wrong).toBe(0);
    // One node is nobody's second voice; two of three answer for all.
    if (count === 1) expect(all.right).toBe(0);
    if (count === 3) expect(all.refused).toBe(0);
  });
});

test('nodes that tell the truth answer all, at the newest block, at the price of the calls', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const { answers, headers } = await world.ask(CALLS);
  expect(answers.map(({ result }) => result)).toEqual(
    CALLS.map(([method, params]) => truthOf(method, params, world.head)),
  );
  const hash = String(world.chain.block(world.head).block.hash);
  expect(headers).toMatchObject({
    'X-Verified': [`state;block=${hash}`, ...CALLS.slice(1).map(() => 'state')].join(', '),
    'X-Chain-Head': String(world.head),
    'X-CU-Cost': String(10 * CALLS.length),
    'X-CU-Billed': String(10 * CALLS.length),
  });
  expect(world.processes.disagreements).toEqual([]);
});

test('a block is named by its number or its hash, and is proven at that block', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const number = world.head - 20;
  const hash = String(world.chain.block(number).block.hash);
  const named = [hex(number), hash, { blockHash: hash }, { blockNumber: hex(number) }];
  const { answers, headers } = await world.ask(named.map((block) => ['eth_getBalance', [OWNER, block]]));
  expect(answers.map(({ result }) => result)).toEqual(
    named.map(() => truthOf('eth_getBalance', [OWNER], number)),
  );
  expect(verifiedBlocks(headers['X-Verified'])).toEqual(named.map(() => hash));
});

test('what is final by its tag is proven at that block', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const { answers, headers } = await world.ask([['eth_getBalance', [OWNER, 'finalized']]]);
  const number = world.head - FINALITY_LAG;
  expect(answers[0]?.result).toBe(truthOf('eth_getBalance', [OWNER], number));
  expect(world.trueBlock(verifiedBlocks(headers['X-Verified'])[0])).toBe(number);
});

test.each([OTHER_CODE, 96])(
  'code that is not what the account has is not given, whoever says it: %j',
  async (code) => {
    const lie: Lie = (said, { method }) => (method === 'eth_getCode' ? code : said);
    const world = new VerifiedWorld([{ lie }, { lie }]);
    const { answers, headers } = await world.ask([['eth_getCode', [CONTRACT, 'latest']]]);
    expect(answers[0]?.error?.data?.reason).toBe('not_verified');
    expect(headers['X-CU-Billed']).toBe('0');
  },
);

test('a hash that is not the one of the chain is not verified, though a node has that block', async () => {
  const world = new VerifiedWorld([{}, { lie: forkedFrom }, {}]);
  const hash = String(world.fork.block(world.head).block.hash);
  const { answers } = await world.ask([['eth_getBalance', [OWNER, hash]]]);
  expect(answers[0]?.error?.data?.reason).toBe('not_verified');
});

test('two URLs of one operator are one voice: nothing is agreed, and no proof is asked for', async () => {
  const world = new VerifiedWorld([{ operator: 'one' }, { operator: 'one' }]);
  const { answers, headers } = await world.ask([['eth_getBalance', [OWNER, 'latest']]]);
  expect(answers[0]?.error?.data?.reason).toBe('not_verified');
  expect(headers).toMatchObject({ 'X-Verified': '-', 'X-CU-Billed': '0' });
});

test.each([
  ['eth_call', [{ to: CONTRACT }, 'latest']],
  ['eth_blockNumber', []],
  ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]],
  ['eth_sendRawTransaction', ['0x02c0']],
  ['eth_getBalance', [OWNER, 'pending']],
  ['eth_getBalance', [`${OWNER}00`, 'latest']],
  ['eth_getBalance', [OWNER, 'latest', 'more']],
  ['eth_getBalance', [OWNER, { blockHash: word(1), blockNumber: '0x1' }]],
  ['eth_getStorageAt', [OWNER, `0x${'1'.repeat(65)}`, 'latest']],
  ['eth_getBalance', []],
])('what cannot be verified is refused alone, before a node is asked: %s %j', async (method, params) => {
  const world = new VerifiedWorld([{}, {}]);
  const before = world.processes.nodeCalls;
  const { answers, headers } = await world.ask([[method, params]]);
  expect(answers[0]?.error).toMatchObject({
    code: -32_600,
    data: { reason: 'invalid_request', header: 'X-Verify' },
  });
  expect([headers['X-CU-Billed'], world.processes.nodeCalls - before]).toEqual(['0', 0]);
  const beside = await world.ask([
    [method, params],
    ['eth_getBalance', [OWNER, 'latest']],
  ]);
  expect(beside.answers[1]?.result).toBe(truthOf('eth_getBalance', [OWNER], world.head));
  expect(verifiedBlocks(beside.headers['X-Verified'])[0]).toBeUndefined();
});

test.each(['', 'all', 'State', 'state, block'])(
  'a level that is none refuses the request: %j',
  async (level) => {
    const world = new VerifiedWorld([{}, {}]);
    const { clock } = world.processes;
    const { body } = await clock.until(
      world.processes.post(0, batched('eth_chainId', [], 1), 'key', undefined, level),
    );
    expect(body.error).toMatchObject({ code: -32_600, data: { header: 'X-Verify' } });
  },
);

test('what the cache has is not taken for verified, and what is verified is not kept', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const call = ['eth_getBalance', [OWNER, hex(world.head - 100)]] as const;
  for (let round = 0; round < 3; round += 1) {
    const { headers } = await world.ask([call]);
    expect(headers['X-Cache']).toBe('miss');
    expect(headers['X-CU-Billed']).toBe('10');
  }
});

test('a block that the client wants answers to have is had, or refused', async () => {
  const world = new VerifiedWorld([{}, { lag: 2 }]);
  const call = ['eth_getBalance', [OWNER, 'latest']] as const;
  const had = await world.ask([call], { minBlock: String(world.head - 2) });
  expect(had.answers[0]?.result).toBe(truthOf(call[0], call[1], world.head - 2));
  const refused = await world.ask([call], { minBlock: String(world.head) });
  expect(refused.answers[0]?.error?.data?.reason).toBe('min_block_not_reached');
  expect(refused.headers['X-CU-Billed']).toBe('0');
});

describe('what is no fault of a proof keeps its own error', () => {
  const CALL = ['eth_getBalance', [OWNER, 'latest']] as const;
  const OWN_REASONS = ['node_syncing', 'no_upstream_response', 'upstream_unavailable', 'gateway_overloaded'];
  const reasonOf = async (world: VerifiedWorld, verify?: string) => {
    const call = verify === 'block' ? (['eth_getTransactionReceipt', [word(7)]] as const) : CALL;
    const { answers, headers } = await world.ask([call], { verify });
    expect(headers['X-CU-Billed']).toBe('0');
    return answers[0]?.error?.data?.reason;
  };

  test('none of the nodes has ever answered', async () => {
    const fate = (): Fate => ({ kind: 'failure', error: 'closed' });
    expect(OWN_REASONS).toContain(await reasonOf(new VerifiedWorld([{ fate }, { fate }])));
  });

  test.each(['state', 'block'])('none of the nodes answers: %s', async (verify) => {
    let isDead = false;
    const fate = (): Fate => (isDead ? { kind: 'failure', error: 'closed' } : { kind: 'answer' });
    const world = new VerifiedWorld([{ fate }, { fate }]);
    await world.ask([CALL]);
    isDead = true;
    await world.processes.clock.pass(30_000);
    expect(OWN_REASONS).toContain(await reasonOf(world, verify));
  });
});

describe('where nodes have no proofs', () => {
  const without =
    (message: string, code = -32_601): Lie =>
    (said, { method }) =>
      method === 'eth_getProof' ? new Error(JSON.stringify({ code, message })) : said;

  test('a node that lacks the method costs no answer while another has it', async () => {
    const world = new VerifiedWorld([{ lie: without('the method eth_getProof does not exist') }, {}]);
    for (let round = 0; round < 4; round += 1) expect((await outcomes(world)).refused).toBe(0);
  });

  test('where all lack it no node is asked any more', async () => {
    const lie = without('the method eth_getProof does not exist');
    const world = new VerifiedWorld([{ lie }, { lie }]);
    const call = ['eth_getBalance', [OWNER, hex(world.head - 10)]] as const;
    for (let round = 0; round < 4; round += 1) await world.ask([call]);
    const { nodeCalls } = world.processes;
    const { answers } = await world.ask([call]);
    expect(answers[0]?.error?.data?.reason).toBe('not_verified');
    expect(world.processes.nodeCalls).toBe(nodeCalls);
    expect(world.processes.lacking).toEqual([0]);
  });

  test('what all lack is told again with the next question where that failed, and once where it did not', async () => {
    const lie = without('the method eth_getProof does not exist');
    const world = new VerifiedWorld([{ lie }, { lie }]);
    world.processes.lackingUntold = 2;
    const call = ['eth_getBalance', [OWNER, hex(world.head - 10)]] as const;
    for (let round = 0; round < 8; round += 1) await world.ask([call]);
    expect(world.processes.lacking).toEqual([0, 0, 0]);
  });

  test('where all lack it of old blocks those are not asked for, and newer ones are', async () => {
    const deep: Lie = (said, asked, { chain, head }) => {
      const isOld = asked.method === 'eth_getProof' && chain.numberOf(asked.params?.[2], head) < head - 30;
      return isOld
        ? new Error('{"code":-32000,"message":"distance to target block exceeds maximum proof window"}')
        : said;
    };
    const world = new VerifiedWorld([{ lie: deep }, { lie: deep }]);
    const old = ['eth_getBalance', [OWNER, hex(world.head - 40)]] as const;
    for (let round = 0; round < 2; round += 1)
      expect((await world.ask([old])).answers[0]?.error?.data?.reason).toBe('not_verified');
    const { nodeCalls } = world.processes;
    expect((await world.ask([old])).answers[0]?.error?.data?.reason).toBe('not_verified');
    expect(world.processes.nodeCalls).toBe(nodeCalls);
    // Once a minute, of the less deep one that as many refusals say.
    expect(world.processes.lacking).toHaveLength(1);
    expect(world.processes.lacking[0]).toBeGreaterThanOrEqual(40);
    expect(world.processes.lacking[0]).toBeLessThan(50);
    const young = ['eth_getBalance', [OWNER, hex(world.head - 10)]] as const;
    expect((await world.ask([young])).answers[0]?.result).toBe(truthOf(young[0], young[1], world.head - 10));
  });

  test('a proof of a block as old as one that was refused takes back what was noted of that', async () => {
    let isPruned = true;
    const lie: Lie = (said, { method }) =>
      isPruned && method === 'eth_getProof'
        ? new Error('{"code":-32000,"message":"distance to target block exceeds maximum proof window"}')
        : said;
    const world = new VerifiedWorld([{ lie }, { lie }]);
    const old = ['eth_getBalance', [OWNER, hex(world.head - 40)]] as const;
    for (const pruned of [true, false, true, false]) {
      isPruned = pruned;
      const { answers } = await world.ask([old]);
      expect([pruned, answers[0]?.error?.data?.reason]).toEqual([
        pruned,
        pruned ? 'not_verified' : undefined,
      ]);
    }
    expect(world.processes.lacking).toEqual([]);
  });
});

test('who lies of three is named', async () => {
  for (const name of ['the proof of another account', 'a branch of its own, consistent in itself']) {
    const world = new VerifiedWorld([{}, { lie: LIES[name] }, {}]);
    for (let round = 0; round < 10; round += 1) {
      await world.ask(CALLS);
      await world.processes.clock.pass(6_000);
    }
    expect(world.processes.disagreements.length).toBeGreaterThan(0);
    for (const { alone } of world.processes.disagreements) expect([undefined, 'upstream-2']).toContain(alone);
    expect(world.processes.disagreements.map(({ alone }) => alone)).toContain('upstream-2');
  }
});

test('many accounts at once are one batch of proofs, and a block is asked for once while it is the newest', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const calls = OWNERS.map((owner) => ['eth_getBalance', [owner, 'latest']] as const);
  const first = await world.ask(calls);
  expect(first.answers.map(({ result }) => result)).toEqual(
    calls.map(([method, params]) => truthOf(method, params, world.head)),
  );
  const { nodeCalls } = world.processes;
  await world.ask(calls.slice(0, 1));
  expect(world.processes.nodeCalls - nodeCalls).toBeLessThanOrEqual(2);
});

test('a chain that goes on is followed: what is verified is never older than what was before', async () => {
  const world = new VerifiedWorld([{}, { lag: 1 }, { latencyMs: 40 }], 1, 1_000);
  const random = new Random(7);
  let least = 0;
  for (let round = 0; round < repetitions(100); round += 1) {
    const { head } = world;
    const { answers, headers } = await world.ask([['eth_getBalance', [OWNER, 'latest']]]);
    const block = world.trueBlock(verifiedBlocks(headers['X-Verified'])[0]);
    expect(answers[0]?.error).toBeUndefined();
    expect(block).toBeGreaterThanOrEqual(least);
    // What is known of the head is two seconds old at most, and one node is a block behind.
    expect(block).toBeGreaterThanOrEqual(head - 3);
    least = block ?? least;
    await world.processes.clock.pass(random.integer(50, 900));
  }
});
