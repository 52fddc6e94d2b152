import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startDynoxide } from '../../emulators/dynoxide.ts';
import { createMeteringTables } from '../../emulators/metering-tables.ts';
import { startThrottlingProxy } from '../../emulators/throttling-proxy.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { writeGatewayFile } from '../gateway-file.ts';
import { fillTable, inOrder, itemsOf, makeBooks } from './restored-books.ts';

/** A restore that is killed is run again. */
export function testKilledRestore(): void {
  const OPERATOR = join(import.meta.dirname, '../../../bin/operator.ts');
  const CREDITS = 1_500;
  const TIMEOUT_MS = 120_000;
  const POLL_MS = 20;

  testAtLength('a process that is killed while DynamoDB throttles: the next one puts the rest', async () => {
    const emulator = await startDynoxide();
    const proxy = await startThrottlingProxy(emulator.endpoint);
    const folder = await mkdtemp(join(tmpdir(), 'restore-'));
    try {
      const books = await makeBooks(1, CREDITS);
      const records = books.items('ledger').length;
      const names = await createMeteringTables(emulator.endpoint, 'stage');
      const { ledger: from } = await createMeteringTables(emulator.endpoint, 'restored');
      await fillTable(emulator.endpoint, from, books.items('ledger'));
      await writeGatewayFile(folder, names, proxy.endpoint);
      const argv = [OPERATOR, 'restore', 'ledger', '--from', from, '--json'];
      const where = ['--local', '--data-dir', folder];

      let puts = 0;
      const isLate = ({ operation }: { operation: string }) =>
        operation === 'PutItem' && ++puts > records / 2;
      proxy.throttle(isLate);
      const killed = spawn(process.execPath, [...argv, ...where], { stdio: 'ignore' });
      const ended = once(killed, 'exit');
      const deadline = Date.now() + TIMEOUT_MS;
      while (proxy.hits < 20 && killed.exitCode === null && Date.now() < deadline) await sleep(POLL_MS);
      expect(proxy.hits).toBeGreaterThanOrEqual(20);
      killed.kill('SIGKILL');
      await ended;
      const kept = (await itemsOf(emulator.endpoint, 'ledger', names.ledger)).length;
      expect(kept).toBeGreaterThan(0);
      expect(kept).toBeLessThan(records);

      proxy.throttle(() => false);
      const { stdout } = await promisify(execFile)(process.execPath, [...argv, ...where], {
        timeout: TIMEOUT_MS,
      });
      expect(JSON.parse(stdout)).toMatchObject({
        read: records,
        absent: records - kept,
        present: kept,
        differing: 0,
      });
      expect(await itemsOf(emulator.endpoint, 'ledger', names.ledger)).toEqual(
        inOrder('ledger', books.items('ledger')),
      );
    } finally {
      await proxy.close();
      await emulator.close();
      await rm(folder, { recursive: true });
    }
  });
}
