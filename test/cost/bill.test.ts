import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { makeBill } from '../../bin/cost/bill.ts';
import { readCountedFile } from '../../bin/cost/counted-file.ts';
import { CostUsageError, parseCostOptions } from '../../bin/cost/options.ts';
import { costAt, PROVIDERS } from '../../bin/cost/providers.ts';
import { DATA_MIX, REQUEST_KINDS, RPC_MIXES } from '../../bin/cost/request-kinds.ts';
import type { TrafficProfile } from '../../bin/cost/traffic.ts';
import { priceOf, type Tier, UNIT_PRICES } from '../../bin/prices/unit-prices.ts';
import { DATA_REASON_PREFIX } from '../../lambdas/data/data-metrics.ts';
import { FAILURE_CODES } from '../../lambdas/data/response/failure.ts';
import { NODE_ERROR, type RpcResponse, requestMetrics } from '../../lambdas/rpc/response/rpc-response.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { METHOD_CLASSES } from '../../lambdas/shared/methods/method-table.ts';
import {
  errorLines,
  FAULT_METRICS,
  METRIC_UNITS,
  type MetricLine,
  renderMetrics,
} from '../../lambdas/shared/runtime/metrics.ts';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import { metricKey } from '../../local/dashboard/metric-series.ts';

type Provider = (typeof PROVIDERS)[number];

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'cost.md'), 'utf8');
/** The page gives round figures. */
const PAGE_TOLERANCE = 0.02;
const SCRIPT = join(import.meta.dirname, '..', '..', 'bin', 'cost.ts');
const DATE = /^20\d\d(-\d\d(-\d\d)?)?$/;
const URL_FORM = /^https:\/\/\S+\.\S+$/;
const { counted, resources } = readCountedFile();
const RPC_GB = (resources.memoryMb.rpc ?? 0) / 1_024;

function profileOf(...commandLine: readonly string[]): TrafficProfile {
  const options = parseCostOptions(commandLine);
  if (options === 'help') throw new Error('no profile');
  return options.profile;
}

function billOf(...commandLine: readonly string[]) {
  return makeBill(profileOf(...commandLine), counted, resources);
}

/** Every metric of a chain, in every class of method and for every reason of an error. */
function linesOfEverything(chain: string): MetricLine[] {
  const figures = {
    calls: 0,
    refused: 0,
    unanswered: 1,
    cached: 0,
    nodeErrors: 0,
    classes: new Map(METHOD_CLASSES.map((name) => [name, { calls: 1, cu: 1 }])),
    errors: new Map([NODE_ERROR, ...Object.keys(ERROR_CATALOGUE)].map((reason) => [reason, 1])),
  };
  const answer = { status: 200, figures } as unknown as RpcResponse;
  const dataErrors = new Map(FAILURE_CODES.map((code) => [`${DATA_REASON_PREFIX}${code}`, 1]));
  const values = Object.fromEntries(Object.keys(METRIC_UNITS).map((name) => [name, 1]));
  return [
    { values, dimensions: { Chain: chain } },
    ...requestMetrics({ response: answer, chain, requestId: '', latencyMs: 1, chargeMs: 1 }),
    ...errorLines({ Chain: chain }, dataErrors),
  ];
}

function isInOrder(tiers: readonly Tier[]): boolean {
  const ends = tiers.map(([upTo]) => upTo ?? Number.POSITIVE_INFINITY);
  return ends.at(-1) === Number.POSITIVE_INFINITY && ends.every((end, i) => end > (ends[i - 1] ?? 0));
}

function run(...commandLine: readonly string[]) {
  return spawnSync(process.execPath, [SCRIPT, ...commandLine], { encoding: 'utf8' });
}

