/**
 * Makes the data folder that gateways of the tests begin with a copy of, in the folder that is its first argument: a run
 * of the local stage starts there from nothing and ends. The second argument says what its chain is: `plain` begins
 * empty, `demo` is the demo chain, with all that is indexed, derived and read of it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startGateway } from '../../end-to-end/running-gateway.ts';

/** Below the time that a test file waits for it. */
const COMPLETE_WITHIN_MS = 200_000;
const POLL_MS = 250;
const COMPLETE = `SELECT
  (SELECT min(block_number) = max(block_number) AND count(*) = 3 FROM example_mainnet.cursors
    WHERE name IN ('indexed', 'node', 'rollups'))
  AND NOT EXISTS (SELECT FROM example_mainnet.tokens WHERE metadata_status = 'pending')
  AND EXISTS (SELECT FROM example_mainnet.balance_snapshots WHERE completed_at IS NOT NULL) AS complete`;

const [folder = '', chain = ''] = process.argv.slice(2);
const dataDir = join(folder, 'data');
const gateway = await startGateway({ dataDir, demoChain: chain === 'demo' });
try {
  if (chain === 'demo') await untilComplete(gateway.endpoints.database);
} finally {
  await gateway.stop();
}
rmSync(join(dataDir, 'logs'), { recursive: true });
forgetPorts(join(dataDir, 'gateway.json'));

async function untilComplete(connectionString: string | undefined): Promise<void> {
  const database = new pg.Client({ connectionString });
  await database.connect();
  const deadline = Date.now() + COMPLETE_WITHIN_MS;
  try {
    while (!(await database.query<{ complete: boolean }>(COMPLETE)).rows[0]?.complete) {
      if (Date.now() > deadline) throw new Error(`the demo chain is not complete:\n${gateway.logs()}`);
      await sleep(POLL_MS);
    }
  } finally {
    await database.end();
  }
}

/** A run looks for the ports of the last one; several copies would look for the same. */
function forgetPorts(file: string): void {
  const { dashboard_url: _, site_url: __, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify(rest), { mode: 0o600 });
}
