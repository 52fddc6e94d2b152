import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import * as z from 'zod';
import { MAX_SHARDS } from '../lambdas/access/tables.ts';
import { isSchemaName } from '../lambdas/chain-data/names.ts';
import { embeddedUpstreamVariable } from '../lambdas/environment.ts';
import { INTEGRATION_MARGIN_MS } from '../lambdas/integration-time.ts';
import { CHARGE_RESERVE_MS } from '../lambdas/rpc/deadline.ts';
import { streamMs } from '../lambdas/rpc/stream-time.ts';
import { type StageSettings, upstreamReference } from '../lambdas/settings.ts';
import { describeProblem } from './config-problem.ts';
import { isWithinPolicy, METHOD_PATTERN_FORM } from './method-patterns.ts';
import { defaultShards } from './plan-limits.ts';
import {
  hasEmbeddedUpstream,
  isPublicUpstream,
  isUpstreamReference,
  PUBLIC_UPSTREAM_REASON,
  secretName,
  UPSTREAM_REFERENCE_FORMS,
} from './upstream-reference.ts';

/** Longest time that API Gateway waits for an integration that does not stream, without a raised quota. */
const MAX_INTEGRATION_TIMEOUT_SECONDS = 29;
const MAX_FUNCTION_TIMEOUT_SECONDS = 900;
/** API Gateway and Lambda let a request that streams take 15 minutes; the function runs a little longer than API Gateway waits. */
const MAX_STREAMING_TIMEOUT_SECONDS = MAX_FUNCTION_TIMEOUT_SECONDS - INTEGRATION_MARGIN_MS / 1_000;
const MAX_CONCURRENCY = 100_000;
/** Concurrent executions of an account, as a rule and if it is new. */
const USUAL_CONCURRENCY = 1_000;
const LEAST_CONCURRENCY = 10;
const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;
/** Chains of a stage; each has a schema of the chain database, and a nested stack. */
export const MAX_CHAINS = 50;
/**
 * Characters of the ARNs of all secrets together, so that the policies of a role that may read them all can name them,
 * and those that an ARN has around the name of its secret.
 */
export const MAX_SECRET_ARNS = 9_000;
export const SECRET_ARN_FRAME = 80;
const MAX_UPSTREAMS = 16;
const MAX_UPSTREAM_PRIORITY = 100;
const MAX_UPSTREAM_WEIGHT = 1_000;
const MAX_METHOD_PATTERNS = 200;
const MAX_PLAN_LIMIT = 1_000_000_000;
const MAX_GROUP_COMMIT_CU = 1_000_000;
const MAX_HEAD_LAG_SECONDS = 86_400;
/** What a transaction takes that does nothing. */
const MIN_CALL_GAS = 21_000;
const MAX_STABLES = 32;
const MAX_EXCHANGES = 64;
const EXCHANGE_PROTOCOLS = ['uniswap_v2', 'uniswap_v3', 'uniswap_v4'] as const;
const MAX_ISSUERS = 32;
const MAX_PRICE_FEEDS = 1_000;
const MAX_TOKEN_DECIMALS = 77;

/** Segments after `/v1` that are routes, or may become some: a chain of that name could not be reached. */
export const RESERVED_SEGMENTS: readonly string[] = [
  'account',
  'addresses',
  'blocks',
  'chains',
  'data',
  'dex',
  'logs',
  'nfts',
  'prices',
  'status',
  'stocks',
  'tokens',
  'traces',
  'transactions',
  'transfers',
];

/** Days for which CloudWatch can keep a log group. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** The reason that is printed behind the path of a wrong or missing entry. */
function must(be: string) {
  return {
    error: (issue: { readonly input?: unknown }) =>
      issue.input === undefined ? 'is required' : `must be ${be}`,
  };
}

function integer(minimum: number, maximum: number) {
  const reason = must(`an integer from ${minimum} to ${maximum}`);
  return z.int(reason).min(minimum, reason).max(maximum, reason);
}