describe('unit prices', () => {
  it.each(Object.entries(UNIT_PRICES))('%s has a source, a date and tiers in order', (_name, price) => {
    expect(price.source).toMatch(URL_FORM);
    expect(price.date).toMatch(DATE);
    if (price.seen !== undefined) expect(price.seen).toMatch(URL_FORM);
    expect(isInOrder(price.tiers)).toBe(true);
  });

  it.each(PROVIDERS.map((provider) => [provider.name, provider] as const))(
    '%s has sources, a date, a default and plans',
    (_name, { sources, date, units, plans }) => {
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) expect(source).toMatch(URL_FORM);
      expect(date).toMatch(DATE);
      expect(units.default).toBeGreaterThan(0);
      expect(plans.length).toBeGreaterThan(0);
      for (const { tiers } of plans) expect(isInOrder(tiers)).toBe(true);
    },
  );

  it('are all on the bill', () => {
    const lines = [[], ['--io-optimized']].flatMap((flags) => billOf(...flags).lines);
    const used = new Set(lines.flatMap(({ price }) => (price === 'nodeCall' ? [] : price)));
    expect([...used].sort()).toEqual(Object.keys(UNIT_PRICES).sort());
  });
});

describe('priceOf', () => {
  const ends = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 4 });
  const prices = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 5, maxLength: 5 });
  const tiers = fc.tuple(ends, prices).map(([to, each]): Tier[] => {
    const sorted = [...to].sort((one, other) => one - other);
    return [...sorted, null].map((upTo, i) => [upTo, each[i] ?? 0]);
  });

  it('adds up the price of each unit by itself', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80 }), tiers, (quantity, list) => {
        const each = Array.from({ length: quantity }, (_, unit) => {
          const tier = list.find(([upTo]) => upTo === null || unit < upTo);
          return tier?.[1] ?? Number.NaN;
        });
        expect(priceOf(quantity, list)).toBe(each.reduce((sum, price) => sum + price, 0));
      }),
    );
  });
});

