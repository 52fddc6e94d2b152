/**
 * Makes the data folder that gateways of the tests begin with a copy of, in the folder that is its first argument: a run
 * of the local stage starts there from nothing and ends. The second argument says what its chain is: `plain` begins
 * empty, `demo` is the demo chain, with all that is indexed, derived and read of it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '../../end-to-end/running-gateway.ts';
import { untilComplete } from './complete-index.ts';

const [folder = '', chain = ''] = process.argv.slice(2);
const dataDir = join(folder, 'data');
const gateway = await startGateway({ dataDir, demoChain: chain === 'demo' });
try {
  if (chain === 'demo') await untilComplete(gateway);
} finally {
  await gateway.stop();
}
rmSync(join(dataDir, 'logs'), { recursive: true });
forgetPorts(join(dataDir, 'gateway.json'));

/** A run looks for the ports of the last one; several copies would look for the same. */
function forgetPorts(file: string): void {
  const { dashboard_url: _, site_url: __, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify(rest), { mode: 0o600 });
}
