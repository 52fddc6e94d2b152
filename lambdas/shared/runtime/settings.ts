import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One plan: the limits that every key of its accounts has. */
export interface PlanSettings {
  /** Most compute units that one burst may cost, and so the most expensive request that can ever pass. */
  readonly bucketCapacity: number;
  /** Compute units that flow back into the bucket per second. */
  readonly refillPerSecond: number;
  /** HTTP requests per second, of which a batch is one; absent: no such limit. */
  readonly requestsPerSecond?: number;
  /** Whether a key that is busy on an instance may draw its bucket for several requests at once. */
  readonly drawAhead: boolean;
  /** Partitions that the charges of an account are spread over, each for 1,000 charges a second. */
  readonly shards: number;
}

/** What the limits of a plan come to. */
export type PlanLimits = Pick<PlanSettings, 'bucketCapacity' | 'refillPerSecond' | 'requestsPerSecond'>;

/** How charges are stored. */
export interface MeteringSettings {
  /** Whether a charge is stored before its response is sent, for one more round trip. */
  readonly storeBeforeAnswer: boolean;
  /** Most compute units that one instance may hold back to store them with later ones; 0: each is stored. */
  readonly groupCommitCu: number;
  /** Price lists beside the release's own tables, as the ledger has them. @default none */
  readonly prices?: readonly {
    readonly from: string;
    readonly cached: number;
    readonly default: number;
    readonly prices: Readonly<Record<string, number>>;
  }[];
}

/** What one key may have under way in the Data API at a time. */
export interface DataApiSettings {
  /** Statements that the chain database runs for it. */
  readonly queriesPerKey: number;
  /** Exports that are read and sent. */
  readonly exportsPerKey: number;
}

/**
 * Where a chain's node is reached: an `https://` or (local stages only) `http://` URL, `secret:NAME` for a
 * Secrets Manager secret that holds such a URL, or `embedded` for the node that a local run starts.
 */
type UpstreamReference = string;

/** One of a chain's upstreams: a reference alone, or in words. */
export type UpstreamEntry = UpstreamReference | DescribedUpstream;

/** An upstream with exactly one of `url`, `secret` and `embedded`, and with what says when it is asked. */
export interface DescribedUpstream {
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
  readonly embedded?: true | undefined;
  /** Who runs it: upstreams of one operator are one voice where nodes are compared. @default the domain of its URL */
  readonly operator?: string | undefined;
  /** What logs call it. @default `upstream-1` for the first, `upstream-2` for the second, ... */
  readonly name?: string | undefined;
  /** Calls go to the lowest number that has a healthy upstream. @default 0 */
  readonly priority?: number | undefined;
  /** Share of the calls among upstreams of the same priority. @default 1 */
  readonly weight?: number | undefined;
  /** Sent with each request; a value is a text, or `secret:NAME` for a secret that holds it. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Methods that it is asked for. Absent: all that the chain serves. */
  readonly methods?: ChainMethods | undefined;
  /** Newest blocks whose state it has. Absent: all, an archive. */
  readonly stateBlocks?: number | undefined;
  /** Newest blocks whose transactions, receipts and logs it has. Absent: all. */
  readonly historyBlocks?: number | undefined;
  /** Most blocks of one `eth_getLogs`. Absent: what it says. */
  readonly maxLogsBlockRange?: number | undefined;
  /** Most calls of one request; 1: no batches. Absent: what it says. */
  readonly maxBatchCalls?: number | undefined;
  /** Most calls a second that all processes together send it. Absent: any number. */
  readonly callsPerSecond?: number | undefined;
  /** Where its transactions wait: copies go to upstreams of the same name, and of `private` ones nowhere. @default `public` */
  readonly mempool?: string | undefined;
  /** Whether it answers nobody, and is compared with those that do: with 1 % of the reads, or so many percent. */
  readonly shadow?: true | number | undefined;
}

/** Whether some upstream of a chain takes so many calls a second, which all processes share. */
export function hasCallBudget({ upstreams }: { readonly upstreams: readonly UpstreamEntry[] }): boolean {
  return upstreams.some((entry) => typeof entry !== 'string' && entry.callsPerSecond !== undefined);
}

/** The reference of an entry, in its short form. */
export function upstreamReference(entry: UpstreamEntry): UpstreamReference {
  if (typeof entry === 'string') return entry;
  const { url, secret } = entry;
  return url ?? (secret === undefined ? 'embedded' : `secret:${secret}`);
}

/** How a chain narrows the methods that are served everywhere; each entry is a method, or a pattern that ends in `*`. */
export interface ChainMethods {
  /** Absent: whatever the gateway allows. */
  readonly allow?: readonly string[] | undefined;
  /** Wins over `allow`. */
  readonly deny?: readonly string[] | undefined;
}