describe('the bill', () => {
  it('adds up, and has what it would be without requests', () => {
    const bill = billOf();
    expect(bill.usd).toBeCloseTo(
      bill.lines.reduce((sum, { usd }) => sum + usd, 0),
      6,
    );
    const idle = billOf('--requests', '0', '--data-requests', '0', '--accounts', '0');
    expect(bill.fixedUsd).toBeCloseTo(idle.usd, 6);
    expect(idle).toMatchObject({ billedCu: 0, usdPerThousandCu: 0, usdPerMillionRequests: 0 });
    expect(bill.usdPerThousandCu).toBeCloseTo((bill.usd / bill.billedCu) * 1_000, 9);
  });

  it('charges what 1 M contract reads take: a request and two writes each', () => {
    const { lines, billedCu } = billOf('--mix', 'calls', '--requests', '1e6', '--data-requests', '0');
    const usdOf = (item: string) => lines.find((line) => line.item === item)?.usd;
    expect(billedCu).toBe(20e6);
    expect(usdOf('requests')).toBeCloseTo(3.5, 9);
    expect(usdOf('keys: writes (buckets)')).toBeCloseTo(0.625, 9);
    expect(usdOf('lanes: writes (charges)')).toBeCloseTo(0.625, 9);
    expect(usdOf('rpc: GB-s')).toBeCloseTo(1e6 * 0.12 * RPC_GB * 1.33334e-5, 6);
  });

  it('counts the calls for nodes by caller, and prices them by an option', () => {
    const nodesOf = (...commandLine: readonly string[]) =>
      billOf(...commandLine).lines.filter(({ price }) => price === 'nodeCall');
    const [clients, own, index] = nodesOf('--mix', 'batches', '--requests', '1e6', '--data-requests', '0');
    expect(clients?.quantity).toBeCloseTo(10e6, 0);
    expect(own?.quantity).toBeCloseTo(0.05 * 10e6, 0);
    const quiet = nodesOf('--mix', 'batches', '--requests', '1e6', '--node-calls-per-call', '2');
    expect(quiet[1]?.quantity).toBeCloseTo(10e6, 0);
    // Blocks and receipts of four blocks a second, where a slow machine counts some less.
    const ofBlocks = 2 * 4 * 730 * 3_600;
    expect(index?.quantity).toBeGreaterThan(0.75 * ofBlocks);
    expect(index?.quantity).toBeLessThan(1.02 * ofBlocks);
    const priced = nodesOf('--node-usd-per-million', '2');
    expect(nodesOf().map(({ usd }) => usd)).toEqual([0, 0, 0]);
    for (const { usd, quantity } of priced) expect(usd).toBeCloseTo(quantity * 2e-6, 6);
    expect(billOf('--node-usd-per-million', '2').usd).toBeCloseTo(
      billOf().usd + priced.reduce((sum, { usd }) => sum + usd, 0),
      6,
    );
  });

  it('has no I/O where storage is not billed by it, which pays from so many requests on', () => {
    const database = (...commandLine: readonly string[]) => {
      const lines = billOf(...commandLine).lines.filter(
        ({ service, price }) => service === 'Aurora' && price !== 'databaseCall',
      );
      return {
        usd: lines.reduce((sum, { usd }) => sum + usd, 0),
        io: lines.find(({ item }) => item === 'I/O')?.usd,
      };
    };
    expect(database('--io-optimized').io).toBe(0);
    // A chain that is followed and read as the model assumes asks for a quarter of what would make up for it.
    expect(database().usd).toBeLessThan(database('--io-optimized').usd);
    const busy = ['--database-io', '1e9'] as const;
    expect(database(...busy).usd).toBeGreaterThan(database(...busy, '--io-optimized').usd);
  });

  it('is at most 1,280 USD for the default month', () => {
    expect(billOf().usd).toBeLessThanOrEqual(1_280);
  });

  it('charges the length of large answers: streamed, as further requests, as time and as data', () => {
    const added = (mb: string) => {
      const traffic = ['--requests', '1e6', '--large-mb', mb] as const;
      const [without, large] = [billOf(...traffic), billOf(...traffic, '--large-percent', '1')];
      const more = large.lines.map(({ item, quantity }, place) => {
        return [item, quantity - (without.lines[place]?.quantity ?? 0)] as const;
      });
      return Object.fromEntries(more.filter(([, quantity]) => quantity > 0));
    };
    expect(added('6')).toEqual({ 'answers to the internet': expect.closeTo(60, 6) });
    expect(added('10')).toEqual({
      'rpc: GB-s': expect.closeTo(20_000 * RPC_GB, 6),
      'answers beyond 6 MB, streamed': expect.closeTo(40, 6),
      'answers to the internet': expect.closeTo(100, 6),
    });
    expect(added('32')).toEqual({
      'answers beyond 10 MB': 30_000,
      'rpc: GB-s': expect.closeTo(130_000 * RPC_GB, 6),
      'answers beyond 6 MB, streamed': expect.closeTo(260, 6),
      'answers to the internet': expect.closeTo(320, 6),
    });
  });

  it('reads balances at most once for each request, and the more often the more instances there are', () => {
    const quantityOf = (item: string, ...commandLine: readonly string[]) =>
      billOf(...commandLine).lines.find((line) => line.item === item)?.quantity ?? Number.NaN;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e12 }),
        fc.integer({ min: 1, max: 1e6 }),
        (requests, accounts) => {
          const traffic = [
            '--requests',
            String(requests),
            '--data-requests',
            '0',
            '--accounts',
            String(accounts),
          ];
          // Half a unit for a read that may be a moment old.
          const reads = 2 * quantityOf('accounts: reads (balances)', ...traffic);
          const writes = quantityOf('lanes: writes (charges)', ...traffic);
          expect(reads).toBeLessThanOrEqual(writes);
          const slow = 2 * quantityOf('accounts: reads (balances)', ...traffic, '--node-ms', '1e4');
          expect(slow).toBeGreaterThanOrEqual(reads);
        },
      ),
    );
  });

  it('has buckets, charges and usage of the default month for at most 170 USD', () => {
    const metering = billOf().lines.filter(
      ({ service, item }) => service === 'DynamoDB' && !item.startsWith('answers'),
    );
    const usd = metering.reduce((sum, line) => sum + line.usd, 0);
    expect(usd).toBeLessThanOrEqual(170);
    const [, said] = /metering: buckets, charges and usage \| (\d+) \|/.exec(PAGE) ?? [];
    expect(Math.abs(Number(said) - usd)).toBeLessThan(usd * PAGE_TOLERANCE);
  });

  it.each([1, 3])('has every metric that a request can emit, of all chains and of each of %d', (chains) => {
    const emitted = Array.from({ length: chains }, (_, chain) => `chain_${chain}`).flatMap(linesOfEverything);
    const series = emitted.flatMap((line) => parseEmbeddedMetrics(renderMetrics(line, 0, 'Gateway/one')));
    // What an outage adds is not in a month, and no cent.
    const usual = series.filter(({ name }) => FAULT_METRICS.every((fault) => fault !== name));
    const names = new Set(usual.map((one) => metricKey(one)));
    const { lines } = billOf('--chains', String(chains));
    const billed = lines.filter(({ item }) => /^(metrics of the gateway|the same by class)/.test(item));
    expect(billed.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(names.size);
  });

  it.each([10, 50])('has a database, an index and alarms for each of %d chains', (chains) => {
    const quantities = (...commandLine: readonly string[]) =>
      Object.fromEntries(billOf(...commandLine).lines.map(({ item, quantity }) => [item, quantity]));
    const one = quantities();
    const many = quantities('--chains', String(chains));
    for (const item of ['storage', 'I/O', 'indexer: GB-s', 'RDS Data API, for the index'])
      expect([item, (many[item] ?? 0) / (one[item] ?? 1)]).toEqual([item, expect.closeTo(chains, 6)]);
    expect(many.capacity).toBeCloseTo(730 * (1.5 + 0.5 * chains), 6);
    expect(many.alarms).toBeCloseTo(resources.alarmMetrics + chains * resources.chainAlarmMetrics, 6);
    expect(resources.chainAlarmMetrics).toBeGreaterThan(4);
    expect(quantities('--chains', String(chains), '--acu', '3').capacity).toBeCloseTo(730 * 3, 6);
  });

  it('grows with every part of the traffic', () => {
    const base = billOf().usd;
    for (const option of [
      'requests',
      'data-requests',
      'accounts',
      'chains',
      'acu',
      'storage-gb',
      'node-ms',
      'large-percent',
    ]) {
      expect([option, billOf(`--${option}`, '1e9').usd > base]).toEqual([option, true]);
    }
  });
});

