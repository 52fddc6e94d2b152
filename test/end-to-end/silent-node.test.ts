import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { StageConfigInput } from '../../lib/config.ts';
import { listenLocally } from '../../local/listen-locally.ts';
import { type RunningGateway, startGateway } from './running-gateway.ts';

const TOLD_WITHIN_MS = 30_000;
const POLL_MS = 100;

let gateway: RunningGateway;

beforeAll(async () => {
  const { url, close } = await listenLocally(createServer());
  await close();
  const local = JSON.parse(readFileSync('config/local.json', 'utf8')) as StageConfigInput;
  const node = { upstreams: [url], privateUpstreams: true };
  const chains = [
    { chain: 'silent_chain', name: 'Silent', chainId: 5, default: true, ...node },
    { chain: 'live_chain', name: 'Live', chainId: 7, upstreams: ['embedded'] },
  ];
  gateway = await startGateway({ config: { ...local, chains, demo: {} } });
});
afterAll(() => gateway.stop());

async function told(line: RegExp): Promise<string> {
  const deadline = Date.now() + TOLD_WITHIN_MS;
  for (;;) {
    const [found] = line.exec(gateway.output()) ?? [];
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`${line} is not in ${gateway.output()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

test('the start says whose node does not answer and where the reason is, and goes on with the other chain', async () => {
  await told(/^silent_chain: its node does not answer \(ECONNREFUSED\)$/m);
  const [, command = ''] = (await told(/^What fails: grep .*$/m)).split(': ');
  const lines = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ event: 'upstream_failed', chain: 'silent_chain' });
  await told(/^live_chain is indexed up to block \d+$/m);
  expect(gateway.output()).not.toMatch(/^live_chain: /m);
});
