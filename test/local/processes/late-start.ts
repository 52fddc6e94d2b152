import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway, stopGateways } from '../../end-to-end/running-gateway.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { untilNoneMentions } from '../processes.ts';

const END_TIMEOUT_MS = 120_000;
/** A run has printed nothing yet, and is not ready, when its process has just begun. */
const TOO_SHORT_MS = 1;

/** Tests leave no run behind that did not become ready. */
export function testLateStart(): void {
  const folder = mkdtempSync(join(tmpdir(), 'running-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('a start that is not ready in time is killed and told', async () => {
    const dataDir = join(folder, 'late');
    await expect(startGateway({ dataDir, startTimeoutMs: TOO_SHORT_MS })).rejects.toThrow(
      'npm start did not become ready',
    );
    await untilNoneMentions(dataDir, END_TIMEOUT_MS);
  });

  testAtLength('a start that is no longer waited for is stopped with the others', async () => {
    const dataDir = join(folder, 'left');
    const outcome = startGateway({ dataDir }).then(
      () => 'ready',
      (error: Error) => error.message,
    );
    await stopGateways();
    expect(await outcome).toMatch('npm start did not become ready');
    await untilNoneMentions(dataDir, END_TIMEOUT_MS);
  });
}