describe('mixes', () => {
  it.each(Object.entries({ ...RPC_MIXES, data: DATA_MIX }))(
    '%s is a hundred percent of one interface',
    (name, mix) => {
      expect(Object.values(mix).reduce((sum, share) => sum + share, 0)).toBe(100);
      const api = name === 'data' ? 'data' : 'rpc';
      const others = Object.keys(mix).filter(
        (kind) => REQUEST_KINDS[kind as keyof typeof REQUEST_KINDS].api !== api,
      );
      expect(others).toEqual([]);
    },
  );

  it('have counted kinds only', () => {
    expect(Object.keys(counted.kinds).sort()).toEqual(Object.keys(REQUEST_KINDS).sort());
  });

  it('bill each call of a batch', () => {
    const [provider] = PROVIDERS.map((one) => ({ ...one, units: { default: 0, eth_getBalance: 1 } }));
    expect(provider && costAt(provider, RPC_MIXES.batches ?? {}, 5).units).toBe(50);
  });
});

describe('other providers', () => {
  const provider: Provider = {
    name: 'Example',
    unit: 'credit',
    units: { default: 2, eth_call: 5, 'eth_*': 3, 'eth_get*': 4 },
    plans: [
      { name: 'small', monthlyUsd: 10, includedUnits: 1e6, tiers: [[null, 20]] },
      { name: 'large', monthlyUsd: 100, includedUnits: 10e6, tiers: [[null, 10]] },
    ],
    sources: ['https://example.com'],
    date: '2026',
    assumed: '',
  };

  it('takes the exact method, then the longest pattern, then the default', () => {
    const kinds = ['call', 'logs', 'head', 'trace'] as const;
    const units = kinds.map((kind) => costAt(provider, { [kind]: 100 }, 1).units);
    expect(units).toEqual([5, 4, 3, 2]);
  });

  it.each([
    [100_000, 'small', 10],
    [400_000, 'small', 30],
    [2_400_000, 'large', 120],
  ])('prices %d contract reads on the plan %s', (requests, plan, usd) => {
    expect(costAt(provider, { call: 100 }, requests)).toMatchObject({ plan, usd, units: requests * 5 });
  });

  it('prices 1 M contract reads as the price lists of two say', () => {
    const usd = Object.fromEntries(PROVIDERS.map((one) => [one.name, costAt(one, { call: 100 }, 1e6).usd]));
    expect(usd).toMatchObject({ Alchemy: expect.closeTo(26 * 0.45, 6), Ankr: expect.closeTo(20, 6) });
  });
});

