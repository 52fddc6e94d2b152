/** With `X-Verify: block` blocks, transactions and receipts are those of a hash that two operators name, member by member. */
import { hex, type Json, word } from '../../shared/verify/made-block.ts';
import { type Lie, type LyingWorld, VerifiedWorld, verifiedBlocks } from './proven-chain.ts';

type Asked = readonly [method: string, params: readonly unknown[]];

/** Calls of each kind for what is in the block below the newest one, and the truth. */
function callsOf(world: VerifiedWorld): readonly (readonly [asked: Asked, truth: unknown])[] {
  const number = world.head - 1;
  const { block, receipts } = world.chain.block(number);
  const [first, second] = block.transactions;
  const hashes = { ...block, transactions: block.transactions.map(({ hash }) => hash) };
  return [
    [['eth_getBlockByHash', [block.hash, true]], block],
    [['eth_getBlockByNumber', [hex(number), false]], hashes],
    [['eth_getTransactionByHash', [first?.hash]], first],
    [['eth_getTransactionByBlockHashAndIndex', [block.hash, '0x1']], second],
    [['eth_getTransactionByBlockNumberAndIndex', [hex(number), '0x9']], null],
    [['eth_getTransactionReceipt', [second?.hash]], receipts[1]],
    [['eth_getBlockReceipts', [hex(number)]], receipts],
  ];
}

/** Members of which the word of a node is all there is, as the documentation says. */
const TOLD = new Set(['size', 'totalDifficulty', 'gasPrice', 'v', 'chainId', 'uncles']);

const altered = (value: unknown): unknown => {
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return value.slice(1);
  if (value === null) return `0x${'1'.repeat(40)}`;
  const text = String(value);
  const last = text.at(-1) === '1' ? '2' : '1';
  return text === '0x' ? '0x11' : text.slice(0, -1) + last;
};

/** The ways to alter one member of what a block shows, by name. */
function lies(): ReadonlyMap<string, Lie> {
  const { block, receipts } = new VerifiedWorld([{}]).chain.block(1);
  const named = new Map<string, Lie>();
  const ofTransactions =
    (change: (tx: Json) => Json): Lie =>
    (said, asked) => {
      if (!/^eth_getBlockBy/.test(asked.method) || asked.params?.[1] !== true || said === null) return said;
      return { ...(said as Json), transactions: ((said as Json).transactions as Json[]).map(change) };
    };
  const ofReceipts =
    (change: (receipt: Json) => Json): Lie =>
    (said, { method }) => {
      if (method === 'eth_getBlockReceipts' && Array.isArray(said)) return said.map(change);
      return method === 'eth_getTransactionReceipt' && said !== null ? change(said as Json) : said;
    };
  for (const member of Object.keys(block))
    named.set(`block ${member}`, (said, { method, params }) =>
      /^eth_getBlockBy/.test(method) && params?.[0] !== 'latest' && said !== null
        ? { ...(said as Json), [member]: altered((said as Json)[member]) }
        : said,
    );
  for (const member of Object.keys(block.transactions[0] ?? {}))
    named.set(
      `transaction ${member}`,
      ofTransactions((tx) => ({ ...tx, [member]: altered(tx[member]) })),
    );
  for (const member of Object.keys(receipts[0] ?? {}))
    named.set(
      `receipt ${member}`,
      ofReceipts((one) => ({ ...one, [member]: altered(one[member]) })),
    );
  const logs = (receipts[0] as Json).logs as Json[];
  for (const member of Object.keys(logs[0] ?? {}))
    named.set(
      `log ${member}`,
      ofReceipts((one) => ({
        ...one,
        logs: (one.logs as Json[]).map((log) => ({ ...log, [member]: altered(log[member]) })),
      })),
    );
  const forked: Lie = (said, asked, { fork, head }: LyingWorld) => fork.answer(asked, head) ?? said;
  return new Map([
    ...named,
    ['another branch', forked],
    [
      'a transaction twice',
      (said) => {
        const list = (said as Json | null)?.transactions as Json[] | undefined;
        return list === undefined ? said : { ...(said as Json), transactions: [...list, list[0]] };
      },
    ],
    ['nothing', (said, { method }) => (/Receipt|ByHash/.test(method) ? null : said)],
  ] as [string, Lie][]);
}

const LIES = lies();

test('nodes that tell the truth answer all, at the price of the calls', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const calls = callsOf(world);
  const { answers, headers } = await world.ask(
    calls.map(([asked]) => asked),
    { verify: 'block' },
  );
  expect(answers.map(({ result }) => result)).toEqual(calls.map(([, truth]) => truth));
  const hash = String(world.chain.block(world.head - 1).block.hash);
  expect(verifiedBlocks(headers['X-Verified'])).toEqual(calls.map(() => hash));
  expect(headers['X-Verified']).toMatch(`block;block=${hash}, block, block`);
  expect(headers['X-CU-Billed']).toBe(String(10 + 5 + 10 + 10 + 10 + 10 + 10));
  const newest = await world.ask([['eth_getBlockByNumber', ['latest', false]]], { verify: 'block' });
  expect(newest.answers[0]?.result).toMatchObject({ number: hex(world.head) });
  expect(world.processes.disagreements).toEqual([]);
});

