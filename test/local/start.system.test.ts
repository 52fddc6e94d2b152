/** That `npm start` says what it does and what is wrong, keeps its state over every kind of end, and leaves no process. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { CommandResult } from '../end-to-end/operator/operator-processes.ts';
import {
  type RunningGateway,
  runScript,
  startGateway,
  stopGateways,
  TWO_RUNS_MS,
} from '../end-to-end/running-gateway.ts';
import { sendMessage } from '../end-to-end/send-message.ts';
import { sampled } from '../support/at-length.ts';
import { describeAtLength, testAtLength } from '../support/at-length-tests.ts';
import { listen } from '../support/listen.ts';
import { testFolderTrouble } from './folder-trouble.ts';
import { testLateStart } from './processes/late-start.ts';
import { processesMentioning, untilNoneMentions } from './processes.ts';

const END_TIMEOUT_MS = 120_000;
/** Signals closer to each other than this count as one Ctrl-C. */
const SAME_SIGNAL_MS = 500;
/** What a start says that it does, also on a pipe. */
const STEPS = [
  'Synthesis of the stack',
  'DynamoDB',
  'PostgreSQL',
  'EVM node',
  'Tables, database schema and functions',
  'API, reference and dashboard',
];
/** Longer than the test: the message waits. */
const LATER_SECONDS = 900;
const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

let folder: string;

const dataDir = () => join(folder, 'data');
/** A start that makes all of its state, or continues with what a run of this test has left. */
const start = (...startArguments: string[]) => startGateway({ dataDir: dataDir(), startArguments });
/** A start after that of another run. */
const startAgain = (data = 'data') => startGateway({ dataDir: join(folder, data), prepared: 'plain' });

function nodeCall(gateway: RunningGateway, method: string, params: readonly unknown[] = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return fetch(gateway.endpoints.upstream, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
    .then((response) => response.json() as Promise<{ result: unknown }>)
    .then(({ result }) => result);
}

/** Sends a transaction to a run's node and waits for its block: anvil answers before it has mined it. */
async function mineBlock(gateway: RunningGateway): Promise<void> {
  const hash = await nodeCall(gateway, 'eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
  while ((await nodeCall(gateway, 'eth_getTransactionReceipt', [hash])) === null)
    await new Promise(setImmediate);
}

/** Bodies of the messages that the queues of a run keep. */
function keptMessages({ dataDir }: RunningGateway): string[] {
  const folder = join(dataDir, 'queues');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).body);
}

async function balanceOf(gateway: RunningGateway): Promise<number> {
  const { stdout } = await gateway.operator(['account', 'show', gateway.gatewayJson.demo_account, '--json']);
  return JSON.parse(stdout).balance_cu;
}

const MIGRATIONS = 'SELECT chain, name, applied_at FROM gateway.migrations ORDER BY name';

async function query({ endpoints }: RunningGateway, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: endpoints.database });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A start that fails in one line that says what to do. */
async function startWithPortInUse(option: string): Promise<void> {
  const taken = await listen(() => undefined);
  const { port } = new URL(taken.url);
  try {
    // The stage without its demo chain, which would be played first.
    const stage = JSON.parse(readFileSync('config/local.json', 'utf8'));
    const file = join(folder, 'stage.json');
    writeFileSync(file, JSON.stringify({ ...stage, demo: {} }));
    const where = ['--port', '0', option, port, '--data-dir', dataDir(), '--config', file];
    const result = await runScript('start', where);
    expectOneLine(result, 1, new RegExp(`port ${port} is in use: choose another with ${option} N`));
    // It is told before anything is made.
    expect(existsSync(dataDir())).toBe(false);
  } finally {
    await taken.close();
  }
}

function expectOneLine(result: CommandResult, code: number, line: RegExp): void {
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toMatch(/^[^\n]+\n$/);
  expect(result.stderr).toMatch(line);
}

