import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynoxide } from '../emulators/dynoxide.ts';
import { createMeteringTables } from '../emulators/metering-tables.ts';
import type { Emulator } from '../emulators/server-process.ts';

const OPERATOR = join(import.meta.dirname, '../../bin/operator.ts');
const PROCESS_TIMEOUT_MS = 30_000;

let emulator: Emulator;
let dataDir: string;

beforeAll(async () => {
  emulator = await startDynoxide();
  dataDir = await mkdtemp(join(tmpdir(), 'operator-'));
  const tableNames = await createMeteringTables(emulator.endpoint, 'gateway-test');
  const outputs = {
    KeysTableName: tableNames.keys,
    AccountsTableName: tableNames.accounts,
    LedgerTableName: tableNames.ledger,
    UsageTableName: tableNames.usage,
    PlanNames: 'standard',
    DefaultPlan: 'standard',
  };
  const content = JSON.stringify({ endpoints: { dynamodb: emulator.endpoint }, outputs });
  await writeFile(join(dataDir, 'gateway.json'), content);
});

afterAll(async () => {
  await emulator.close();
  await rm(dataDir, { recursive: true });
});

function operator(...args: string[]): Promise<{ exitCode: unknown; stdout: string; stderr: string }> {
  const argv = [OPERATOR, ...args, '--local', '--data-dir', dataDir];
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { timeout: PROCESS_TIMEOUT_MS }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

test('the process works on a store, and says when the local run is gone that left its folder', async () => {
  const created = await operator('account', 'create', 'acme', '--credit', '1000', '--json');
  expect(created).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(created.stdout)).toMatchObject({ account: 'acme', plan: 'standard', balance_cu: 1_000 });

  const key = await operator('key', 'create', 'acme', '--json');
  const { key_id, api_key } = JSON.parse(key.stdout);
  const listed = await operator('key', 'list', 'acme', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({ keys: [{ key_id, last4: api_key.slice(-4) }] });

  const again = await operator('account', 'create', 'acme');
  expect(again).toEqual({ exitCode: 2, stdout: '', stderr: 'operator: account acme exists already\n' });

  await emulator.close();
  const gone = await operator('account', 'show', 'acme', '--json');
  expect(gone).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `operator: the local run of ${dataDir} is not up: start it with npm start, or name another --data-dir\n`,
  });
});
