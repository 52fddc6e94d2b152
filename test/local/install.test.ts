/** That `npm start` and `npm test` install what is missing, say how far they are, and name a registry that does not answer. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pickPort } from '../../local/processes/free-port.ts';
import { listen, type TestServer } from '../support/listen.ts';

const INSTALL = join(import.meta.dirname, '..', '..', 'local', 'install.mjs');
const LOCK = {
  packages: {
    '': { name: 'gateway' },
    'node_modules/one': { version: '1.0.0' },
    'node_modules/two': { version: '2.0.0' },
    'node_modules/other-machine': { version: '3.0.0', optional: true },
    'node_modules/jest': { version: '4.0.0', dev: true },
    'node_modules/typescript': { version: '5.0.0', devOptional: true },
  },
};
let folder: string;
let registry: TestServer;
let url: string;

beforeAll(async () => {
  registry = await listen((_, response) => response.end());
  url = `${registry.url}/`;
});

afterAll(() => registry.close());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'install-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(LOCK));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Installs with an npm that is a script; `$*` are its arguments. */
async function install(
  npm: string,
  { from = url, options = [] as readonly string[], flags = [] as readonly string[] } = {},
): Promise<{ readonly code: number | null; readonly said: string }> {
  const script = `#!/bin/sh\nif [ "$1" = config ]; then if [ "$3" = registry ]; then echo '${from}'; else echo null; fi; exit; fi\necho "npm $*" >&2\n${npm}\n`;
  writeFileSync(join(folder, 'bin', 'npm'), script, { mode: 0o700 });
  const child = spawn(process.execPath, [...flags, INSTALL, ...options], {
    cwd: folder,
    env: { ...process.env, PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, said };
}

/** Packages of the tree, by path, in their versions. */
function has(packages: Readonly<Record<string, string>>): void {
  for (const [path, version] of Object.entries(packages)) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ version }));
  }
}

const OF_A_RUN = { 'node_modules/one': '1.0.0', 'node_modules/two': '2.0.0' };

test('packages that have to be installed are announced before npm begins, and a run takes none of those for tests', async () => {
  const { code, said } = await install('echo "$*"  > asked');
  expect({ code, said: said.replace(/\d+ s/, 'N s') }).toEqual({
    code: 0,
    said: 'Installing 2 packages ...\nInstalled in N s.\n',
  });
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toMatch(/^install --no-save .*--omit=dev\n$/);
});

test('tests add the rest without taking anything away', async () => {
  has(OF_A_RUN);
  const { said } = await install('echo "$*" > asked', { options: ['--all'] });
  expect(said).toContain('Installing 2 packages');
  const asked = readFileSync(join(folder, 'asked'), 'utf8');
  expect(asked).toMatch(/^install --no-save /);
  expect(asked).not.toContain('--omit');
});

test('a run keeps what tests have installed', async () => {
  has({ 'node_modules/one': '1.0.0', 'node_modules/jest': '4.0.0' });
  const { said } = await install('echo "$*" > asked');
  expect(said).toContain('Installing 2 packages');
  expect(readFileSync(join(folder, 'asked'), 'utf8')).not.toContain('--omit');
});

test('a package that an install has begun and not ended is not taken for whole, and no other is deleted', async () => {
  has({ 'node_modules/one': '1.0.0' });
  expect(
    (await install('mkdir -p node_modules/two; cp node_modules/one/package.json node_modules/two; exit 9'))
      .code,
  ).toBe(9);
  has(OF_A_RUN);
  const { said } = await install('ls node_modules > asked');
  expect(said).toContain('Installing 1 packages');
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('one\n');
  has(OF_A_RUN);
  expect(await install('exit 1')).toEqual({ code: 0, said: '' });
});

test('an optional package that was cut short is installed anew too', async () => {
  const packages = {
    ...Object.fromEntries(Object.entries(OF_A_RUN).map(([path, version]) => [path, { version }])),
    'node_modules/native': { version: '1.0.0', optional: true, os: [process.platform] },
    'node_modules/foreign': { version: '1.0.0', optional: true, os: ['none'] },
  };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }));
  const cut =
    'mkdir -p node_modules/native; echo \'{"version":"1.0.0"}\' > node_modules/native/package.json; exit 9';
  expect((await install(cut)).code).toBe(9);
  has(OF_A_RUN);
  expect((await install('ls node_modules > asked')).code).toBe(0);
  expect(readFileSync(join(folder, 'asked'), 'utf8')).not.toContain('native');
});