describe('docs/cost.md', () => {
  it('says what the command prints for the default month', () => {
    const [, total, fixed] = /the bill is about ([\d,]+) USD; ([\d,]+) USD of it/.exec(PAGE) ?? [];
    const bill = billOf();
    for (const [said, usd] of [
      [total, bill.usd],
      [fixed, bill.fixedUsd],
    ] as const)
      expect(Math.abs(Number(said?.replaceAll(',', '')) - usd)).toBeLessThan(usd * PAGE_TOLERANCE);
  });

  it('says what the command prints for more chains', () => {
    const [, ten, capacity, storage, index, functions, alarms, fifty] =
      /10 chains cost ([\d,]+) USD \((\d+) for Aurora's\s+capacity, (\d+) for its storage and I\/O, (\d+) for the RDS Data API, (\d+) for functions of the index, (\d+) for alarms\) and 50\s+chains ([\d,]+) USD/.exec(
        PAGE,
      ) ?? [];
    const [of10, of50] = ['10', '50'].map((chains) => billOf('--chains', chains, '--accounts', '500'));
    const sum = (...items: readonly RegExp[]) =>
      of10?.lines.reduce(
        (usd, line) =>
          items.some((item) => item.test(`${line.service} ${line.item}`)) ? usd + line.usd : usd,
        0,
      ) ?? 0;
    for (const [said, usd] of [
      [ten, of10?.usd ?? 0],
      [fifty, of50?.usd ?? 0],
      [capacity, sum(/^Aurora capacity/)],
      [storage, sum(/^Aurora (?:storage|I\/O)/)],
      [index, sum(/^Aurora RDS Data API, for the index/)],
      [functions, sum(/^Lambda .*indexer/)],
      [alarms, sum(/^CloudWatch alarms/)],
    ] as const)
      expect([said, Math.abs(Number(said?.replaceAll(',', '')) - usd) < usd * PAGE_TOLERANCE]).toEqual([
        said,
        true,
      ]);
  });
});

describe('npm run cost', () => {
  it('reads its options', () => {
    expect(profileOf('--requests', '5e6', '--node-ms', '80')).toMatchObject({
      requests: 5e6,
      billedMs: { node: 80 },
    });
    expect(parseCostOptions(['--help'])).toBe('help');
    const wrong = [
      ['--requests', 'many'],
      ['--acu', '-1'],
      ['--mix', 'toString'],
      ['--unknown'],
      ['--acu', ''],
      ['--config', 'config/unknown.json'],
    ];
    for (const commandLine of wrong) expect(() => parseCostOptions(commandLine)).toThrow(CostUsageError);
  });

  it('prints the bill and the others beside it', () => {
    const { status, stdout, stderr } = run('--requests', '3e6');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('The nodes are counted and not priced');
    expect(stdout).toMatch(/^Nodes +calls of clients +[\d.]+M +call +0\.00$/m);
    expect(stdout).toMatch(/^all +[\d,]+\.\d\d$/m);
    expect(stdout).toMatch(/^ +per 1,000 CU +[\d.]+\w? +CU billed +0\.\d{6}$/m);
    for (const { name, sources } of PROVIDERS)
      expect(stdout).toMatch(new RegExp(`^${name} .*${sources[0]}`, 'm'));
  });

  it('prints JSON for machines', () => {
    const { bill, providers } = JSON.parse(run('--json').stdout) as {
      bill: { usd: number };
      providers: unknown[];
    };
    expect(bill.usd).toBeCloseTo(billOf().usd, 6);
    expect(providers).toHaveLength(PROVIDERS.length);
  });

  it('refuses what it does not know in one line', () => {
    const { status, stdout, stderr } = run('--mix', 'unknown');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^--mix must be one of [^\n]*\n$/);
  });
});
