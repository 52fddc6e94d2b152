/** That an index which is halted is continued or made anew, as its operator says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type RunningGateway, runScript, startGateway, stopGateways } from '../end-to-end/running-gateway.ts';
import { untilTrue } from '../support/until-true.ts';
import { untilNoneMentions } from './processes.ts';

const CHAIN = 'example_mainnet';
const WAIT_MS = 120_000;
const POLL_MS = 200;
const TEST_MS = 900_000;
const REASON = 'the node has another block';

const folder = mkdtempSync(join(tmpdir(), 'mend-'));
const dataDir = join(folder, 'data');

afterAll(async () => {
  await stopGateways();
  await untilNoneMentions(folder, WAIT_MS);
  rmSync(folder, { recursive: true, force: true });
});

async function query(gateway: RunningGateway, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: gateway.endpoints.database });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function indexed(gateway: RunningGateway): Promise<Record<string, unknown> | undefined> {
  const [cursor] = await query(
    gateway,
    `SELECT block_number::int AS block, halted FROM ${CHAIN}.cursors WHERE name = 'indexed'`,
  );
  return cursor;
}

function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  return untilTrue(condition, { withinMs: WAIT_MS, everyMs: POLL_MS, failure: () => 'the index is not so' });
}

/** Stops the index as a deep reorganisation does. */
async function halt(gateway: RunningGateway): Promise<void> {
  await query(gateway, `UPDATE ${CHAIN}.cursors SET halted = '${REASON}' WHERE name = 'indexed'`);
}

test(
  'a halted index of a local run is told, goes on or is made anew, as the operator says',
  async () => {
    expect(await runScript('start', ['--rebuild', 'no_chain', '--data-dir', dataDir])).toEqual({
      code: 2,
      stdout: '',
      stderr: '--rebuild no_chain: the stage indexes no chain of this name\n',
    });

    const first = await startGateway({ dataDir, prepared: 'demo' });
    const head = (await indexed(first))?.block;
    await halt(first);
    await first.stop();

    const halted = await startGateway({ dataDir });
    await until(() => halted.output().includes(`${CHAIN} is halted at block ${head}: ${REASON}. `));
    await halted.stop();

    const resumed = await startGateway({ dataDir, startArguments: ['--resume', CHAIN] });
    expect(await indexed(resumed)).toEqual({ block: head, halted: null });
    await query(resumed, `DELETE FROM ${CHAIN}.transactions`);
    await halt(resumed);
    await resumed.stop();

    const rebuilt = await startGateway({ dataDir, startArguments: ['--rebuild', CHAIN] });
    await until(async () => (await indexed(rebuilt))?.block === head);
    expect(await indexed(rebuilt)).toEqual({ block: head, halted: null });
    const [counted] = await query(rebuilt, `SELECT count(*)::int > 0 AS some FROM ${CHAIN}.transactions`);
    expect(counted).toEqual({ some: true });
    expect(rebuilt.apiKey).toBe(first.apiKey);
  },
  TEST_MS,
);
