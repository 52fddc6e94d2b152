import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { StageConfigInput } from '../../../lib/config/stage-config.ts';
import { pickPort } from '../../../local/processes/free-port.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { type RunningGateway, startGateway, stopGateways } from '../running-gateway.ts';

/** A run serves one chain where the node of another does not answer. */
export function testSilentNode(): void {
  const TOLD_WITHIN_MS = 120_000;
  const POLL_MS = 100;

  let gateway: RunningGateway;

  beforeAll(async () => {
    const local = JSON.parse(readFileSync('config/local.json', 'utf8')) as StageConfigInput;
    const node = { upstreams: [`http://127.0.0.1:${await pickPort()}`], privateUpstreams: true };
    const chains = [
      { chain: 'silent_chain', name: 'Silent', chainId: 5, default: true, ...node },
      { chain: 'example_mainnet', name: 'Live', chainId: 31_337, upstreams: ['embedded'] },
    ];
    gateway = await startGateway({ config: { ...local, chains, demo: {} }, prepared: 'plain' });
  });
  afterAll(stopGateways);

  /** Waits for a line in what the run prints, or in what it logs. */
  async function told(line: RegExp, text: () => string = gateway.output): Promise<string> {
    const deadline = Date.now() + TOLD_WITHIN_MS;
    for (;;) {
      const [found] = line.exec(text()) ?? [];
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`${line} is not in ${text()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  testAtLength(
    'the start says whose node does not answer and where the reason is, and goes on with the other chain',
    async () => {
      await told(/^silent_chain: its node does not answer \(ECONNREFUSED\)$/m);
      const [, command = ''] = (await told(/^To see failures: grep .*$/m)).split(': ');
      await told(/"upstream_failed".*\n/, gateway.logs);
      const lines = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ event: 'upstream_failed', chain: 'silent_chain' }),
      );
      await told(/^example_mainnet is indexed up to block \d+$/m);
      expect(gateway.output()).not.toMatch(/^example_mainnet: /m);
    },
  );
}
