import type { Answer, CallOptions, DataClient } from './client.ts';
import {
  BadRequestError,
  ConnectionError,
  ForbiddenError,
  GatewayError,
  InsufficientBalanceError,
  KeyNotActiveError,
  RateLimitedError,
} from './errors.ts';
import type { Row } from './operation-types.ts';
import { type PortfolioTotal, portfolioTotals } from './portfolio-totals.ts';

/** The operation that each chain is asked. */
const BALANCES = 'listAddressBalanceValues';
/** Chains that are asked at once: half of the statements that a key may have under way. */
const CHAINS_AT_ONCE = 4;
/** Most rows of a page. */
const PAGE_ROWS = 500;
/** Most balances that are read of each chain, unless the options say otherwise. */
const MAX_BALANCES = 2_000;

export interface PortfolioOptions extends CallOptions {
  /** Names of chains. @default those that `listChains` lists, for its price */
  readonly chains?: readonly string[];
  /** Most balances that are read of each chain. @default 2,000 */
  readonly maxBalances?: number;
}

/** What an address has on a chain, or why that is not known. */
interface ChainPortfolio {
  readonly chain: string;
  /** What was read, ordered by token: all, if `complete`. */
  readonly balances: readonly Row<typeof BALANCES>[];
  /** Whether these are all balances: the chain was read to its end. */
  readonly complete: boolean;
  /** For each block that balances are of. Absent where not all are there: a part would look like the whole. */
  readonly totals?: readonly PortfolioTotal[];
  /** Where `rows` and `pages` go on, if `maxBalances` came before the end. */
  readonly nextCursor?: string;
  /** Of the newest page; absent without one. */
  readonly meta?: Answer<typeof BALANCES>['meta'];
  /** Why the chain was not read, or not to its end. */
  readonly error?: GatewayError | ConnectionError;
  readonly cuBilled: number;
}

/** What an address has on several chains. */
export interface Portfolio {
  /** Every chain that was asked for, in that order. */
  readonly chains: readonly ChainPortfolio[];
  /** Whether every chain was read to its end. */
  readonly complete: boolean;
  /** With the list of chains, where it was asked for. */
  readonly cuBilled: number;
}

/**
 * Reads the balances of an address with their values, chain by chain. A chain that fails is named with its error, and the others
 * are read all the same. Rejects with a `TypeError` or a `BadRequestError` if no chain could answer the request, and if the list
 * of chains cannot be read.
 */
export async function readPortfolio(
  client: Pick<DataClient, 'get' | 'pages'>,
  address: string,
  { chains, maxBalances = MAX_BALANCES, signal }: PortfolioOptions = {},
): Promise<Portfolio> {
  if (chains?.length === 0) throw new TypeError('name a chain, or leave chains out for all');
  if (!(maxBalances >= 1)) throw new TypeError('maxBalances is at least 1');
  const call = signal === undefined ? {} : { signal };
  const listed = chains === undefined ? await client.get('listChains', {}, call) : undefined;
  const names = [...new Set(chains ?? listed?.data.map(({ chain }) => chain))];
  const read: ChainPortfolio[] = [];
  let next = 0;
  /** What is refused to the key is so on every chain: those that are not asked yet are named with it. */
  let refusal: ChainPortfolio['error'];
  const work = async () => {
    for (let at = next++; at < names.length; at = next++) {
      const chain = names[at] ?? '';
      const found =
        refusal === undefined
          ? await readChain(client, { chain, address, maxBalances }, call)
          : { chain, balances: [], complete: false, cuBilled: 0, error: refusal };
      read[at] = found;
      if (isOfKey(found.error)) refusal = found.error;
    }
  };
  await Promise.all(Array.from({ length: CHAINS_AT_ONCE }, work));
  return {
    chains: read,
    complete: read.every(({ complete }) => complete),
    cuBilled: read.reduce((sum, { cuBilled }) => sum + cuBilled, listed?.request.cuBilled ?? 0),
  };
}

async function readChain(
  client: Pick<DataClient, 'pages'>,
  of: { readonly chain: string; readonly address: string; readonly maxBalances: number },
  call: CallOptions,
): Promise<ChainPortfolio> {
  const { chain, address, maxBalances } = of;
  const balances: Row<typeof BALANCES>[] = [];
  let read: Pick<ChainPortfolio, 'meta' | 'nextCursor'> = {};
  let cuBilled = 0;
  try {
    const limit = Math.min(PAGE_ROWS, maxBalances);
    for await (const { data, meta, next_cursor, request } of client.pages(
      BALANCES,
      { chain, address, limit },
      call,
    )) {
      balances.push(...data);
      cuBilled += request.cuBilled ?? 0;
      read = { meta, ...(next_cursor !== undefined && { nextCursor: next_cursor }) };
      if (balances.length + limit > maxBalances) break;
    }
  } catch (error) {
    call.signal?.throwIfAborted();
    if (!isOfChain(error)) throw error;
    return { chain, balances, complete: false, ...read, cuBilled, error };
  }
  const complete = read.nextCursor === undefined;
  return {
    chain,
    balances,
    complete,
    ...read,
    cuBilled,
    ...(complete && { totals: portfolioTotals(balances) }),
  };
}

/** Whether an error tells of the chain that was asked, and not of the request, which is wrong on every chain. */
function isOfChain(error: unknown): error is GatewayError | ConnectionError {
  return (
    (error instanceof GatewayError && !(error instanceof BadRequestError)) || error instanceof ConnectionError
  );
}

function isOfKey(error: unknown): boolean {
  return (
    error instanceof InsufficientBalanceError ||
    error instanceof ForbiddenError ||
    error instanceof KeyNotActiveError ||
    error instanceof RateLimitedError
  );
}
