import { REQUESTS_PER_SHARED_ENVIRONMENT } from '../../lib/config/function-config.ts';

const PERCENT = 100;
const MS_PER_SECOND = 1_000;
const HOURS = 730;
const SECONDS = HOURS * 3_600;
/** Environments of a function on instances that always run. */
const LEAST_ENVIRONMENTS = 3;

/** Functions that can be hosted in environments of many requests. */
export const HOSTED_FUNCTIONS = ['rpc', 'data', 'mcp'] as const;
export type HostedFunction = (typeof HOSTED_FUNCTIONS)[number];

/** Prices that no list was read for: the operator names them. */
export const ASKED_PRICES = {
  nodeCall: 'call',
  publicAddressHour: 'hour ?',
} as const;
export type AskedPrice = keyof typeof ASKED_PRICES;

/** How instances reach nodes: through NATs, or each with an address of its own. */
export const WAYS = ['nat', 'public'] as const;

/** Assumptions about functions in environments of many requests, which are not counted. */
export interface SharedProfile {
  /** Functions that are hosted so. */
  readonly functions: readonly HostedFunction[];
  /** Time of a processor that a request takes, in milliseconds. */
  readonly processorMs: number;
  /** What of a processor, or of the requests of an environment, is in use on average, in percent. */
  readonly usePercent: number;
  /** Bytes that such a function writes to its log, in percent of an event function's. */
  readonly logPercent: number;
  readonly way: (typeof WAYS)[number];
  /** Size of nodes' responses, in percent of the responses to clients: less where nodes compress. */
  readonly nodeBytesPercent: number;
}

/** Requests of one function in a month, and the time for which each is under way, in milliseconds. */
export interface Served {
  readonly requests: number;
  readonly eachMs: number;
}

/** Environments of a function, each a processor: what its requests take of time and of places. */
export function environmentsFor({ requests, eachMs }: Served, shared: SharedProfile): number {
  const perSecond = requests / SECONDS;
  const processors = (perSecond * shared.processorMs) / MS_PER_SECOND;
  const places = (perSecond * eachMs) / MS_PER_SECOND / REQUESTS_PER_SHARED_ENVIRONMENT;
  const wanted = Math.max(processors, places) / (shared.usePercent / PERCENT);
  return Math.max(LEAST_ENVIRONMENTS, Math.ceil(wanted));
}