describe('Node 24', () => {
  const NODE = `node-${process.platform}-${process.arch}`;
  const as = (change: string) => [`--import=data:text/javascript,${encodeURIComponent(change)}`];
  const OLD = as(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
  );
  const path = () => join(folder, 'node_modules', '.bin', 'node');

  beforeEach(() => {
    mkdirSync(join(folder, 'local', 'node'), { recursive: true });
    const packages = { '': {}, [`node_modules/${NODE}`]: { version: '24.21.0', optional: true } };
    writeFileSync(join(folder, 'local', 'node', 'package-lock.json'), JSON.stringify({ packages }));
    has(OF_A_RUN);
  });

  const npm = `pwd > cwd; mkdir -p node_modules/${NODE}/bin; echo '{"version":"24.21.0"}' > node_modules/${NODE}/package.json; touch node_modules/${NODE}/bin/node`;

  test("is the machine's where it has that", async () => {
    expect(await install('exit 1')).toEqual({ code: 0, said: '' });
    expect(readlinkSync(path())).toBe(process.execPath);
  });

  test('is installed by itself where the machine has another, once, and is what npm finds', async () => {
    const first = await install(npm, { flags: OLD });
    expect(first).toMatchObject({ code: 0, said: expect.stringContaining('Installing Node 24.21.0') });
    expect(readFileSync(join(folder, 'local', 'node', 'cwd'), 'utf8').trim()).toMatch(/local\/node$/);
    expect(readlinkSync(path())).toBe(`../../local/node/node_modules/${NODE}/bin/node`);
    expect(await install('exit 1', { flags: OLD })).toEqual({ code: 0, said: '' });
  });

  test('is that of the lock file for tests, whatever the machine has', async () => {
    has({ 'node_modules/jest': '4.0.0', 'node_modules/typescript': '5.0.0' });
    const { said } = await install(npm, { options: ['--all'] });
    expect(said).toContain('Installing Node 24.21.0');
    expect(said).not.toContain('packages');
  });

  test('is asked for where npm has none for the machine', async () => {
    const mac = as(
      "Object.defineProperty(process, 'platform', { value: 'darwin' }); Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
    );
    const { code, said } = await install('exit 1', { flags: mac });
    expect({ code, said }).toEqual({
      code: 1,
      said: `Node 24 is needed, and there is no package of it for darwin on ${process.arch}: install it\n`,
    });
  });
});

test('what npm has fetched is counted against the lock file, on a pipe too', async () => {
  const lines = [
    'npm http fetch GET 200 https://r/one/-/one-1.0.0.tgz 5ms',
    'npm http fetch GET 200 https://r/one 3ms',
  ];
  const { said } = await install(`${lines.map((line) => `echo '${line}' >&2`).join('\n')}\nsleep 6`);
  expect(said).toMatch(/^Installing: 1 of 2 fetched, [56] s$/m);
}, 20_000);

test('nothing is said where they are installed', async () => {
  has(OF_A_RUN);
  expect(await install('exit 1')).toEqual({ code: 0, said: '' });
});

test.each([
  ['one is missing', {}],
  ['one has another version', { 'node_modules/two': '2.0.1' }],
])('they are installed again where %s', async (_, two) => {
  has({ 'node_modules/one': '1.0.0', ...(two as Readonly<Record<string, string>>) });
  expect((await install('exit 0')).said).toContain('Installed in');
});

test('a registry that does not answer is named, and npm is not left to try for minutes', async () => {
  const nobody = `http://127.0.0.1:${await pickPort()}/`;
  const { code, said } = await install(
    'case "$*" in *--offline*) echo "npm error ENOTCACHED" >&2; exit 7;; esac; sleep 60',
    { from: nobody },
  );
  expect(code).toBe(7);
  expect(said).toContain('npm error ENOTCACHED');
  expect(said).toContain(`The registry ${nobody} does not answer (ECONNREFUSED)`);
});

test('every command that needs packages begins with it', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  for (const name of ['prestart', 'pretest', 'presimulate', 'presimulate-heads', 'precost'])
    expect([name, scripts[name]]).toEqual([
      name,
      `node local/install.mjs${name === 'prestart' ? '' : ' --all'}`,
    ]);
});
