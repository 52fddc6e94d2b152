/** A proof is made of what a node sends only where that comes out; who names the hash of its block is asked of each operator. */
import { type SentProof, verifyProof } from '../../../clients/typescript/src/proof/verify-proof.ts';
import { createProofReader } from '../../../lambdas/data/proof/read-proof.ts';
import type { ChainSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { type Character, SimulatedGateway } from '../../nodes/simulated-gateway.ts';
import { hex, type Json, madeBlock, type SentJson, sealed } from '../../shared/verify/made-block.ts';

const CHAIN = 'example_mainnet';
const CHAIN_ID = 42_161;
const NUMBER = 22_300_000;
const INDEX = 1;
const ORBIT = { form: 'orbit', from: 100 } as const;

const TRUTH = sealed(madeBlock({ types: [0x6a, 2, 0], chainId: CHAIN_ID, number: NUMBER }));
const FORK = sealed(madeBlock({ types: [0x6a, 0], chainId: CHAIN_ID, number: NUMBER }));
const HASH = String(TRUTH.block.hash);
const WANTED = {
  hash: String(TRUTH.block.transactions[INDEX]?.hash),
  blockHash: HASH,
  number: NUMBER,
  index: INDEX,
};

/** A node that sends a block by its hash, and names one by its number. */
const node = (sent: Partial<SentJson> | null, named: unknown = TRUTH.block): Character => ({
  respond: ({ method, params }) => {
    const result = (value: unknown) => ({ result: JSON.stringify(value ?? null) });
    if (method === 'eth_getBlockByHash') return result(sent?.block);
    if (method === 'eth_getBlockReceipts') return result(sent?.receipts);
    return method === 'eth_getBlockByNumber' && params?.[0] === hex(NUMBER) ? result(named) : undefined;
  },
});
const altered = (part: 'block' | 'receipts', change: (sent: SentJson) => void): SentJson => {
  const sent = structuredClone(TRUTH);
  change(sent);
  return { ...TRUTH, [part]: sent[part] };
};

interface Asked {
  readonly proof?: ChainSettings['proof'];
  /** Who runs each node. @default each one of its own */
  readonly operators?: readonly string[];
  readonly wanted?: Partial<typeof WANTED> & { readonly logIndex?: number };
  readonly chain?: string;
}

async function ask(characters: readonly Character[], asked: Asked = {}) {
  const { proof = ORBIT, operators = ['a', 'b', 'c'], wanted, chain = CHAIN } = asked;
  const gateway = new SimulatedGateway(characters);
  const settings = {
    chain: CHAIN,
    chainId: CHAIN_ID,
    proof,
    upstreams: characters.map((_, place) => ({
      name: `upstream-${place + 1}`,
      url: 'https://example.com',
      operator: operators[place],
    })),
  } as unknown as ChainSettings;
  const read = createProofReader([settings], new Map([[CHAIN, gateway.node]]), {
    readSecret: async () => '',
    clock: gateway.clock,
    telemetry: gateway.telemetry,
  });
  const told = await gateway.clock.until(read(chain, { ...WANTED, ...wanted }));
  return { told, gateway };
}

const proofOf = async (characters: readonly Character[], asked?: Asked) => {
  const { told } = await ask(characters, asked);
  if ('code' in told) throw new Error(told.message);
  return told;
};
const failureOf = async (characters: readonly Character[], asked?: Asked) => {
  const { told } = await ask(characters, asked);
  return 'code' in told ? [told.statusCode, told.code, told.message] : told;
};
const verified = (proof: object) => verifyProof({ transaction_index: INDEX, ...proof } as SentProof, HASH);

test('a proof is asked of one node, by the hash of the block, and proves the transaction to the client', async () => {
  const { told, gateway } = await ask([node(TRUTH)]);
  const { transaction, receipt, log } = verified(told);
  expect([transaction.hash, transaction.type, receipt.logs.length, log]).toEqual([
    WANTED.hash,
    2,
    1,
    undefined,
  ]);
  const asked = gateway.received().map(({ method, params }) => [method, params]);
  expect(asked.toSorted()).toEqual([
    ['eth_getBlockByHash', [HASH, true]],
    ['eth_getBlockReceipts', [HASH]],
  ]);
});

describe('the hash of the block', () => {
  const [right, wrong, none] = [node(TRUTH), node(TRUTH, FORK.block), node(TRUTH, null)];
  test.each<[string, readonly Character[], readonly string[], string]>([
    ['is agreed where nodes of two operators name it', [right, right], ['a', 'b'], 'agreed'],
    ['is single where one operator runs both', [right, right], ['a', 'a'], 'single'],
    ['is single where the other node names another', [right, wrong], ['a', 'b'], 'single'],
    ['is single where the other node names none', [right, none], ['a', 'b'], 'single'],
    ['is single where there is one node', [right], ['a'], 'single'],
    ['is agreed where two of three name it', [wrong, right, right], ['a', 'b', 'c'], 'agreed'],
  ])('%s', async (_, characters, operators, hash) => {
    expect((await proofOf(characters, { operators })).hash).toBe(hash);
  });
});

describe('a node that sends something else', () => {
  const LIES: Readonly<Record<string, SentJson>> = {
    'another block': FORK,
    'another state root': altered('block', ({ block }) => Object.assign(block, { stateRoot: HASH })),
    'another value': altered('block', ({ block }) =>
      Object.assign(block.transactions[0] as Json, { input: '0x77' }),
    ),
    'another status': altered('receipts', ({ receipts }) =>
      Object.assign(receipts[2] as Json, { status: '0x0' }),
    ),
    'no list of transactions': altered('block', ({ block }) =>
      Object.assign(block, { transactions: undefined }),
    ),
  };

  describe('receipts that a list leaves out', () => {
    const short = altered('receipts', ({ receipts }) => receipts.splice(0, 1));
    const singly = (receipt: Json | undefined | null): Character => ({
      ...node(short),
      respond: (call) =>
        call.method === 'eth_getTransactionReceipt'
          ? { result: JSON.stringify(receipt) }
          : node(short).respond?.(call),
    });
    const blamed = ({ telemetry }: SimulatedGateway) =>
      telemetry.logged.filter(({ event }) => event === 'wrong_answer').length;

    test('are asked for singly, and nobody is named', async () => {
      const { told, gateway } = await ask([singly(TRUTH.receipts[0])]);
      expect(() => verified(told)).not.toThrow();
      expect(blamed(gateway)).toBe(0);
    });

    test('are no proof where the node has none of them, and nobody is named', async () => {
      const { told, gateway } = await ask([singly(null)]);
      expect(told).toMatchObject({ statusCode: 422, code: 'no_coverage' });
      expect(blamed(gateway)).toBe(0);
    });

    test('are named where they are another’s', async () => {
      const { gateway } = await ask([singly({ ...TRUTH.receipts[0], status: '0x0' })]);
      expect(blamed(gateway)).toBe(1);
    });
  });

  test('nobody is named who writes the same in a form of its own', async () => {
    const inForm = altered('block', ({ block, receipts }) => {
      for (const one of block.transactions as Json[]) {
        one.data = one.input;
        delete one.input;
      }
      for (const one of receipts as Json[]) one.status = one.status === '0x1';
    });
    const { told, gateway } = await ask([node(inForm)]);
    expect(() => verified(told)).not.toThrow();
    expect(gateway.telemetry.logged.filter(({ event }) => event === 'wrong_answer')).toEqual([]);
  });

  test.each(Object.entries(LIES))('%s is named, and the next is asked', async (name, lie) => {
    const liar: Character = { ...node(lie), priority: 0 };
    const { told, gateway } = await ask([liar, { ...node(TRUTH), priority: 1 }]);
    expect(() => verified(told)).not.toThrow();
    // A block of another hash is not what was asked for, whatever is in it.
    const [event, line] =
      name === 'another block'
        ? ['upstreams_disagree', { alone: 'upstream-1' }]
        : ['wrong_answer', { chain: CHAIN, upstream: 'upstream-1', kind: 'proof' }];
    const [logged] = gateway.telemetry.logged.filter((one) => one.event === event);
    expect(logged).toMatchObject(line);
  });

  test('alone is no proof', async () => {
    for (const lie of Object.values(LIES))
      expect((await failureOf([node(lie)]))?.[1 as never]).toBe('unavailable');
  });
});

test('a node that hangs leaves time for the next', async () => {
  const hung: Character = { ...node(TRUTH), latencyMs: () => 60_000, priority: 0 };
  const { told, gateway } = await ask([hung, { ...node(TRUTH), priority: 1 }]);
  expect(verified(told).transaction.hash).toBe(WANTED.hash);
  expect(gateway.received(0).map(({ method }) => method)).toContain('eth_getBlockByHash');
});

describe('without a proof', () => {
  test('no node answers: it may be asked for again', async () => {
    const dead: Character = { fate: () => ({ kind: 'failure', error: 'closed' }) };
    expect(await failureOf([dead, dead])).toEqual([
      ...[503, 'unavailable', 'no node sent the block whole and right, try again'],
    ]);
  });

  test('no node has the block, or the method: there is none', async () => {
    const lacking = [422, 'no_coverage', 'no node sends the block and its receipts by its hash'];
    expect(await failureOf([node(null)])).toEqual(lacking);
    const without: Character = {
      respond: (call) =>
        call.method === 'eth_getBlockReceipts'
          ? { error: '{"code":-32601,"message":"the method eth_getBlockReceipts does not exist"}' }
          : node(TRUTH).respond?.(call),
    };
    expect(await failureOf([without])).toEqual(lacking);
    expect('key' in (await proofOf([without, node(TRUTH)]))).toBe(true);
  });

  test('the form of the chain, or of the height, is not known', async () => {
    const unknown = [422, 'no_coverage', 'blocks of this chain are of no form that can be proven'];
    expect(await failureOf([node(TRUTH)], { proof: { form: 'none' } })).toEqual(unknown);
    expect(await failureOf([node(TRUTH)], { chain: 'other' })).toEqual(unknown);
    expect(await failureOf([node(TRUTH)], { proof: { form: 'orbit', from: NUMBER + 1 } })).toEqual([
      ...[422, 'no_coverage', `blocks are proven from ${NUMBER + 1} on`],
    ]);
  });

  test('the form has no such type or member of the header', async () => {
    const message = 'the form ethereum has no transactions.type 106: the block cannot be proven';
    expect(await failureOf([node(TRUTH)], { proof: { form: 'ethereum' } })).toEqual([
      422,
      'no_coverage',
      message,
    ]);
    const later = sealed(
      madeBlock({
        ...{ types: [2, 2], chainId: CHAIN_ID, number: NUMBER },
        members: {
          ...{ withdrawals: [], withdrawalsRoot: HASH, blobGasUsed: '0x0', excessBlobGas: '0x0' },
          ...{ parentBeaconBlockRoot: HASH, requestsHash: HASH, slotNumber: '0x9' },
        },
      }),
    );
    const wanted = { blockHash: String(later.block.hash), hash: String(later.block.transactions[1]?.hash) };
    expect(await failureOf([node(later)], { wanted })).toEqual([
      ...[422, 'no_coverage', 'the form orbit has no slotNumber: the block cannot be proven'],
    ]);
  });

  test('an imported transaction, whose hash no encoding has, is not proven', async () => {
    const imported = sealed(madeBlock({ types: [0x78, 0x78], chainId: CHAIN_ID, number: NUMBER }));
    const wanted = {
      blockHash: String(imported.block.hash),
      hash: String(imported.block.transactions[1]?.hash),
    };
    expect(await failureOf([node(imported)], { wanted })).toEqual([
      ...[422, 'no_coverage', 'the form orbit has no transactions.hash: the block cannot be proven'],
    ]);
  });

  test('another transaction is in the place', async () => {
    const absent = [422, 'no_coverage', 'the block that nodes send has another transaction in this place'];
    for (const index of [0, 2, 3, 9])
      expect(await failureOf([node(TRUTH)], { wanted: { index } })).toEqual(absent);
  });

  test('the block has more transactions than are proven', async () => {
    const huge = { ...TRUTH, receipts: Array.from({ length: 4_001 }, () => ({})) };
    const tooLarge = [422, 'no_coverage', expect.stringContaining('4000 transactions')];
    expect(await failureOf([node(huge), node(huge)])).toEqual(tooLarge);
    // One node that says so is not believed where another sends less.
    expect('key' in (await proofOf([node(huge), node(TRUTH)]))).toBe(true);
  });
});

test('a log of the block is told by its place in the receipt; one of another transaction is not found', async () => {
  const { log_place } = await proofOf([node(TRUTH)], { wanted: { logIndex: INDEX } });
  expect(log_place).toBe(0);
  for (const logIndex of [0, 2, 3, 1_000])
    expect(await failureOf([node(TRUTH)], { wanted: { logIndex } })).toEqual([
      ...[404, 'not_found', `the transaction ${WANTED.hash} has no log ${logIndex}`],
    ]);
});
