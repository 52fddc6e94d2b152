import * as z from 'zod';
import { MAX_BATCH_CALLS } from '../../lambdas/shared/jsonrpc/calls.ts';
import { ALLOWED_PATTERNS, BLOCKED_METHODS } from '../../lambdas/shared/methods/method-table.ts';
import {
  EXCHANGE_PROTOCOLS,
  PROOF_FORMS,
  RELAXABLE_CHECKS,
  upstreamReference,
} from '../../lambdas/shared/runtime/settings.ts';
import { boolean, integer, must, reference, text } from './fields.ts';
import {
  HEADER_VALUE_FORMS,
  isHeaderValue,
  isUpstreamReference,
  UPSTREAM_REFERENCE_FORMS,
} from './upstream-reference.ts';

const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;
const MAX_UPSTREAMS = 16;
const MAX_UPSTREAM_PRIORITY = 100;
const MAX_UPSTREAM_WEIGHT = 1_000;
const MAX_METHOD_PATTERNS = 200;
const METHOD_PATTERN = /^[A-Za-z0-9_]{1,100}\*?$/;
/** Form of an entry of a chain's method policy, for its error message. */
const METHOD_PATTERN_FORM = `a method name, or a prefix followed by *, within ${ALLOWED_PATTERNS.join(', ')} and not blocked`;
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const NAME_FORM = 'lower-case letters, digits, _ and -, at most 63';
const MAX_PERCENT = 100;
const MAX_HEADERS = 8;
const MAX_CALLS_PER_SECOND = 1_000_000;
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const MAX_HEAD_LAG_SECONDS = 86_400;
/** Gas of a transaction that does nothing. */
const MIN_CALL_GAS = 21_000;

const MAX_STABLES = 32;
const MAX_EXCHANGES = 64;
const MAX_ISSUERS = 32;
const MAX_ENTRY_POINTS = 16;
/** How long an oracle's response may be fresh, in seconds; without a setting, as long as most feeds of prices say: a day. */
const MAX_HEARTBEAT_SECONDS = 604_800;
const DEFAULT_HEARTBEAT_SECONDS = 86_400;
const MAX_PRICE_FEEDS = 1_000;
const MAX_TOKEN_DECIMALS = 77;
const MAX_RELAXED_CHECKS = 64;
/** Segments after `/v1` that are routes, or may become some: a chain of that name could not be reached. */
export const RESERVED_SEGMENTS: readonly string[] = [
  'account',
  'addresses',
  'all',
  'batch',
  'blocks',
  'blocks-by-hash',
  'blocks-by-time',
  'chains',
  'data',
  'dex',
  'heads',
  'logs',
  'mcp',
  'nfts',
  'prices',
  'status',
  'stocks',
  'tokens',
  'traces',
  'transactions',
  'transfers',
];

/** Part of the methods that every chain allows: a chain can narrow them, never widen. */
const methodPatterns = z
  .array(
    z.string(must(METHOD_PATTERN_FORM)).refine(isWithinPolicy, must(METHOD_PATTERN_FORM)),
    must('a list of methods'),
  )
  .max(MAX_METHOD_PATTERNS, `must name at most ${MAX_METHOD_PATTERNS} methods`);

const chainMethods = z.strictObject(
  {
    allow: methodPatterns.min(1, 'must name at least one method').optional(),
    deny: methodPatterns.optional(),
  },
  must('an object'),
);

/** Headers of requests to an upstream, such as one that holds a key. Those of the body and the connection are the gateway's own. */
const upstreamHeaders = z
  .record(
    z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,63}$/, must('a header in lower case'))
      .refine((name) => !OWN_HEADERS.has(name), must('a header that the gateway does not set itself')),
    z.string(must(HEADER_VALUE_FORMS)).refine((value) => isHeaderValue(value), must(HEADER_VALUE_FORMS)),
    must('an object of headers'),
  )
  .refine(
    (headers) => Object.keys(headers).length <= MAX_HEADERS,
    `must have at most ${MAX_HEADERS} headers`,
  );

