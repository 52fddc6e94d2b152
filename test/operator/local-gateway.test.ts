import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLocalGateway } from '../../bin/operator/context/local-gateway.ts';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { outputsOver } from './gateway-file.ts';

const TABLES = {
  keys: 'gateway-local-keys',
  accounts: 'gateway-local-accounts',
  balances: 'gateway-local-balances',
  ledger: 'gateway-local-ledger',
  lanes: 'gateway-local-lanes',
  unsettled: 'gateway-local-unsettled',
};
const OUTPUTS = outputsOver(TABLES);
const ENDPOINTS = { dynamodb: 'http://127.0.0.1:4567' };

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'operator-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

test('the gateway of a data folder is read from its gateway.json', async () => {
  const content = JSON.stringify({
    endpoints: ENDPOINTS,
    outputs: OUTPUTS,
    access_key_id: 'a1',
    more: 1,
  });
  await writeFile(join(dataDir, 'gateway.json'), content);
  await expect(readLocalGateway(dataDir)).resolves.toMatchObject({
    outputs: {
      tableNames: TABLES,
      plans: ['free', 'standard'],
    },
    clientConfig: {
      endpoint: 'http://127.0.0.1:4567',
      region: 'us-east-1',
      credentials: { accessKeyId: 'a1' },
    },
  });
});

test.each([
  ['{', 'is not JSON'],
  ['null', 'has no endpoints.dynamodb'],
  ['{"endpoints":{}}', 'has no endpoints.dynamodb'],
  [JSON.stringify({ endpoints: ENDPOINTS }), 'has no access_key_id'],
  [JSON.stringify({ endpoints: ENDPOINTS, access_key_id: 'a1' }), 'has no output KeysTableName'],
  [
    JSON.stringify({ endpoints: ENDPOINTS, access_key_id: 'a1', outputs: { ...OUTPUTS, PlanNames: '' } }),
    'has no output PlanNames',
  ],
])('%s is refused: %s', async (content, message) => {
  await writeFile(join(dataDir, 'gateway.json'), content);
  await expect(readLocalGateway(dataDir)).rejects.toThrow(InputError);
  await expect(readLocalGateway(dataDir)).rejects.toThrow(message);
});

test('a folder without gateway.json is refused', async () => {
  await expect(readLocalGateway(join(dataDir, 'none'))).rejects.toThrow('start a local run with npm start');
});
