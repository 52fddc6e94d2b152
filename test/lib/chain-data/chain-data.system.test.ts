/** That the database of chains, and what fills and derives it, are deployed as they must be. */
import { testChainDatabase } from './chain-database.ts';
import { testIndexing } from './indexing.ts';

describe('the database of chains', testChainDatabase);
describe('indexing', testIndexing);
