import * as z from 'zod';
import { backup } from './backup-config.ts';
import { chain } from './chain-config.ts';
import { database, indexing } from './database-config.ts';
import { addressProxy, domain, firewall } from './edge-config.ts';
import { boolean, integer, must, text } from './fields.ts';
import { functions, releases } from './function-config.ts';
import { objectives } from './objectives-config.ts';
import { dataApi, metering, plan } from './plan-config.ts';
import { TABLE_START_WRITES_PER_SECOND } from './plan-limits.ts';
import { size } from './sizes.ts';

/** Chains of a stage; each has a schema of the chain database, and a nested stack. */
export const MAX_CHAINS = 50;

/** Days for which CloudWatch can keep a log group. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** How much of a stage is watched by alarms. */
const EXTENTS = ['least', 'usual', 'all'] as const;
export type AlarmExtent = (typeof EXTENTS)[number];

const USUAL_LOCK_DAYS = 400;
const MAX_LOCK_DAYS = 3_650;

/** Writes per second that DynamoDB takes of one table without a raised quota. */
const MAX_WARM_WRITES_PER_SECOND = 40_000;
const MAX_MONTHLY_BUDGET_USD = 100_000_000;
const MAX_USD_PER_MILLION_CU = 100_000;
const PRICE_FORM = `a number above 0, at most ${MAX_USD_PER_MILLION_CU}`;

/**
 * The one schema of a stage file, entry by entry; `contradictions` finds what is wrong together. Times are in the unit that
 * a name ends in, sizes in bytes.
 */
export const stageConfig = z.strictObject(
  {
    /** Names the stack (`gateway-<stage>`) and the API's stage. */
    stage: text(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and -, at most 32'),
    /** What the entries that are absent are; each can be set by itself. */
    size,
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
    dataApi,
    tables: z
      .strictObject(
        {
          /** Writes per second that the tables of keys and lanes take from the start; it can be raised, not lowered. */
          warmWritesPerSecond: integer(TABLE_START_WRITES_PER_SECOND, MAX_WARM_WRITES_PER_SECOND).optional(),
        },
        must('an object'),
      )
      .prefault({}),
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
          /** How much is watched. */
          extent: z.enum(EXTENTS, must(EXTENTS.map((one) => `"${one}"`).join(', '))).default('all'),
          email: z.email(must('an e-mail address')).optional(),
          /** Who is woken; absent: `email`. */
          pageEmail: z.email(must('an e-mail address')).optional(),
          /** Takes the pages beside the e-mail: an incident service that confirms the subscription by itself. */
          pageUrl: z.url({ protocol: /^https$/, ...must('a URL that begins with https://') }).optional(),
          /** Where people read the runbook: a section is `#` and its name. */
          runbookUrl: text(/^[^\s#]{1,500}$/, 'a URL or path without #').default('docs/runbook.md'),
          /** Monthly cost of the whole account, in USD, at which `email` is notified. */
          monthlyBudgetUsd: integer(1, MAX_MONTHLY_BUDGET_USD).optional(),
        },
        must('an object'),
      )
      .prefault({}),
    /** Asks the stage every minute by its public name, with the API key that a secret holds; absent: nothing does. */
    probe: z
      .strictObject({ secret: text(/^[\w/+=.@-]{1,256}$/, 'the name of a secret') }, must('an object'))
      .optional(),
    objectives,
    /** The bucket of signed heads. */
    heads: z
      .strictObject(
        {
          /** Days in which nobody can delete a head, also not root; with `removal: destroy` there is no lock. */
          lockDays: integer(0, MAX_LOCK_DAYS).default(USUAL_LOCK_DAYS),
        },
        must('an object'),
      )
      .prefault({}),
    /** Price of a million compute units, in USD: the dashboard sets it against the cost. No bill is made with it. */
    usdPerMillionCu: z
      .number(must(PRICE_FORM))
      .positive(must(PRICE_FORM))
      .max(MAX_USD_PER_MILLION_CU, must(PRICE_FORM))
      .optional(),
    domain: domain.optional(),
    /** The API reference behind CloudFront, under a name of its own or under that of the distribution. */
    site: z
      .strictObject({ enabled: boolean.default(false), domain: domain.optional() }, must('an object'))
      .optional(),
    firewall,
    /** The operator's own proxy in front of the API, where `--ips` of keys are the addresses of its clients. */
    clientAddress: addressProxy.optional(),
    database,
    indexing,
    backup,
    /** Whether the tables outlive the stack. */
    removal: z.enum(['retain', 'destroy'], must('"retain" or "destroy"')).default('retain'),
    /** Data that a local run makes on its first start: an account, and a history of its embedded chains. */
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
);

/** A stage file, complete with its defaults. */
export type StageConfig = z.output<typeof stageConfig>;

/** A stage file as it is written: everything with a default may be absent. */
export type StageConfigInput = z.input<typeof stageConfig>;
