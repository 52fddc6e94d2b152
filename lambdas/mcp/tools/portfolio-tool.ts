import { OPERATIONS } from '../../data/operations/operations.ts';
import type { Tool } from './tool.ts';

/** Most chains of a portfolio. */
export const MAX_PORTFOLIO_CHAINS = 50;
/** Most balances of all chains together: as many as a result that is not cut has room for. */
const MAX_PORTFOLIO_BALANCES = 250;
/** Rows that the price of a chain pays for. */
const MAX_ROWS = 100;
/** What is asked of each chain, and what of no chain. */
export const PORTFOLIO_OPERATION = 'listAddressBalanceValues';
export const CHAINS_OPERATION = 'listChains';

/** Most balances of each of so many chains. */
export function balancesOfEach(chains: number): number {
  return Math.min(MAX_ROWS, Math.floor(MAX_PORTFOLIO_BALANCES / Math.min(chains, MAX_PORTFOLIO_CHAINS)));
}

const { [PORTFOLIO_OPERATION]: ofChain, [CHAINS_OPERATION]: ofNone } = OPERATIONS;

/** Several operations in one tool, each of which costs what it costs alone. */
export const PORTFOLIO_TOOL: Tool = {
  name: 'getPortfolio',
  toolset: 'addresses',
  title: 'Balances of an address on several chains',
  description:
    'Balances of an address on several chains, with values and exact totals in USD. A chain that fails has error. ' +
    `${ofChain.computeUnits} CU for each chain; ${ofNone.computeUnits} CU more without chains.`,
  inputSchema: {
    type: 'object',
    properties: {
      address: { type: 'string', description: '', pattern: '^0x[0-9a-fA-F]{40}$' },
      chains: {
        type: 'array',
        description: `Names, at most ${MAX_PORTFOLIO_CHAINS}. Default: those of ${CHAINS_OPERATION}.`,
        items: { type: 'string', maxLength: 63 },
        maxItems: MAX_PORTFOLIO_CHAINS,
      },
      limit: {
        type: 'integer',
        description: `Balances of each chain. Default: as many as fit, ${MAX_PORTFOLIO_BALANCES} of all. next_cursor is of ${PORTFOLIO_OPERATION}.`,
        minimum: 1,
        maximum: MAX_ROWS,
      },
    },
    required: ['address'],
    additionalProperties: false,
  },
  output: 'data',
};
