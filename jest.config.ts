import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

/** A worker and what its tests start take a gigabyte. */
const MAX_WORKERS = 4;
/** Above it a worker that has run a test file is replaced: modules that a file loaded are not all given back. */
const WORKER_MEMORY = '1GB';
/** A bound for what hangs. No test depends on its speed: those that wait for something name their own. */
const TEST_TIMEOUT_MS = 300_000;

/**
 * Tests that start processes (gateways, databases, emulators, nodes), synthesise the stack, or run whole simulations.
 * All others are the unit tests, which take a minute: `npm test -- --selectProjects unit`.
 */
const SYSTEM_TESTS = '\\.system\\.test\\.ts$';
/** Tests of either kind that cost most and repeat at length what a quick one samples: `npm test -- --deep` adds them. */
const DEEP_TESTS = '\\.deep\\.test\\.ts$';

/**
 * A test file runs in a context of its own, in which each use of a global is looked up anew, in a hundred times the time
 * of a variable. These are variables: nothing replaces them in a test, as it does timers, `Date`, or `fetch`.
 */
const GLOBALS_AS_VARIABLES = [
  'Array',
  'BigInt',
  'Boolean',
  'Buffer',
  'Error',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'Uint8Array',
  'WeakMap',
] as const;

const common = {
  testEnvironment: '<rootDir>/test/support/measured-environment.ts',
  sandboxInjectedGlobals: [...GLOBALS_AS_VARIABLES],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.gateway'],
  moduleNameMapper: {
    '^gateway-access$': '<rootDir>/lambdas/access/index.ts',
    '^fast-check$': '<rootDir>/test/support/seeded-fast-check.ts',
    '^@middy/(core|util)$': '<rootDir>/node_modules/@middy/$1/index.js',
    '^@middy/core/(\\w+)$': '<rootDir>/node_modules/@middy/core/$1.js',
  },
  transform: {
    'undici/lib/llhttp/.*\\.js$': '<rootDir>/test/transforms/own-scope.ts',
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [
    '/node_modules/(?!@bitauth/libauth/|@middy/|marked/|hyparquet|undici/lib/llhttp/)',
  ],
} satisfies Config;

const config: Config = {
  // By default jest leaves a processor free: of two, one would run all tests. System tests wait half of their time.
  maxWorkers: Math.min(2 * availableParallelism(), MAX_WORKERS),
  workerIdleMemoryLimit: WORKER_MEMORY,
  testTimeout: TEST_TIMEOUT_MS,
  testSequencer: '<rootDir>/test/support/longest-first.ts',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [SYSTEM_TESTS, DEEP_TESTS],
    },
    {
      ...common,
      displayName: 'system',
      roots: ['<rootDir>/test'],
      testRegex: [SYSTEM_TESTS],
    },
    {
      ...common,
      displayName: 'deep',
      roots: ['<rootDir>/test'],
      testRegex: [DEEP_TESTS],
    },
  ],
};

// biome-ignore lint/style/noDefaultExport: jest reads the default export
export default config;
