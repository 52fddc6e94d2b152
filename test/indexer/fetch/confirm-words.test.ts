/** Words that amounts are made with, and that no root holds, are not taken where another operator's node says otherwise. */
import type { Hex } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { readStockAnswers } from '../../../lambdas/indexer/describe/read-stock-answers.ts';
import { createConfirmWords } from '../../../lambdas/indexer/fetch/confirm-words.ts';
import { readTokenMetadata } from '../../../lambdas/indexer/fetch/read-token-metadata.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { createStickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import { readBalances } from '../../../lambdas/snapshots/verify-balances.ts';
import { address, word } from '../../chain-data/decode/raw-blocks.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { createFakeNode, type Said } from './fake-node.ts';

const TOKEN = address(0x70) as Hex;
const DECIMALS = '0x313ce567';
const MULTIPLIER = '0xa60bf13d';
const BALANCE_OF = '0x70a08231';
const HEAD = 100;
const EMPTY: Said = { result: '0x' };
const REVERT: Said = { error: { code: 3, message: 'execution reverted' } };

/** What a node says, by the selector of a call; silent: it cannot be reached; hanging: it takes all the time that there is. */
type Words = Readonly<Record<string, Said>> | Heights | 'silent' | 'hanging';

/** A node at a head, which says a word by block. */
interface Heights {
  readonly head: number;
  readonly at: (block: number) => Said;
}

const isByHeight = (words: Words): words is Heights => typeof words === 'object' && 'head' in words;

/** Nodes of which the first is read; `operators`: who runs them. */
function world(nodes: readonly Words[], operators: readonly string[] = nodes.map((_, place) => `${place}`)) {
  let now = 0;
  const clock = { now: () => now };
  const telemetry = new RecordedTelemetry();
  const attempts = nodes.map(() => 0);
  const fakes = nodes.map((words) =>
    createFakeNode(({ method, params }) => {
      if (method === 'eth_blockNumber')
        return { result: `0x${(isByHeight(words) ? words.head : HEAD).toString(16)}` };
      if (isByHeight(words)) {
        const block = params[1] === 'latest' ? words.head : Number(params[1]);
        return block <= words.head
          ? words.at(block)
          : { error: { code: -32000, message: 'header not found' } };
      }
      const { data } = params[0] as { data: string };
      return typeof words === 'string' ? EMPTY : (words[data.slice(0, 10)] ?? REVERT);
    }),
  );
  const upstreams = fakes.map((fake, place) => ({
    name: `node-${place}`,
    connection: {
      ...fake,
      post: (request: Parameters<typeof fake.post>[0]) => {
        attempts[place] = (attempts[place] ?? 0) + 1;
        const words = nodes[place];
        if (typeof words !== 'string') return fake.post(request);
        if (words === 'hanging') now = request.deadline;
        const kind = words === 'hanging' ? 'timeout' : 'unreachable';
        return Promise.reject(new UpstreamError(kind, { sent: words === 'hanging', reusedSocket: false }));
      },
    },
  }));
  const connection = createStickyUpstream(upstreams, () => undefined);
  const wait = async (ms: number) => {
    now += ms;
  };
  const asking = { node: connection, clock, wait };
  const operatorOf = async (name: string) => operators[Number(name.slice('node-'.length))] ?? name;
  const confirm = createConfirmWords({ ...asking, chain: 'one', operatorOf, telemetry });
  const node = { ...createRetryingClient(connection, clock, wait), confirm };
  const options = { deadline: 1_000_000, limitMs: 2_000 };
  return {
    telemetry,
    attempts,
    now: () => now,
    asked: () => fakes.map(({ requests }) => requests.flat().length),
    decimals: async () => {
      const [told] = await readTokenMetadata(node, [{ address: TOKEN, standard: 20 }], 'latest', options);
      return [told?.decimals, told?.metadata_status === 'pending'];
    },
    multiplier: async () => {
      const [told] = await readStockAnswers(node, [{ address: TOKEN }], options);
      return [told?.multiplier, told?.isContradicted];
    },
    balance: async (ledger: string) => {
      const [amount] = await readBalances(
        node,
        [{ token: TOKEN, holder: address(1), ledger }],
        word(1),
        options,
      );
      return amount;
    },
  };
}

const says = (value: number): Words =>
  Object.fromEntries([DECIMALS, MULTIPLIER, BALANCE_OF].map((one) => [one, { result: word(value) }]));

