import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { startAnvil } from '../../../local/processes/anvil.ts';
import type { GuardedProcess } from '../../../local/processes/guarded.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { processesMentioning, untilNoneMentions } from '../processes.ts';

/** The embedded node keeps its chain over restarts and kills. */
export function testAnvil(): void {
  const CHAIN_ID = 424_242;
  const END_TIMEOUT_MS = 120_000;
  /** Longer than a start takes that waits for nothing. */
  const LEAST_WAIT_MS = 3_000;
  /** As long as it takes to write half a gigabyte of state beside other work: a demo chain has half of that. */
  const SLOW_END_MS = 18_000;
  const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const RECEIVER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
  /** Code of a contract whose creation runs six steps. */
  const CREATION = '0x600160020160005260206000f3';

  let folder: string;
  let told: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'anvil-'));
    told = [];
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function start(pause?: Sleep) {
    const tell = (line: string) => told.push(line);
    return startAnvil({ chain: 'test', chainId: CHAIN_ID, folder, tell, ...(pause && { pause }) });
  }

  /** Time between two looks at whether a chain has to be saved: it passes when the test says so. */
  function steps() {
    let pass: () => void = () => undefined;
    let waits = Promise.withResolvers<void>();
    const pause: Sleep = (_, signal) =>
      new Promise((resolve) => {
        pass = resolve;
        signal?.addEventListener('abort', () => resolve());
        waits.resolve();
      });
    /** Lets one look happen, with what it saves. */
    const look = async () => {
      await waits.promise;
      waits = Promise.withResolvers();
      pass();
      await waits.promise;
    };
    return { pause, look };
  }

  /** Kills the node itself, as a power cut does. */
  async function crash(node: GuardedProcess) {
    node.kill();
    await node.ended;
    await node.stop();
    await untilNoneMentions(folder, END_TIMEOUT_MS);
  }

  async function call(url: string, method: string, params: readonly unknown[] = []) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return ((await response.json()) as { result: unknown }).result;
  }

  interface Block {
    readonly hash: string;
    readonly parentHash: string;
    readonly timestamp: string;
  }

  /** Sends a transaction and waits for its block: anvil answers before it has mined it. */
  async function send(url: string, transaction: object) {
    const hash = await call(url, 'eth_sendTransaction', [{ from: SENDER, ...transaction }]);
    while ((await call(url, 'eth_getTransactionReceipt', [hash])) === null) await new Promise(setImmediate);
    return hash;
  }

  function transfer(url: string) {
    return send(url, { to: RECEIVER, value: '0x1' });
  }

  test('the genesis block is the same after any number of restarts, and new blocks are of now', async () => {
    const seen: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const node = await start();
      await transfer(node.url);
      const [genesis, first, newest] = (await Promise.all(
        ['0x0', '0x1', 'latest'].map((tag) => call(node.url, 'eth_getBlockByNumber', [tag, false])),
      )) as [Block, Block, Block];
      seen.push(genesis.hash, first.parentHash);
      expect(Math.abs(Number(newest.timestamp) - Date.now() / 1_000)).toBeLessThan(60);
      await node.stop();
      // So that a genesis block of the next start would be another.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
    expect(new Set(seen).size).toBe(1);
  });

  test('a restart resumes the chain: blocks, old state and traces', async () => {
    const first = await start();
    await transfer(first.url);
    const created = await send(first.url, { data: CREATION });
    const questions = [
      ['eth_blockNumber'],
      ['eth_chainId'],
      ['eth_getBalance', [RECEIVER, '0x0']],
      ['eth_getBalance', [RECEIVER, '0x1']],
      ['eth_getBlockByNumber', ['0x1', true]],
      ['debug_traceTransaction', [created, { tracer: 'callTracer' }]],
      ['debug_traceTransaction', [created]],
    ] as const;
    const ask = (url: string) => Promise.all(questions.map(([method, params]) => call(url, method, params)));
    const before = await ask(first.url);
    expect(before[0]).toBe('0x2');
    expect(before[6]).toMatchObject({
      structLogs: expect.arrayContaining([expect.objectContaining({ op: 'ADD' })]),
    });
    await first.stop();
    const second = await start();
    expect(await ask(second.url)).toEqual(before);
    await second.stop();
  });

  test('a run that is killed takes its node with it, and the next one resumes the chain', async () => {
    const script = `
    const { startAnvil } = await import(${JSON.stringify(join(import.meta.dirname, '..', '..', '..', 'local', 'processes', 'anvil.ts'))});
    const node = await startAnvil({ chain: 'test', chainId: ${CHAIN_ID}, folder: ${JSON.stringify(folder)},
      tell: () => undefined });
    process.stdout.write(node.url);`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = await once(parent.stdout, 'data');
    await transfer(String(url));
    parent.kill('SIGKILL');
    await untilNoneMentions(join(folder, 'state.json'), END_TIMEOUT_MS);
    const next = await start();
    expect(await call(next.url, 'eth_blockNumber')).toBe('0x1');
    await next.stop();
  });

  testAtLength(
    'a run that follows a killed one at once waits until its node has written the chain',
    async () => {
      const before = await start();
      await transfer(before.url);
      const processes = processesMentioning(join(folder, 'state.json'));
      for (const id of processes) process.kill(id, 'SIGSTOP');
      const stopped = before.stop();
      const next = start();
      await sleep(LEAST_WAIT_MS);
      for (const id of processes) process.kill(id, 'SIGCONT');
      await stopped;
      const { url, stop } = await next;
      expect(await call(url, 'eth_blockNumber')).toBe('0x1');
      await stop();
    },
  );

  testAtLength(
    'a chain that takes long to write is written as the run ends',
    async () => {
      const node = await start();
      await transfer(node.url);
      const processes = processesMentioning(join(folder, 'state.json'));
      for (const id of processes) process.kill(id, 'SIGSTOP');
      const stopped = node.stop();
      await sleep(SLOW_END_MS);
      for (const id of processes.filter((id) => processesMentioning(folder).includes(id)))
        process.kill(id, 'SIGCONT');
      await stopped;
      const next = await start();
      expect(await call(next.url, 'eth_blockNumber')).toBe('0x1');
      await next.stop();
    },
    END_TIMEOUT_MS,
  );

  testAtLength(
    'a chain that was being written when its node was killed goes on as of the clean end before, and says so',
    async () => {
      const state = join(folder, 'state.json');
      for (let blocks = 1; blocks <= 2; blocks += 1) {
        const node = await start();
        await transfer(node.url);
        await node.stop();
      }
      expect(readdirSync(folder)).toEqual(['genesis-time', 'state.json']);
      const whole = readFileSync(state);
      writeFileSync(`${state}.new`, whole.subarray(0, whole.length / 2));
      const node = await start();
      expect(await call(node.url, 'eth_blockNumber')).toBe('0x2');
      expect(told).toEqual([
        expect.stringMatching(
          /^test: the last run ended while it wrote the chain; continuing with the state of \d{4}-/,
        ),
      ]);
      await node.stop();
    },
  );

  test('a node that ends by itself says so', async () => {
    const node = await start();
    node.kill();
    expect(await node.ended).toBe('it ended with SIGKILL');
  });

  test('a chain that does not change is not written, however long its node runs', async () => {
    const before = await start();
    await transfer(before.url);
    await before.stop();
    const { pause, look } = steps();
    const node = await start(pause);
    const files = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
    const atStart = files();
    for (let interval = 0; interval < 40; interval += 1) await look();
    expect(files()).toEqual(atStart);
    await node.stop();
  });

  test('a chain is saved at the first look after each change: a crash of its node loses no block that is older', async () => {
    const first = await start();
    await transfer(first.url);
    await transfer(first.url);
    await first.stop();
    const { pause, look } = steps();
    const node = await start(pause);
    const created = await send(node.url, { data: CREATION });
    await look();
    await transfer(node.url);
    await look();
    const ask = (url: string) =>
      Promise.all([
        call(url, 'eth_getBlockByNumber', ['0x4', true]),
        call(url, 'eth_getTransactionReceipt', [created]),
        call(url, 'eth_getBalance', [RECEIVER, 'latest']),
        // State of old blocks is that which the clean end before had.
        call(url, 'eth_getBalance', [RECEIVER, '0x0']),
        call(url, 'eth_getBalance', [RECEIVER, '0x1']),
      ]);
    const before = await ask(node.url);
    await transfer(node.url);
    await crash(node);
    const next = await start();
    expect(await call(next.url, 'eth_blockNumber')).toBe('0x4');
    expect(await ask(next.url)).toEqual(before);
    expect(told).toEqual([]);
    await next.stop();
    expect(readdirSync(folder)).toEqual(['genesis-time', 'state.json']);
  });

  testAtLength('a saved chain that is damaged leaves that of the clean end before', async () => {
    const first = await start();
    await transfer(first.url);
    await first.stop();
    const { pause, look } = steps();
    const node = await start(pause);
    await transfer(node.url);
    await look();
    await crash(node);
    const saved = join(folder, 'state.json.gz');
    const whole = readFileSync(saved);
    writeFileSync(saved, whole.subarray(0, whole.length / 2));
    const next = await start();
    expect(await call(next.url, 'eth_blockNumber')).toBe('0x1');
    await next.stop();
  });

  testAtLength('a chain that cannot be saved is told once, and saved when it can be', async () => {
    const { pause, look } = steps();
    const node = await start(pause);
    const inTheWay = join(folder, 'state.json.gz.part');
    mkdirSync(inTheWay);
    await transfer(node.url);
    await look();
    await look();
    expect(told).toEqual([
      expect.stringMatching(
        /^test: the chain could not be saved, and is tried again: .*state\.json\.gz\.part/,
      ),
    ]);
    rmSync(inTheWay, { recursive: true });
    await look();
    await crash(node);
    const next = await start();
    expect(await call(next.url, 'eth_blockNumber')).toBe('0x1');
    await next.stop();
  });
}