/** A token that is worth a fixed sum. */
interface StableToken {
  /** Address, `0x`-prefixed hex. */
  readonly token: string;
  readonly decimals: number;
  /** USD for one whole token, as a decimal number. */
  readonly usd: string;
}

/** The tokens that all others of a chain are priced in. */
export interface QuoteSettings {
  readonly stables: readonly StableToken[];
  /** Address of the wrapped native token; absent: the native token has no price. */
  readonly wrappedNative?: string | undefined;
}

/** Kinds of exchange that are decoded. */
export const EXCHANGE_PROTOCOLS = ['uniswap_v2', 'uniswap_v3', 'uniswap_v4'] as const;
export type DexProtocol = (typeof EXCHANGE_PROTOCOLS)[number];

/** A factory whose pools may price tokens. */
export interface DexSettings {
  readonly protocol: DexProtocol;
  /** Address; with V4 that of the pool manager. */
  readonly factory: string;
}

/** Whose tokenised stocks are those that a factory deploys. */
interface IssuerSettings {
  /** Address of the factory. */
  readonly factory: string;
  readonly name: string;
}

/** An oracle with the price of a token in USD: a tokenised stock, a stable token, or the wrapped native one. */
export interface PriceFeedSettings {
  readonly token: string;
  /** Contract that emits `AnswerUpdated`. */
  readonly aggregator: string;
  /** Decimals of its responses. */
  readonly decimals: number;
  /** A response is fresh for so long. */
  readonly heartbeatSeconds: number;
}

/** Facts about a chain's tokenised stocks that the tokens themselves do not contain. */
export interface StockSettings {
  readonly issuers: readonly IssuerSettings[];
  readonly priceFeeds: readonly PriceFeedSettings[];
}

/**
 * Checks of a block that a chain may do without, because all of its blocks, or some, are of another form:
 * - `logsBloom`: the block's bloom is not compared with its receipts'.
 * - `zeroBloom`: a bloom of zeros is none.
 * - `extraBloomBits`: the block's bloom may have bits that no log sets.
 * - `logIndex`: logs are numbered in their order, whatever numbers the node gives them.
 * - `receiptCount`: receipts of transactions that the block does not list are left out.
 * - `stateSync`: logs of the block's state syncs (Polygon) are not in its bloom.
 * - `blockReceipt`: a receipt of the block itself (Celo) becomes a transaction with the block's hash.
 * - `missingMembers`: members that the node leaves out are stored as zeros, `size` as null.
 * - `millisecondTimes`: timestamps are in milliseconds.
 */
export const RELAXABLE_CHECKS = [
  'logsBloom',
  'zeroBloom',
  'extraBloomBits',
  'logIndex',
  'receiptCount',
  'stateSync',
  'blockReceipt',
  'missingMembers',
  'millisecondTimes',
] as const;
export type RelaxableCheck = (typeof RELAXABLE_CHECKS)[number];

/** A check that blocks of a chain need not pass, and which blocks: both ends included. */
export interface RelaxedCheck {
  readonly check: RelaxableCheck;
  /** @default the first block */
  readonly from?: number | undefined;
  /** @default no end */
  readonly to?: number | undefined;
}

/**
 * Forms that blocks are verified by: how headers, transactions and receipts are encoded, whose hashes and roots then have
 * to come out. `orbit`: Arbitrum and the chains of Nitro; `op`: the OP stack since Bedrock.
 */
export const PROOF_FORMS = ['ethereum', 'orbit', 'op'] as const;
export type ProofForm = (typeof PROOF_FORMS)[number];

/** What the blocks of a chain are verified by. */
interface ProofSettings {
  readonly form: ProofForm | 'none';
  /** The first block of the form. @default block 0 */
  readonly from?: number | undefined;
  /** Whether a block that the form does not cover waits for an independent node that has the same. @default it is stored */
  readonly required?: boolean | undefined;
}

/** The EntryPoints of ERC-4337, 0.6 to 0.9, at the same addresses on every chain. */
export const ENTRY_POINTS: readonly string[] = [
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
];

