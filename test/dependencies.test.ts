import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
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
  'Python-2.0',
]);

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

function isAllowed(license: string | undefined): boolean {
  const alternatives = (license ?? '').replaceAll(/[()]/g, '').split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((part) => ALLOWED.has(part)));
}

test('each package has a licence that allows what we do with it', () => {
  const others = Object.entries(packages).filter(([path, { license }]) => path !== '' && !isAllowed(license));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test('the dependencies are exact versions', () => {
  const { dependencies, optionalDependencies, devDependencies } = packages[''] ?? {};
  const named = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies });
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('the lock file names no registry', () => {
  const text = readFileSync('package-lock.json', 'utf8');
  expect([...text.matchAll(/"resolved": "(https?:\/\/[^/"]+)/g)].map(([, host]) => host)).toEqual([]);
});