test.each([...LIES.keys()])('a node of one, two or three alters: %s', async (name) => {
  const lie = LIES.get(name);
  for (const count of [1, 2, 3])
    for (let liar = 0; liar < count; liar += 1) {
      const nodes = Array.from({ length: count }, (_, place) => ({ lie: place === liar ? lie : undefined }));
      const world = new VerifiedWorld(nodes, liar + 1);
      const calls = callsOf(world);
      const { answers } = await world.ask(
        calls.map(([asked]) => asked),
        { verify: 'block' },
      );
      for (const [place, [[method], truth]] of calls.entries()) {
        const { result, error } = answers[place] ?? {};
        if (error !== undefined)
          expect([name, method, error.data?.reason]).toEqual([name, method, 'not_verified']);
        else if (!TOLD.has(name.split(' ')[1] ?? '')) expect([name, result]).toEqual([name, truth]);
        if (count === 1) expect(error).toBeDefined();
        if (count === 3) expect([name, liar, method, error]).toEqual([name, liar, method, undefined]);
      }
    }
});

test('what is in no block that two operators name is not verified, and costs nothing', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const { answers, headers } = await world.ask(
    [
      ['eth_getTransactionReceipt', [word(9)]],
      ['eth_getTransactionByHash', [word(9)]],
      ['eth_getBlockByHash', [word(9), false]],
      ['eth_getBlockByNumber', [hex(world.head + 50), false]],
    ],
    { verify: 'block' },
  );
  expect(answers.map(({ error }) => error?.data?.reason)).toEqual(Array(4).fill('not_verified'));
  expect(headers).toMatchObject({ 'X-CU-Billed': '0', 'X-Verified': '-, -, -, -' });
});

test.each([
  ['eth_getBalance', [`0x${'1'.repeat(40)}`, 'latest']],
  ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]],
  ['eth_getBlockByNumber', ['pending', false]],
  ['eth_getBlockByNumber', [word(1), false]],
  ['eth_getBlockByHash', ['0x1', false]],
  ['eth_getBlockByHash', [word(1), 'yes']],
  ['eth_getBlockByHash', [word(1), true, true]],
  ['eth_getTransactionByHash', ['0x1']],
  ['eth_getTransactionByBlockHashAndIndex', [word(1)]],
  ['eth_getBlockReceipts', []],
])('what is no call of this level is refused, before a node is asked: %s %j', async (method, params) => {
  const world = new VerifiedWorld([{}, {}]);
  const { answers } = await world.ask([[method, params]], { verify: 'block' });
  expect(answers[0]?.error).toMatchObject({ code: -32_600, data: { header: 'X-Verify' } });
  expect(world.processes.nodeCalls).toBe(0);
});

test('a block is asked for once for all its receipts of a batch, and anew for each request: it pays the weight', async () => {
  const world = new VerifiedWorld([{}, {}]);
  const receipts = callsOf(world).flatMap(([asked]) =>
    asked[0] === 'eth_getTransactionReceipt' ? [asked] : [],
  );
  const [receipt] = receipts;
  await world.ask([receipt as Asked], { verify: 'block' });
  const { nodeCalls: once } = world.processes;
  const { headers } = await world.ask([receipt as Asked, receipt as Asked], { verify: 'block' });
  expect(world.processes.nodeCalls - once).toBeLessThanOrEqual(once);
  // An equal call of a batch shares the answer.
  expect(headers['X-Cache']).toBe('miss, hit');
  expect(headers['X-CU-Billed']).toBe('11');
});

test('a transaction is in no block but its own, whichever its nodes name alike', async () => {
  const lie: Lie = (said, { method }, { chain, head }) =>
    method === 'eth_getTransactionReceipt'
      ? { ...(said as Json), blockHash: chain.block(head - 3).block.hash }
      : said;
  const world = new VerifiedWorld([{ lie }, { lie }]);
  const { hash } = world.chain.block(world.head - 1).block.transactions[0] ?? {};
  const asked = ['eth_getTransactionByHash', 'eth_getTransactionReceipt'].map(
    (method) => [method, [hash]] as const,
  );
  const { answers, headers } = await world.ask(asked, { verify: 'block' });
  expect(answers.map(({ error }) => error?.data?.reason)).toEqual(['not_verified', 'not_verified']);
  expect(headers['X-CU-Billed']).toBe('0');
});

test('a transaction without a type has a receipt of type 0, and of no other', async () => {
  const untyped =
    (type: string): Lie =>
    (said, { method, params }) => {
      if (method === 'eth_getBlockReceipts')
        return (said as Json[]).with(1, { ...(said as Json[])[1], type });
      if (!/^eth_getBlockBy/.test(method) || params?.[1] !== true) return said;
      const transactions = [...((said as Json).transactions as Json[])];
      transactions[1] = { ...transactions[1], type: undefined };
      return { ...(said as Json), transactions };
    };
  for (const type of ['0x0', '0x1']) {
    const world = new VerifiedWorld([{ lie: untyped(type) }, { lie: untyped(type) }]);
    const asked = ['eth_getBlockReceipts', [hex(world.head - 1)]] as const;
    const { answers } = await world.ask([asked], { verify: 'block' });
    expect([type, answers[0]?.error === undefined]).toEqual([type, type === '0x0']);
  }
});

test('the first block is named by its tag, and what is final is agreed on for an hour', async () => {
  let asked = 0;
  const lie: Lie = (said, { method, params }) => {
    if (method === 'eth_getBlockByNumber' && params?.[0] === '0x0') asked += 1;
    return said;
  };
  const world = new VerifiedWorld([{ lie }, { lie }]);
  for (let minute = 0; minute < 5; minute += 1) {
    const { answers } = await world.ask([['eth_getBlockByNumber', ['earliest', true]]], { verify: 'block' });
    expect(answers[0]?.result).toEqual(world.chain.block(0).block);
    await world.processes.clock.pass(60_000);
  }
  expect(asked).toBe(2);
});