/** The node of a run's default chain, without the shell that keeps it on a leash. */
function anvilProcesses(gateway: RunningGateway): number[] {
  const state = join(gateway.dataDir, 'chains', 'example_mainnet', 'state.json');
  return processesMentioning(state).filter((pid) => !isShell(pid));
}

function isShell(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sh');
}

describe('a start', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'start-'));
  });

  afterEach(async () => {
    await stopGateways();
    await untilNoneMentions(folder, END_TIMEOUT_MS);
    rmSync(folder, { recursive: true });
  });

  test('--help prints the options', async () => {
    const { code, stdout, stderr } = await runScript('start', ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const option of ['--config', '--port', '--data-dir', '--fresh', '--dynamodb'])
      expect(stdout).toContain(option);
  });

  describe('a wrong command line or stage file is one line and exit code 2', () => {
    const WRONG: [string[], RegExp][] = [
      [['--prot', '1'], /'--prot'/],
      [['--port'], /'--port/],
      [['--port', '65536'], /--port must be a number from 0 to 65535, not "65536"/],
      [['--port', '18480', '--site-port', '18480'], /--port and --site-port are both 18480/],
      [['--dynamodb', 'mine'], /--dynamodb must be dynoxide or amazon, not "mine"/],
      [['--config', 'config/no-such-stage.json'], /config\/no-such-stage.json: cannot be read/],
      [['stray'], /'stray'/],
    ];
    test.each(sampled(WRONG))('%j', async (startArguments, line) => {
      expectOneLine(await runScript('start', startArguments), 2, line);
    });

    test('an entry that is not known, and a secret', async () => {
      const stage = JSON.parse(readFileSync('config/local.json', 'utf8'));
      const file = join(folder, 'stage.json');
      const startWith = (content: object) => {
        writeFileSync(file, JSON.stringify(content));
        return runScript('start', ['--config', file, '--data-dir', join(folder, 'data')]);
      };
      expectOneLine(await startWith({ ...stage, chain: [] }), 2, /stage.json: chain\b/);
      const [chain] = stage.chains;
      const secret = { ...stage, chains: [{ ...chain, upstreams: ['embedded', 'secret:node'] }] };
      expectOneLine(
        await startWith(secret),
        2,
        /stage.json: chains\[0\].upstreams\[1\]: .* needs a URL or "embedded"/,
      );
    });
  });

  test(
    'a start whose --site-port is in use leaves nothing behind',
    () => startWithPortInUse('--site-port'),
    TWO_RUNS_MS,
  );

  test(
    'a start whose port is in use leaves nothing behind; the first that works prints a call; a restart keeps state and queued messages',
    async () => {
      await startWithPortInUse('--port');
      const first = await start();
      const { stdout: listed } = await first.operator([
        'key',
        'list',
        first.gatewayJson.demo_account,
        '--json',
      ]);
      expect(JSON.parse(listed).keys).toHaveLength(1);
      const curl = /^ *(curl .*)$/m.exec(first.output())?.[1] ?? '';
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', curl]);
      expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: '0x0' });
      expect(first.output()).not.toMatch(/warning/i);
      for (const step of STEPS) {
        const lines = first
          .output()
          .split('\n')
          .filter((line) => line.startsWith(step));
        expect([lines[0], lines.at(-1)]).toEqual([
          `${step} ...`,
          expect.stringMatching(/: done in \d+\.\d s$/),
        ]);
        // One that takes long says so in between.
        for (const line of lines.slice(1, -1)) expect(line).toMatch(/: \d+\.\d s \.\.\.$/);
      }
      expect(statSync(join(first.dataDir, 'gateway.json')).mode & 0o777).toBe(0o600);
      expect(first.gatewayJson).toMatchObject({
        base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        endpoints: { upstreams: { example_mainnet: first.endpoints.upstream } },
        outputs: { BaseUrl: first.baseUrl, DefaultPlan: 'standard' },
        demo_account: 'demo',
        demo_api_key: expect.stringMatching(/^rgw_[0-9a-f]{64}$/),
        pid: first.process.pid,
      });

      await mineBlock(first);
      const balance = await balanceOf(first);
      await sendMessage(first, 'later', { delaySeconds: LATER_SECONDS });
      // Ctrl-C leaves no process.
      expect(await first.stop()).toBe(0);
      await untilNoneMentions(folder, END_TIMEOUT_MS);

      const second = await start();
      expect(second.apiKey).toBe(first.apiKey);
      expect(second.output()).toContain(first.apiKey);
      expect(await nodeCall(second, 'eth_blockNumber')).toBe('0x1');
      expect(await balanceOf(second)).toBe(balance);
      expect(keptMessages(second)).toContain('later');

      const third = runScript('start', ['--port', '0', '--data-dir', second.dataDir]);
      expectOneLine(await third, 1, /another run uses the data folder/);
    },
    TWO_RUNS_MS,
  );

  testAtLength(
    '--fresh starts over, and never in a folder that is not a data folder',
    async () => {
      const first = await startAgain();
      await mineBlock(first);
      await first.stop();
      const second = await start('--fresh');
      expect(await nodeCall(second, 'eth_blockNumber')).toBe('0x0');
      expect(second.apiKey).not.toBe(first.apiKey);
      const other = mkdtempSync(join(folder, 'other-'));
      writeFileSync(join(other, 'notes.txt'), 'mine');
      const refused = await runScript('start', ['--fresh', '--port', '0', '--data-dir', other]);
      expectOneLine(refused, 1, /is not empty and not a data folder of a gateway/);
      expect(readFileSync(join(other, 'notes.txt'), 'utf8')).toBe('mine');
    },
    TWO_RUNS_MS,
  );

  testAtLength(
    'a stage with a node of its own is served from that; Ctrl-C lets a call in flight come to its end',
    async () => {
      const stage = JSON.parse(readFileSync('config/local.json', 'utf8'));
      const { promise: asked, resolve: ask } = Promise.withResolvers<() => void>();
      const node = await listen(async (request, response) => {
        const { id, method } = (await json(request)) as { id: number; method: string };
        const result = method === 'eth_chainId' ? `0x${stage.chains[0].chainId.toString(16)}` : '0x2a';
        const respond = () => response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        // The gateway also asks for the head on its own account.
        if (method === 'eth_gasPrice') ask(respond);
        else respond();
      });
      try {
        const url = `${node.url}/`;
        const config = {
          ...stage,
          chains: [{ ...stage.chains[0], upstreams: [url], privateUpstreams: true }],
        };
        const gateway = await startGateway({ config, dataDir: dataDir(), prepared: 'plain' });
        expect(gateway.endpoints.upstream).toBe(url);
        const response = fetch(`${gateway.baseUrl}/v1/${gateway.apiKey}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"jsonrpc":"2.0","id":"mine","method":"eth_gasPrice"}',
        });
        const respondNow = await asked;
        const stopped = gateway.stop();
        respondNow();
        expect(await (await response).json()).toEqual({ jsonrpc: '2.0', id: 'mine', result: '0x2a' });
        expect(await stopped).toBe(0);
      } finally {
        await node.close();
      }
    },
  );

  testAtLength(
    'a second Ctrl-C ends a stop that hangs, after some seconds; a third one at once; and everything with it',
    async () => {
      const ends = [2, 3].map(async (signals) => {
        const gateway = await startAgain(`after-${signals}`);
        const ended = new Promise((resolve) => gateway.process.once('close', resolve));
        for (const pid of anvilProcesses(gateway)) process.kill(pid, 'SIGSTOP');
        for (let signal = 1; signal <= signals; signal += 1) {
          gateway.process.kill('SIGINT');
          if (signal < signals) await sleep(SAME_SIGNAL_MS * 2);
        }
        return ended;
      });
      expect(await Promise.all(ends)).toEqual([1, 1]);
      await untilNoneMentions(folder, END_TIMEOUT_MS);
    },
  );
});

describeAtLength('a run that does not end well', () => {
  let kept: string;
  let gateway: RunningGateway;
  let applied: unknown[];

  // The runs of these tests follow each other in one folder.
  beforeAll(async () => {
    kept = mkdtempSync(join(tmpdir(), 'killed-'));
    gateway = await startGateway({ dataDir: join(kept, 'data'), prepared: 'plain' });
  });
  const next = () => startGateway({ dataDir: join(kept, 'data') });
  afterAll(async () => {
    await stopGateways();
    await untilNoneMentions(kept, END_TIMEOUT_MS);
    rmSync(kept, { recursive: true });
  });

  test(
    'a second Ctrl-C lets the node write its chain, and so does the end of a run that is killed: it takes all with it',
    async () => {
      await mineBlock(gateway);
      const ended = new Promise((resolve) => gateway.process.once('close', resolve));
      const node = anvilProcesses(gateway);
      for (const pid of node) process.kill(pid, 'SIGSTOP');
      for (const _ of ['first', 'second']) {
        gateway.process.kill('SIGINT');
        await sleep(SAME_SIGNAL_MS * 2);
      }
      for (const pid of node) process.kill(pid, 'SIGCONT');
      await ended;

      gateway = await next();
      expect(await nodeCall(gateway, 'eth_blockNumber')).toBe('0x1');
      await mineBlock(gateway);
      await query(gateway, 'CREATE TABLE example_mainnet.kept AS SELECT 1 AS number');
      applied = await query(gateway, MIGRATIONS);
      gateway.process.kill('SIGKILL');
      await untilNoneMentions(kept, END_TIMEOUT_MS);
      gateway = await next();
      expect(await nodeCall(gateway, 'eth_blockNumber')).toBe('0x2');
    },
    TWO_RUNS_MS,
  );

  test('a run has the schema of each chain, and keeps its rows when it is killed', async () => {
    expect(applied.length).toBeGreaterThan(0);
    expect(await query(gateway, 'SELECT number FROM example_mainnet.kept')).toEqual([{ number: 1 }]);
    expect(await query(gateway, MIGRATIONS)).toEqual(applied);
    const { password } = new URL(gateway.endpoints.database ?? '');
    expect(password).not.toBe('');
    expect(gateway.logs()).not.toContain(decodeURIComponent(password));
  });

  test('a run of the same folder waits for the database of one that was just killed', async () => {
    gateway.process.kill('SIGKILL');
    gateway = await next();
    expect(await query(gateway, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('embedded parts that die are started again at their addresses with what they had, and the run says so', async () => {
    const block = await nodeCall(gateway, 'eth_blockNumber');
    const database = join(gateway.dataDir, 'database', 'cluster');
    const serving = processesMentioning(database).filter((pid) => !isShell(pid));
    for (const pid of [...anvilProcesses(gateway), ...serving]) process.kill(pid, 'SIGKILL');
    const again = (part: string) => `${part} runs again`;
    const parts = ['anvil of chain example_mainnet', 'PostgreSQL'];
    while (!parts.every((part) => gateway.output().includes(again(part)))) await sleep(50);
    for (const part of parts)
      expect(gateway.output()).toMatch(new RegExp(`^${part} stopped: .*; it is started again in 1 s`, 'm'));
    expect(await nodeCall(gateway, 'eth_blockNumber')).toBe(block);
    expect(await query(gateway, 'SELECT number FROM example_mainnet.kept')).toEqual([{ number: 1 }]);
    const listed = await fetch(`${gateway.baseUrl}/v1/data/chains`, {
      headers: { 'x-api-key': gateway.apiKey },
    });
    expect(listed.status).toBe(200);
  });
});

describe('a data folder', testFolderTrouble);
describe('a start that is late', testLateStart);
