import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { inParallel } from '../../lambdas/shared/runtime/in-parallel.ts';
import { startDynoxide } from '../emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';
import type { Emulator } from '../emulators/server-process.ts';
import { writeGatewayFile } from './gateway-file.ts';

/** The command of the operator is a process that behaves in a shell. */
export function testProcess(): void {
  const OPERATOR = join(import.meta.dirname, '../../bin/operator.ts');
  const PROCESS_TIMEOUT_MS = 120_000;
  /** So many, with names so long, that their list fits into no pipe. */
  const ACCOUNTS = 1_000;
  const NAME_CHARACTERS = 63;
  const WRITES_AT_ONCE = 20;

  let emulator: Emulator;
  let dataDir: string;
  let tableNames: Awaited<ReturnType<typeof createMeteringTables>>;

  beforeAll(async () => {
    emulator = await startDynoxide();
    dataDir = await mkdtemp(join(tmpdir(), 'operator-'));
    tableNames = await createMeteringTables(emulator.endpoint, 'gateway-test');
    await writeGatewayFile(dataDir, tableNames, emulator.endpoint);
  });

  afterAll(async () => {
    await emulator.close();
    await rm(dataDir, { recursive: true });
  });

  function operator(...args: string[]): Promise<{ exitCode: unknown; stdout: string; stderr: string }> {
    return ended(process.execPath, operatorArguments(args));
  }

  function operatorArguments(args: readonly string[]): string[] {
    return [OPERATOR, ...args, '--local', '--data-dir', dataDir];
  }

  function ended(
    program: string,
    argv: readonly string[],
  ): Promise<{ exitCode: unknown; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile(program, argv, { timeout: PROCESS_TIMEOUT_MS }, (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr }),
      );
    });
  }

  test('the process works on a store', async () => {
    const created = await operator('account', 'create', 'acme', '--credit', '1000', '--json');
    expect(created).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(created.stdout)).toMatchObject({
      account: 'acme',
      plan: 'standard',
      balance_cu: 1_000,
    });

    const key = await operator('key', 'create', 'acme', '--json');
    const { key_id, api_key } = JSON.parse(key.stdout);
    const listed = await operator('key', 'list', 'acme', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ keys: [{ key_id, last4: api_key.slice(-4) }] });

    const again = await operator('account', 'create', 'acme');
    expect(again).toEqual({ exitCode: 2, stdout: '', stderr: 'operator: account acme exists already\n' });
  });

  describe('a list that is longer than a pipe', () => {
    beforeAll(async () => {
      const clientConfig = emulatorClientConfig(emulator.endpoint);
      const store = createDynamoStore({ tableNames, clientConfig, requestTimeoutMs: PROCESS_TIMEOUT_MS });
      const clock = { now: () => Date.parse('2026-11-20T23:15:00Z') };
      const names = Array.from({ length: ACCOUNTS }, (_, number) =>
        `listed-${number}-`.padEnd(NAME_CHARACTERS, 'x'),
      );
      const create = async (account: string) => {
        await createAccount(store, clock, { account, plan: 'standard' });
      };
      await inParallel(names, WRITES_AT_ONCE, create);
    });

    test('is printed to its end', async () => {
      const { exitCode, stdout, stderr } = await operator('account', 'list');
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout.match(/^listed-/gm)).toHaveLength(ACCOUNTS);
    });

    test('ends without a word when head has read enough', async () => {
      const script = '{ "$0" "$@"; echo "exit code $?" >&2; } | head -n 1';
      const argv = ['-c', script, process.execPath, ...operatorArguments(['account', 'list', '--json'])];
      expect(await ended('sh', argv)).toEqual({ exitCode: 0, stdout: '{\n', stderr: 'exit code 0\n' });
    });

    test('ends without a word on Ctrl-C', async () => {
      const child = spawn(process.execPath, operatorArguments(['account', 'list', '--json']));
      const stderr = text(child.stderr);
      await once(child.stdout, 'readable');
      child.kill('SIGINT');
      child.stdout.resume();
      expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
      expect(await stderr).toBe('');
    });
  });

  test('the process says when the local run is gone that left its folder', async () => {
    await emulator.close();
    const gone = await operator('account', 'show', 'acme', '--json');
    expect(gone).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `operator: the local run of ${dataDir} is not running: start it with npm start, or give another --data-dir\n`,
    });
  });
}