function text(pattern: RegExp, form: string) {
  return z.string(must(form)).regex(pattern, must(form));
}

const boolean = z.boolean(must('true or false'));

/** Part of the methods that every chain allows: a chain can narrow them, never widen. */
const methodPatterns = z
  .array(
    z.string(must(METHOD_PATTERN_FORM)).refine(isWithinPolicy, must(METHOD_PATTERN_FORM)),
    must('a list of methods'),
  )
  .max(MAX_METHOD_PATTERNS, `must name at most ${MAX_METHOD_PATTERNS} methods`);

const reference = z
  .string(must(UPSTREAM_REFERENCE_FORMS))
  .refine(isUpstreamReference, must(UPSTREAM_REFERENCE_FORMS));

const describedUpstream = z
  .strictObject(
    {
      url: z.string(must('a URL')).optional(),
      secret: z.string(must('the name of a secret')).optional(),
      embedded: z.literal(true, must('true')).optional(),
      name: text(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, _ and -, at most 63').optional(),
      priority: integer(0, MAX_UPSTREAM_PRIORITY).optional(),
      weight: integer(1, MAX_UPSTREAM_WEIGHT).optional(),
    },
    must('an object'),
  )
  .refine(
    ({ url, secret, embedded }) => [url, secret, embedded].filter((one) => one !== undefined).length === 1,
    'must have exactly one of url, secret and embedded',
  )
  .refine((entry) => isUpstreamReference(upstreamReference(entry)), must(UPSTREAM_REFERENCE_FORMS));

const upstreams = z
  .array(z.union([reference, describedUpstream]), must('a list of upstreams'))
  .min(1, 'must name at least one upstream')
  .max(MAX_UPSTREAMS, `must name at most ${MAX_UPSTREAMS} upstreams`)
  .refine((entries) => areDistinct(entries.map(upstreamReference)), 'must not name an upstream twice')
  .refine(
    (entries) =>
      areDistinct(entries.flatMap((entry) => (typeof entry === 'string' ? [] : (entry.name ?? [])))),
    'must not give two upstreams the same name',
  );

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

const tokenAddress = text(/^0x[0-9a-fA-F]{40}$/, 'an address: 0x and 40 hex digits');

/** The tokens that all others are priced in, in USD. */
const quotes = z.strictObject(
  {
    stables: z
      .array(
        z.strictObject(
          {
            token: tokenAddress,
            decimals: integer(0, MAX_TOKEN_DECIMALS),
            usd: text(/^\d{1,12}(\.\d{1,12})?$/, 'a decimal number in a text').default('1'),
          },
          must('an object'),
        ),
        must('a list of tokens'),
      )
      .min(1, 'must name at least one token')
      .max(MAX_STABLES, `must name at most ${MAX_STABLES} tokens`)
      .refine(
        (stables) => areDistinct(stables.map(({ token }) => token.toLowerCase())),
        'must not name a token twice',
      ),
    wrappedNative: tokenAddress.optional(),
  },
  must('an object'),
);

/** The factories whose pools price tokens: anybody can announce a pool, with whatever in it. */
const exchanges = z
  .array(
    z.strictObject(
      {
        protocol: z.enum(EXCHANGE_PROTOCOLS, must(`one of ${EXCHANGE_PROTOCOLS.join(', ')}`)),
        factory: tokenAddress,
      },
      must('an object'),
    ),
    must('a list of factories'),
  )
  .max(MAX_EXCHANGES, `must name at most ${MAX_EXCHANGES} factories`)
  .refine(
    (factories) => areDistinct(factories.map((entry) => `${entry.protocol} ${entry.factory.toLowerCase()}`)),
    'must not name a factory twice',
  );

/** What is known of tokenised stocks beside what they say of themselves. */
const stocks = z.strictObject(
  {
    issuers: z
      .array(
        z.strictObject(
          { factory: tokenAddress, name: text(/^\S.{0,99}$/, 'a name of at most 100 characters') },
          must('an object'),
        ),
        must('a list of issuers'),
      )
      .max(MAX_ISSUERS, `must name at most ${MAX_ISSUERS} issuers`)
      .refine(
        (issuers) => areDistinct(issuers.map(({ factory }) => factory.toLowerCase())),
        'must not name a factory twice',
      )
      .default([]),
    priceFeeds: z
      .array(
        z.strictObject(
          { token: tokenAddress, aggregator: tokenAddress, decimals: integer(0, MAX_TOKEN_DECIMALS) },
          must('an object'),
        ),
        must('a list of price feeds'),
      )
      .max(MAX_PRICE_FEEDS, `must name at most ${MAX_PRICE_FEEDS} price feeds`)
      .refine(
        (feeds) => areDistinct(feeds.map(({ token }) => token.toLowerCase())),
        'must not name a token twice',
      )
      .default([]),
  },
  must('an object'),
);

const chain = z.strictObject(
  {
    chain: text(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, _ and -, at most 63')
      .refine((name) => !name.startsWith('rgw_'), 'must not start with rgw_, as API keys do')
      .refine((name) => !RESERVED_SEGMENTS.includes(name), 'must not be a path segment of the API itself'),
    name: text(/^\S.{0,99}$/, 'a name of at most 100 characters'),
    chainId: integer(1, Number.MAX_SAFE_INTEGER),
    public: boolean.default(true),
    default: boolean.default(false),
    upstreams,
    /** Whether its nodes may be reached over http, and in private networks or on this machine. */
    privateUpstreams: boolean.default(false),
    maxLogsBlockRange: integer(1, 1_000_000_000).default(10_000),
    stateWindowBlocks: integer(1, Number.MAX_SAFE_INTEGER).default(128),
    maxResponseBytes: integer(1_024, MAX_RESPONSE_BYTES).default(32 * 1024 * 1024),
    maxHeadLagSeconds: integer(1, MAX_HEAD_LAG_SECONDS).optional(),
    maxCallGas: integer(MIN_CALL_GAS, Number.MAX_SAFE_INTEGER).default(50_000_000),
    methods: z
      .strictObject(
        {
          allow: methodPatterns.min(1, 'must name at least one method').optional(),
          deny: methodPatterns.optional(),
        },
        must('an object'),
      )
      .optional(),
    quotes: quotes.optional(),
    exchanges: exchanges.optional(),
    stocks: stocks.optional(),
  },
  must('an object'),
);

/** What a plan sells: compute units a second, and HTTP requests a second, of which a batch is one. */
const plan = z
  .strictObject(
    {
      bucketCapacity: integer(1, MAX_PLAN_LIMIT),
      refillPerSecond: integer(1, MAX_PLAN_LIMIT),
      requestsPerSecond: integer(1, MAX_PLAN_LIMIT).optional(),
      /** Whether a key that is busy on an instance may draw its bucket for several requests at once. */
      drawAhead: boolean.default(false),
      /** Partitions of the lanes of an account; absent: as many as what the plan sells may need. */
      shards: integer(1, MAX_SHARDS).optional(),
    },
    must('an object'),
  )
  .transform((sold) => ({ ...sold, shards: sold.shards ?? defaultShards(sold) }));

/** How charges are stored. What each setting can lose is in docs/metering.md. */
const metering = z
  .strictObject(
    {
      /** Whether a charge is stored before its answer is sent, for one more round trip. */
      storeBeforeAnswer: boolean.default(false),
      /** Most compute units that one instance may hold back, to store them with later ones; 0: each is stored. */
      groupCommitCu: integer(0, MAX_GROUP_COMMIT_CU).default(0),
    },
    must('an object'),
  )
  .prefault({});

/** Size of one function; 1,769 MB are one vCPU. A request to one behind the API has `timeoutSeconds`. */
function functionSize(
  memoryMb: number,
  timeoutSeconds: number,
  maxTimeoutSeconds = MAX_FUNCTION_TIMEOUT_SECONDS,
) {
  return z
    .strictObject(
      {
        memoryMb: integer(128, 10_240).default(memoryMb),
        timeoutSeconds: integer(1, maxTimeoutSeconds).default(timeoutSeconds),
        reservedConcurrency: integer(1, MAX_CONCURRENCY).optional(),
      },
      must('an object'),
    )
    .prefault({});
}

/** A function behind the API, whose instances can be kept started. */
function apiFunctionSize(memoryMb: number, timeoutSeconds: number, maxTimeoutSeconds: number) {
  const size = functionSize(memoryMb, timeoutSeconds, maxTimeoutSeconds).unwrap();
  return size.extend({ provisionedConcurrency: integer(1, MAX_CONCURRENCY).optional() }).prefault({});
}

/** How a new version of a function comes into use. */
const releases = z
  .strictObject(
    {
      /** First for a tenth of the requests, and back if they fail. */
      canary: boolean.default(false),
    },
    must('an object'),
  )
  .prefault({});

const functions = z
  .strictObject(
    {
      rpc: apiFunctionSize(1_769, 40, MAX_STREAMING_TIMEOUT_SECONDS),
      data: apiFunctionSize(1_024, 25, MAX_INTEGRATION_TIMEOUT_SECONDS),
      status: apiFunctionSize(512, 10, MAX_INTEGRATION_TIMEOUT_SECONDS),
      charges: functionSize(256, 10),
      /** Whether functions have concurrency of their own: an account that is new has none to give. */
      reserveConcurrency: boolean.default(true),
    },
    must('an object'),
  )
  .prefault({});

/** Aurora starts to pause after five minutes without a connection at the earliest, a day at the latest. */
const MIN_AUTO_PAUSE_MINUTES = 5;
const MAX_AUTO_PAUSE_MINUTES = 1_440;
const MAX_ACU = 256;

/** Aurora capacity units, in steps of a half. */
function capacityUnits(minimum: number) {
  const reason = must(`a number from ${minimum} to ${MAX_ACU}, in steps of 0.5`);
  return z.number(reason).min(minimum, reason).max(MAX_ACU, reason).multipleOf(0.5, reason);
}

/** The chain database: one ACU is about 2 GB of memory with the processors that go with it. */
const database = z
  .strictObject(
    {
      enabled: boolean.default(true),
      minAcu: capacityUnits(0).default(0.5),
      maxAcu: capacityUnits(1).default(8),
      /** Version of Aurora PostgreSQL: AWS withdraws old ones. */
      engineVersion: text(/^17\.\d{1,2}$/, 'a version 17 of Aurora PostgreSQL').default('17.9'),
      /** Idle time after which the database pauses; needs `minAcu` 0. */
      autoPauseMinutes: integer(MIN_AUTO_PAUSE_MINUTES, MAX_AUTO_PAUSE_MINUTES).optional(),
    },
    must('an object'),
  )
  .prefault({});

/** SQS delivers to at least two runs of a function at a time, if that is limited at all. */
const MIN_BACKFILL_CONCURRENCY = 2;
const MAX_BACKFILL_CONCURRENCY = 1_000;

/** Whether the chain database is filled, and how many runs fill up the past at a time. */
const indexing = z
  .strictObject(
    {
      enabled: boolean.default(false),
      backfillConcurrency: integer(MIN_BACKFILL_CONCURRENCY, MAX_BACKFILL_CONCURRENCY).default(4),
    },
    must('an object'),
  )
  .prefault({});

const MAX_MONTHLY_BUDGET_USD = 100_000_000;

/** The bounds of WAF. */
const MIN_REQUESTS_PER_ADDRESS = 10;
const MAX_REQUESTS_PER_ADDRESS = 2_000_000_000;

/** What one address may send in five minutes, whatever its keys. */
const firewall = z
  .strictObject(
    {
      enabled: boolean.default(true),
      requestsPerAddress: integer(MIN_REQUESTS_PER_ADDRESS, MAX_REQUESTS_PER_ADDRESS).default(120_000),
    },
    must('an object'),
  )
  .prefault({});

const CLOUDFRONT_CERTIFICATE_REGION = 'us-east-1';
const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

const domain = z.strictObject(
  {
    name: text(HOST_NAME, 'a lower-case host name'),
    certificateArn: text(
      /^arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'the ARN of an ACM certificate',
    ),
    hostedZone: z
      .strictObject(
        { id: text(/^[A-Z0-9]{1,32}$/, 'a hosted zone id'), name: text(HOST_NAME, 'a lower-case host name') },
        must('an object'),
      )
      .optional(),
  },
  must('an object'),
);

/** The one schema of a stage file. Times are in the unit that a name ends in, sizes in bytes. */
const stageConfig = z
  .strictObject(
    {
      /** Names the stack (`gateway-<stage>`) and the API's stage. */
      stage: text(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and -, at most 32'),
      /** Region to deploy to; absent: the one that the deploying profile names. */
      region: text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'an AWS region').optional(),
      chains: z
        .array(chain, must('a list of chains'))
        .min(1, 'must hold at least one chain')
        .max(MAX_CHAINS, `must hold at most ${MAX_CHAINS} chains`),
      plans: z.record(
        text(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'a plan name: lower-case letters, digits, _ and -, at most 32'),
        plan,
        must('an object of plans'),
      ),
      defaultPlan: z.string(must('the name of a plan')),
      metering,
      upstreamTimeoutMs: integer(100, 900_000).default(20_000),
      functions,
      releases,
      /** Limits of API Gateway for each route of the stage; absent: those of the AWS account. */
      throttling: z
        .strictObject(
          { requestsPerSecond: integer(1, 1_000_000), burst: integer(1, 1_000_000) },
          must('an object'),
        )
        .optional(),
      logs: z
        .strictObject(
          {
            retentionDays: z.literal(RETENTION_DAYS, must(`one of ${RETENTION_DAYS.join(', ')}`)).default(30),
          },
          must('an object'),
        )
        .prefault({}),
      alarms: z
        .strictObject(
          {
            enabled: boolean.default(true),
            email: z.email(must('an e-mail address')).optional(),
            /** Who is woken; absent: `email`. */
            pageEmail: z.email(must('an e-mail address')).optional(),
            /** What the whole account may cost in a month, in USD, before `email` is told. */
            monthlyBudgetUsd: integer(1, MAX_MONTHLY_BUDGET_USD).optional(),
          },
          must('an object'),
        )
        .prefault({}),
      domain: domain.optional(),
      /** The API reference behind CloudFront, under a name of its own or under that of the distribution. */
      site: z
        .strictObject({ enabled: boolean.default(false), domain: domain.optional() }, must('an object'))
        .optional(),
      firewall,
      database,
      indexing,
      /** What becomes of the tables when the stack is deleted. */
      removal: z.enum(['retain', 'destroy'], must('"retain" or "destroy"')).default('retain'),
      /** What a local run makes on its first start: an account, and a history of its embedded chains. */
      demo: z
        .strictObject(
          {
            creditCu: integer(1, 1_000_000_000_000_000).default(10_000_000),
            chainActivity: boolean.default(false),
          },
          must('an object'),
        )
        .prefault({}),
    },
    must('an object'),
  )
  .superRefine((config, context) => {
    for (const { path, reason } of contradictions(config)) {
      context.addIssue({ code: 'custom', path: [...path], message: reason });
    }
  });

/** A stage file, complete with its defaults. */
export type StageConfig = z.output<typeof stageConfig>;

/** A stage file as it is written: everything with a default may be absent. */
export type StageConfigInput = z.input<typeof stageConfig>;

interface Contradiction {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Entries that are right by themselves and wrong together. */
function contradictions(config: StageConfig): Contradiction[] {
  return [
    ...chainContradictions(config.chains),
    ...limitContradictions(config),
    ...(Object.hasOwn(config.plans, config.defaultPlan)
      ? []
      : [{ path: ['defaultPlan'], reason: 'must be the name of a plan' }]),
    ...functionContradictions(config),
    ...alarmContradictions(config),
    ...domainContradictions(config),
    ...siteContradictions(config),
    ...databaseContradictions(config),
  ];
}

function chainContradictions(chains: StageConfig['chains']): Contradiction[] {
  const found: Contradiction[] = [];
  const defaults = chains.filter((one) => one.default).length;
  if (defaults !== 1) {
    found.push({
      path: ['chains'],
      reason: `must hold exactly one default chain (default: true), not ${defaults}`,
    });
  }
  const names = new Set<string>();
  const variables = new Set<string>();
  for (const [index, one] of chains.entries()) {
    const { chain: name } = one;
    const path = ['chains', index, 'chain'];
    if (names.has(name)) found.push({ path, reason: 'must be the name of one chain only' });
    names.add(name);
    found.push(...privateUpstreams(one, ['chains', index, 'upstreams']));
    if (!hasEmbeddedUpstream(one)) continue;
    const variable = embeddedUpstreamVariable(name);
    if (variables.has(variable)) {
      found.push({ path, reason: 'must differ from other embedded chains in more than - and _' });
    }
    variables.add(variable);
  }
  return found;
}

/** What a stage may have of each, and no stack can have more of. */
function limitContradictions({ chains }: StageConfig): Contradiction[] {
  const found: Contradiction[] = [];
  const names = new Set(
    chains.flatMap(({ upstreams }) => upstreams.map((entry) => secretName(entry) ?? [])).flat(),
  );
  const characters = [...names].reduce((sum, name) => sum + name.length + SECRET_ARN_FRAME, 0);
  if (characters > MAX_SECRET_ARNS) {
    const reason =
      `must name fewer secrets, or shorter ones: their ARNs have ${characters} characters, and the policies of a role ` +
      `have room for ${MAX_SECRET_ARNS}`;
    found.push({ path: ['chains'], reason });
  }
  return found;
}

function privateUpstreams(
  { privateUpstreams, upstreams }: StageConfig['chains'][number],
  path: Contradiction['path'],
): Contradiction[] {
  if (privateUpstreams) return [];
  return upstreams.flatMap((entry, index) =>
    isPublicUpstream(entry) || !isUpstreamReference(upstreamReference(entry))
      ? []
      : [{ path: [...path, index], reason: PUBLIC_UPSTREAM_REASON }],
  );
}

/** Times that end before the ones around them, so that the innermost part that knows the reason tells it, and concurrency. */
function functionContradictions(config: StageConfig): Contradiction[] {
  const found: Contradiction[] = [];
  const { rpc, reserveConcurrency, ...others } = config.functions;
  const sendingMs = streamMs(Math.max(...config.chains.map(({ maxResponseBytes }) => maxResponseBytes)));
  if (rpc.timeoutSeconds * 1_000 <= config.upstreamTimeoutMs + CHARGE_RESERVE_MS + sendingMs) {
    const reason =
      `must be longer than upstreamTimeoutMs by more than ${CHARGE_RESERVE_MS} ms` +
      (sendingMs === 0 ? '' : ` and the ${sendingMs} ms that maxResponseBytes take to be sent`);
    found.push({ path: ['functions', 'rpc', 'timeoutSeconds'], reason });
  }
  const { data, status } = others;
  for (const [name, { reservedConcurrency, provisionedConcurrency }] of Object.entries({
    rpc,
    data,
    status,
  })) {
    if ((provisionedConcurrency ?? 0) <= (reservedConcurrency ?? MAX_CONCURRENCY)) continue;
    const reason = 'must not be more than reservedConcurrency';
    found.push({ path: ['functions', name, 'provisionedConcurrency'], reason });
  }
  for (const [name, { reservedConcurrency }] of Object.entries({ rpc, ...others })) {
    if (reserveConcurrency || reservedConcurrency === undefined) continue;
    const reason = 'must be absent with functions.reserveConcurrency false';
    found.push({ path: ['functions', name, 'reservedConcurrency'], reason });
  }
  return found;
}

/** A budget tells somebody, and an alarm says that a release fails. */
function alarmContradictions({ alarms, releases }: StageConfig): Contradiction[] {
  const found: Contradiction[] = [];
  if (alarms.monthlyBudgetUsd !== undefined && alarms.email === undefined)
    found.push({ path: ['alarms', 'monthlyBudgetUsd'], reason: 'must be absent without alarms.email' });
  if (releases.canary && !alarms.enabled)
    found.push({ path: ['releases', 'canary'], reason: 'must be false without alarms' });
  return found;
}

/** A regional API takes certificates of its own region only. */
function domainContradictions({ region, domain }: StageConfig): Contradiction[] {
  if (region === undefined || domain === undefined) return [];
  if (domain.certificateArn.split(':')[3] === region) return [];
  return [{ path: ['domain', 'certificateArn'], reason: `must be a certificate of ${region}` }];
}

/** CloudFront takes certificates of one region only. */
function siteContradictions({ site }: StageConfig): Contradiction[] {
  const region = site?.domain?.certificateArn.split(':')[3] ?? CLOUDFRONT_CERTIFICATE_REGION;
  if (region === CLOUDFRONT_CERTIFICATE_REGION) return [];
  const reason = `must be a certificate of ${CLOUDFRONT_CERTIFICATE_REGION}, as CloudFront takes no other`;
  return [{ path: ['site', 'domain', 'certificateArn'], reason }];
}

/** Each chain has a schema of its name in the chain database. */
function databaseContradictions({ chains, database, indexing }: StageConfig): Contradiction[] {
  if (!database.enabled) {
    const reason = 'must be false without a chain database';
    return indexing.enabled ? [{ path: ['indexing', 'enabled'], reason }] : [];
  }
  const { minAcu, maxAcu, autoPauseMinutes } = database;
  const found: Contradiction[] = [];
  if (minAcu > maxAcu) {
    found.push({ path: ['database', 'maxAcu'], reason: 'must not be less than minAcu' });
  }
  if (autoPauseMinutes !== undefined && minAcu > 0) {
    const reason = 'must be absent unless minAcu is 0: only then the database pauses';
    found.push({ path: ['database', 'autoPauseMinutes'], reason });
  }
  for (const [index, { chain }] of chains.entries()) {
    if (isSchemaName(chain)) continue;
    const reason = 'must not be a schema of PostgreSQL itself, as the chain database has one of its name';
    found.push({ path: ['chains', index, 'chain'], reason });
  }
  return found;
}

/** A stage file cannot be used. The message has one line for each problem: file, path of the entry, reason. */
export class StageConfigError extends Error {
  override readonly name = 'StageConfigError';
}

/**
 * Checks the content of a stage file and fills in the defaults.
 * @param file name of the file, for the error
 * @throws {StageConfigError} with every problem
 */
export function parseStageConfig(content: unknown, file: string): StageConfig {
  const result = stageConfig.safeParse(content);
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap(describeProblem).map((problem) => `${file}: ${problem}`);
  throw new StageConfigError(lines.join('\n'));
}

/**
 * Reads a stage file.
 * @throws {StageConfigError} if it cannot be read, is not JSON or says something wrong
 */
export function loadStageConfig(path: string): StageConfig {
  const fromHere = relative(process.cwd(), path);
  const file = fromHere.startsWith('..') ? path : fromHere;
  return parseStageConfig(readJson(path, file), file);
}

function readJson(path: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'cannot be read';
    throw new StageConfigError(`${file}: ${reason}`, { cause: error });
  }
}

/** What the functions are told of a stage. */
export function toStageSettings(config: StageConfig): StageSettings {
  const { stage, chains, plans, defaultPlan, metering, upstreamTimeoutMs } = config;
  const { rpc, reserveConcurrency } = config.functions;
  const usual = reserveConcurrency ? USUAL_CONCURRENCY : LEAST_CONCURRENCY;
  const rpcConcurrency = rpc.reservedConcurrency ?? usual;
  return { stage, chains, plans, defaultPlan, metering, upstreamTimeoutMs, rpcConcurrency };
}