const describedUpstream = z
  .strictObject(
    {
      url: z.string(must('a URL')).optional(),
      secret: z.string(must('the name of a secret')).optional(),
      embedded: z.literal(true, must('true')).optional(),
      name: text(NAME, NAME_FORM).optional(),
      operator: text(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        'lower-case letters, digits, ., _ and -, at most 63',
      ).optional(),
      priority: integer(0, MAX_UPSTREAM_PRIORITY).optional(),
      weight: integer(1, MAX_UPSTREAM_WEIGHT).optional(),
      headers: upstreamHeaders.optional(),
      methods: chainMethods.optional(),
      stateBlocks: integer(1, Number.MAX_SAFE_INTEGER).optional(),
      historyBlocks: integer(1, Number.MAX_SAFE_INTEGER).optional(),
      maxLogsBlockRange: integer(1, 1_000_000_000).optional(),
      maxBatchCalls: integer(1, MAX_BATCH_CALLS).optional(),
      callsPerSecond: integer(1, MAX_CALLS_PER_SECOND).optional(),
      mempool: text(NAME, NAME_FORM).optional(),
      shadow: z.custom<true | number>(isShare, must('true, or a percentage from 1 to 100')).optional(),
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
  .refine(
    (entries) => areDistinct(entries.map((entry) => asOneUrl(upstreamReference(entry)))),
    'must not name an upstream twice',
  )
  .refine(
    (entries) =>
      areDistinct(entries.flatMap((entry) => (typeof entry === 'string' ? [] : (entry.name ?? [])))),
    'must not give two upstreams the same name',
  );

/** A URL as it is called, in whatever way it is written: two that agree are to be two nodes. */
function asOneUrl(reference: string): string {
  return URL.parse(reference)?.href ?? reference;
}

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
            usd: text(/^(?=.*[1-9])\d{1,12}(\.\d{1,12})?$/, 'a decimal number above 0 in a text').default(
              '1',
            ),
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

/** The factories whose pools price tokens: any contract can announce a pool, with whatever in it. */
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

/** The contracts whose user operations count, in place of those of ERC-4337 itself: any contract can log one. */
const entryPoints = z
  .array(tokenAddress, must('a list of addresses'))
  .max(MAX_ENTRY_POINTS, `must name at most ${MAX_ENTRY_POINTS} contracts`)
  .refine(
    (addresses) => areDistinct(addresses.map((address) => address.toLowerCase())),
    'must not name a contract twice',
  );

/** Facts about tokenised stocks that their contracts do not state. */
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
          {
            token: tokenAddress,
            aggregator: tokenAddress,
            decimals: integer(0, MAX_TOKEN_DECIMALS),
            heartbeatSeconds: integer(1, MAX_HEARTBEAT_SECONDS).default(DEFAULT_HEARTBEAT_SECONDS),
          },
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

/** Checks that blocks of the chain need not pass, as they are of another form: all of them, or those of a range. */
const relaxedChecks = z
  .array(
    z
      .strictObject(
        {
          check: z.enum(RELAXABLE_CHECKS, must(`one of ${RELAXABLE_CHECKS.join(', ')}`)),
          from: integer(0, Number.MAX_SAFE_INTEGER).optional(),
          to: integer(0, Number.MAX_SAFE_INTEGER).optional(),
        },
        must('an object'),
      )
      .refine(({ from = 0, to = from }) => from <= to, 'must not end before it begins'),
    must('a list of checks'),
  )
  .max(MAX_RELAXED_CHECKS, `must name at most ${MAX_RELAXED_CHECKS} checks`);

const NO_FORM = 'none';
/** What blocks of the chain are verified by. */
const proof = z
  .strictObject(
    {
      form: z.enum([...PROOF_FORMS, NO_FORM], must(`one of ${[...PROOF_FORMS, NO_FORM].join(', ')}`)),
      from: integer(0, Number.MAX_SAFE_INTEGER).optional(),
      required: boolean.optional(),
    },
    must('an object'),
  )
  .refine(
    ({ form, required }) => form !== NO_FORM || required !== true,
    'must have a form if it is required',
  );

export const chain = z.strictObject(
  {
    chain: text(NAME, NAME_FORM)
      .refine((name) => !name.startsWith('rgw_'), 'must not start with rgw_, as API keys do')
      .refine((name) => !RESERVED_SEGMENTS.includes(name), 'must not be a path segment of the API itself'),
    name: text(/^\S.{0,99}$/, 'a name of at most 100 characters'),
    chainId: integer(1, Number.MAX_SAFE_INTEGER),
    public: boolean.default(true),
    default: boolean.default(false),
    upstreams,
    upstreamHeaders: z.enum(['figures', 'names'], must('figures or names')).optional(),
    broadcast: integer(1, MAX_UPSTREAMS).optional(),
    agreement: z.literal(2, must('2, or be left out')).optional(),
    /** Whether its nodes may be reached over http, and in private networks or on this machine. */
    privateUpstreams: boolean.default(false),
    maxLogsBlockRange: integer(1, 1_000_000_000).default(10_000),
    stateWindowBlocks: integer(1, Number.MAX_SAFE_INTEGER).default(128),
    maxResponseBytes: integer(1_024, MAX_RESPONSE_BYTES).default(32 * 1024 * 1024),
    maxHeadLagSeconds: integer(1, MAX_HEAD_LAG_SECONDS).optional(),
    maxCallGas: integer(MIN_CALL_GAS, Number.MAX_SAFE_INTEGER).default(50_000_000),
    methods: chainMethods.optional(),
    quotes: quotes.optional(),
    exchanges: exchanges.optional(),
    stocks: stocks.optional(),
    entryPoints: entryPoints.optional(),
    relaxedChecks: relaxedChecks.optional(),
    proof: proof.optional(),
    traces: boolean.optional(),
  },
  must('an object'),
);

/** Whether a method or pattern only narrows what every chain allows. */
function isWithinPolicy(pattern: string): boolean {
  if (!METHOD_PATTERN.test(pattern) || BLOCKED_METHODS.includes(pattern)) return false;
  const start = pattern.replace('*', '');
  return ALLOWED_PATTERNS.some((allowed) => start.startsWith(allowed.replace('*', '')));
}

/** Whether a value says how many of the calls a shadow gets. */
function isShare(value: unknown): boolean {
  return value === true || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PERCENT);
}
