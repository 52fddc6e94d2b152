/** However many refusals a client provokes, they cost little, and no other key loses a node. */
import { expectFewCalls, expectShares } from './provoked-refusals.ts';

test('5,000 refusals of one key cost at most 1.15 node calls each, and 100 searches of another key all find', () =>
  expectFewCalls(5_000));

test('all of them, 200 times each: another key keeps its share of each node', () => expectShares(200, 30));
