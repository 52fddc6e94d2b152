import { answersOf, makeChain } from '../../indexer/fetch/node-chain.ts';
import { answering, body } from '../../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../../nodes/scripted-node.ts';
import { BARE_CONTEXT } from '../bare-context.ts';
import { capturedRun } from '../captured-run.ts';

const HEAD = 199;
const TRANSACTIONS = 5;
const chain = makeChain(HEAD + 1, TRANSACTIONS);
const responseOf = answersOf(chain);

let node: ScriptedNode;

beforeAll(async () => {
  node = await startScriptedNode(
    answering(({ id, method, params = [] }) => {
      const newest = params[0] === 'latest' ? [`0x${HEAD.toString(16)}`] : params;
      const said = responseOf({ id, method, params: newest });
      return 'result' in said
        ? { result: JSON.stringify(said.result) }
        : { error: JSON.stringify(said.error) };
    }),
  );
});
afterAll(() => node.close());

const run = (line: string) => capturedRun([...line.split(' '), '--local'], BARE_CONTEXT);
const plan = (line = '') =>
  run(`backfill some_chain --plan --node ${node.url}${line === '' ? '' : ` ${line}`}`);

test('a chain that is not indexed yet is planned from its first block to its newest', async () => {
  const { exitCode, stdout, stderr } = await plan('--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({
    chain: 'some_chain',
    ...{ from_block: 0, to_block: HEAD, missing_blocks: HEAD + 1 },
    sample: {
      blocks: 192,
      rows_per_block: { blocks: 1, transactions: TRANSACTIONS, erc20_transfers: TRANSACTIONS },
      traced: true,
    },
    fits_one_cluster: true,
    assumptions: { functions: 4, max_acu: 8, calls_per_second: null, node_usd_per_million_calls: null },
  });
  expect(told.usd_once).toContainEqual({ line: 'calls of the node', usd: null, io_optimized_usd: null });
  expect(Object.keys(told.hours_by_limit)[0]).toBe(told.limited_by);
  expect(told.hours_by_limit[told.limited_by]).toBe(told.hours);
  expect(told.by_files.hours_by_limit[told.by_files.limited_by]).toBe(told.by_files.hours);
  expect(told.by_files.usd_once).toContainEqual(expect.objectContaining({ line: 'files' }));
});

test('a plan for people names its limit, its price and what is not known', async () => {
  const { stdout } = await plan('--from 100 --calls-per-second 1 --max-acu 2.5 --functions 8');
  expect(stdout).toContain('blocks        100 to 199, 100 of them missing\n');
  expect(stdout).toMatch(/time {10}0\.\d+ hours, limited by: node\n/);
  expect(stdout).toContain('planned with  8 functions, 2.5 ACU, 1 calls/s of the node\n');
  expect(stdout).toMatch(/\ncalls of the node +\? +\?\n/);
  expect(stdout).toMatch(/with --bulk {3}0\.\d+ hours, limited by: node\n/);
  expect(stdout).toMatch(/\n--bulk: files +[\d.]+/);
  expect(stdout).toMatch(/\nstorage, a month /);
});

test.each([
  'backfill some_chain --plan --node NODE --json',
  'backfill --plan some_chain --node NODE --json',
  'backfill --node NODE --json --plan some_chain',
])(
  'the switch of a plan may stand anywhere behind the command, though other commands have a plan by name: %s',
  async (line) => {
    const { exitCode, stdout } = await run(line.replace('NODE', node.url));
    expect({ exitCode, chain: JSON.parse(stdout).chain }).toEqual({ exitCode: 0, chain: 'some_chain' });
  },
);

test('a fill without traces has none in its plan, and asks for none', async () => {
  const before = node.requests.length;
  const told = JSON.parse((await plan('--no-traces --json')).stdout);
  expect(told.sample).toMatchObject({ traced: false, rows_per_block: { traces: 0 } });
  const asked = node.requests.slice(before).map(({ body }) => body.toString());
  expect(asked.filter((text) => text.includes('debug_'))).toEqual([]);
});

test.each([
  ['--plan', '--plan needs --node URL'],
  ['--plan --start --node http://127.0.0.1:1', 'either --plan or --start, not both'],
  ['--plan --node ftp://127.0.0.1:1', '--node must be an http or https URL'],
  ['--plan --node secret', '--node must be an http or https URL'],
  ['--node http://127.0.0.1:1', '--node needs --plan'],
  ['--start --max-acu 4', '--max-acu needs --plan'],
  ['--plan --functions 0', '--functions must be a number above 0, at most 1,000'],
  ['--plan --functions 1001', '--functions must be a number above 0, at most 1,000'],
  ['--plan --max-acu 1e3', '--max-acu must be a number above 0, at most 256'],
  ['--plan --calls-per-second fast', '--calls-per-second must be a number above 0, at most 1,000,000'],
  ['--plan --node-usd=-1', '--node-usd must be a number above 0, at most 100,000'],
])('backfill some_chain %s', async (flags, reason) => {
  expect(await run(`backfill some_chain ${flags}`)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `operator: ${reason}\n`,
  });
});

test.each([
  ['--from 300', '--from is after --to'],
  ['--to 200', `--to is above the node's newest block ${HEAD}`],
  ['--from x', '--from must be a block number'],
])('a range that the node does not have: %s', async (flags, reason) => {
  const { exitCode, stderr } = await plan(flags);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `operator: ${reason}\n` });
});

test('a node that is no node is named as the reason, and its URL is not told', async () => {
  const other = await startScriptedNode(body('<html>'));
  try {
    const url = other.url.replace('http://', 'http://user:secret@');
    const { exitCode, stdout, stderr } = await run(`backfill some_chain --plan --node ${url}`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^operator: the node cannot be sampled: [^\n]+\n$/);
    expect(stderr).not.toContain('secret');
  } finally {
    await other.close();
  }
});