/** One chain, as the functions see it. */
export interface ChainSettings {
  /** The `{chain}` path segment, such as `example_mainnet`. */
  readonly chain: string;
  /** Name for people. */
  readonly name: string;
  /** EIP-155 chain id. */
  readonly chainId: number;
  /** Listed by `/v1/status` and `/v1/chains`. */
  readonly public: boolean;
  /** Served by the routes that name no chain; true for exactly one chain of a stage. */
  readonly default: boolean;
  readonly upstreams: readonly UpstreamEntry[];
  /** Upstreams that answer nobody, and are compared with those. @default no shadow */
  readonly shadows?: readonly DescribedUpstream[];
  /** Upstreams of one mempool that get each transaction. @default 1 */
  readonly broadcast?: number | undefined;
  /** How many of them must answer alike where the chain fixes the response. Absent: one, whose response is taken. */
  readonly agreement?: 2 | undefined;
  /** Whether responses say how many calls nodes were sent, and for how long; or also which nodes. Absent: neither. */
  readonly upstreamHeaders?: 'figures' | 'names' | undefined;
  /** Whether its nodes may be reached over http, and in private networks. */
  readonly privateUpstreams?: boolean | undefined;
  /** Most blocks (`toBlock - fromBlock + 1`) that one `eth_getLogs` may span. */
  readonly maxLogsBlockRange: number;
  /** Blocks below the head for which the node still has state. */
  readonly stateWindowBlocks: number;
  /** Most gas that a call which a client makes up may run with. Absent: as much as the node allows. */
  readonly maxCallGas?: number | undefined;
  /** Absent: every method that the gateway allows. */
  readonly methods?: ChainMethods | undefined;
  /** Absent: nothing has a price in USD. */
  readonly quotes?: QuoteSettings | undefined;
  /** Absent: no pool prices anything. */
  readonly exchanges?: readonly DexSettings[] | undefined;
  readonly stocks?: StockSettings | undefined;
  /** Contracts whose user operations count: anybody can log one. @default {@link ENTRY_POINTS} */
  readonly entryPoints?: readonly string[] | undefined;
  /** Checks that blocks of this chain need not pass. Absent: they pass all. */
  readonly relaxedChecks?: readonly RelaxedCheck[] | undefined;
  /** What its blocks are verified by. Absent: what is known of its chain id. */
  readonly proof?: ProofSettings | undefined;
  /** Whether its blocks are indexed with the calls within their transactions. @default true */
  readonly traces?: boolean | undefined;
  /** Largest response of a node that is passed on, in bytes. */
  readonly maxResponseBytes: number;
  /** Age of the head from which on the gateway calls itself degraded. Absent: any age will do. */
  readonly maxHeadLagSeconds?: number | undefined;
}

/** How an operator's own proxy in front of the API passes the client's address on. */
export interface ClientAddressSettings {
  /** Header with the address of the client, and nothing else, in lower case. The proxy overwrites it. */
  readonly header: string;
  /** Header with the proxy's proof, in lower case. */
  readonly proofHeader: string;
  /** SHA-256 of the proofs that are accepted, in hex: two while one replaces the other. */
  readonly proofSha256: readonly string[];
}

/** The settings that the functions get from a stage file; written as `stage.json` beside each function's bundle. */
export interface StageSettings {
  readonly stage: string;
  readonly chains: readonly ChainSettings[];
  readonly plans: Readonly<Record<string, PlanSettings>>;
  /** Plan of an account whose own the stage no longer has; a key of `plans`. */
  readonly defaultPlan: string;
  readonly metering: MeteringSettings;
  readonly dataApi: DataApiSettings;
  /** Absent: addresses of clients are those of their connections to API Gateway. */
  readonly clientAddress?: ClientAddressSettings | undefined;
  /** Time that a node has for its whole response, in milliseconds. */
  readonly upstreamTimeoutMs: number;
  /** Instances that the JSON-RPC function can have at a time. */
  readonly rpcConcurrency: number;
  /** Minutes between two batches in which chains are indexed. Absent: they are indexed all the time. */
  readonly batchMinutes?: number | undefined;
}

/** File that carries the stage's settings in a function's bundle. */
export const STAGE_SETTINGS_FILE = 'stage.json';

/** Reads the settings that were bundled with a function. The synth has validated them. */
export function loadStageSettings(folder: string): StageSettings {
  return JSON.parse(readFileSync(join(folder, STAGE_SETTINGS_FILE), 'utf8')) as StageSettings;
}

/** The chain that is served where a route names none. */
export function defaultChainOf(settings: StageSettings): ChainSettings {
  const chain = settings.chains.find((candidate) => candidate.default);
  if (chain === undefined) throw new Error('no default chain');
  return chain;
}

/** The chain of a name. @throws if the stage has none */
export function chainNamed(chains: readonly ChainSettings[], name: string): ChainSettings {
  const chain = chains.find((candidate) => candidate.chain === name);
  if (chain === undefined) throw new Error(`unknown chain ${name}`);
  return chain;
}

/** The settings of a plan; those of the default plan if the stage has none of this name. */
export function planNamed<Plan>(
  { plans, defaultPlan }: { readonly plans: Readonly<Record<string, Plan>>; readonly defaultPlan: string },
  name: string,
): Plan {
  const plan = Object.hasOwn(plans, name) ? plans[name] : plans[defaultPlan];
  if (plan === undefined) throw new Error(`default plan ${defaultPlan} is not among the plans`);
  return plan;
}