describe.each<readonly [string, readonly Words[], readonly string[] | undefined, number | undefined]>([
  ['another operator says the same', [says(6), says(6)], undefined, 6],
  ['another says otherwise', [says(6), says(18)], undefined, undefined],
  ['the next says otherwise, and a third the same', [says(6), says(18), says(6)], undefined, 6],
  ['two others say otherwise', [says(6), says(18), says(18)], undefined, 18],
  ['two others of one operator say otherwise', [says(6), says(18), says(18)], ['a', 'b', 'b'], undefined],
  ['three say three words', [says(6), says(18), says(8)], undefined, undefined],
  [
    'the next says otherwise, a third nothing, and a fourth the same',
    [says(6), says(18), {}, says(6)],
    undefined,
    6,
  ],
  ['there is one operator', [says(6), says(18)], ['a', 'a'], 6],
  ['the other is down', [says(6), 'silent'], undefined, 6],
  ['the other is down, and a third says otherwise', [says(6), 'silent', says(18)], undefined, undefined],
  ['the other does not have the contract yet', [says(6), {}], undefined, 6],
  [
    'the other says nothing',
    [says(6), { [DECIMALS]: EMPTY, [MULTIPLIER]: EMPTY, [BALANCE_OF]: EMPTY }],
    undefined,
    6,
  ],
])('where %s', (_, nodes, operators, taken) => {
  const open = () => world(nodes, operators);

  test('decimals, a multiplier and a balance beside the ledger are taken as its row says', async () => {
    expect(await open().decimals()).toEqual(taken === undefined ? [null, true] : [taken, false]);
    expect(await open().multiplier()).toEqual(taken === undefined ? [null, true] : [BigInt(taken), false]);
    expect(await open().balance('5')).toBe(taken === undefined ? null : BigInt(taken));
  });
});

test('a balance that is what the transfers add up to is asked of nobody else', async () => {
  const alone = world([says(6), says(18)]);
  expect(await alone.balance('6')).toBe(6n);
  expect(alone.asked()).toEqual([1, 0]);
});

test('both are named where they differ, and a node that is down is not asked again at once', async () => {
  const differing = world([says(6), says(18)]);
  await differing.decimals();
  expect(differing.telemetry.logged).toContainEqual(
    expect.objectContaining({
      event: 'words_contradicted',
      reason: 'node-0 and node-1 say otherwise of 1 of 1 calls',
    }),
  );
  const down = world([says(6), 'silent', says(6)]);
  await down.decimals();
  const { 1: tried } = down.attempts;
  await down.decimals();
  expect(down.telemetry.logged).toEqual([]);
  expect(down.attempts[1]).toBe(tried);
  expect(down.asked()[2]).toBe(2);
});

test('one that hangs is no answer, and costs its time once a minute', async () => {
  const hanging = world([says(6), 'hanging', says(18)]);
  expect(await hanging.decimals()).toEqual([null, true]);
  const { 1: tried } = hanging.attempts;
  const took = hanging.now();
  expect(took).toBeGreaterThan(0);
  expect(await hanging.decimals()).toEqual([null, true]);
  expect([hanging.attempts[1], hanging.now()]).toEqual([tried, took]);
});

const accrued = (head: number, by = 1): Words => ({ head, at: (block) => ({ result: word(block * by) }) });
/** A proxy that is initialised at a block: before, it says 0. */
const initialised = (head: number): Words => ({
  head,
  at: (block) => ({ result: word(block < HEAD ? 0 : 6) }),
});

test.each<readonly [string, readonly Words[], number | undefined]>([
  ['the other a block behind', [accrued(100), accrued(99)], 99],
  ['the node that is read a block behind', [accrued(99), accrued(100)], 99],
  ['a third a block behind, and the second wrong', [accrued(100), accrued(100, 2), accrued(99)], 99],
  ['the other wrong at each block', [accrued(100), accrued(99, 2)], undefined],
  [
    'the other before the block that initialises the contract',
    [initialised(100), initialised(99)],
    undefined,
  ],
  ['the second before that, and a third not', [initialised(100), initialised(99), initialised(100)], 6],
])('a word that changes with the block is compared at one block: %s', async (_, nodes, taken) => {
  const moving = world(nodes);
  const isContradicted = taken === undefined;
  expect(await moving.multiplier()).toEqual([isContradicted ? null : BigInt(taken), isContradicted]);
  expect(await moving.decimals()).toEqual([taken ?? null, isContradicted]);
});
