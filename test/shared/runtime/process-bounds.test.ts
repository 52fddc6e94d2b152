/** A process of many requests has places for each and descriptors to spare. */
import fc from 'fast-check';
import { processBounds, requestsAtATime } from '../../../lambdas/shared/runtime/process-bounds.ts';

/** Descriptors of a process on Lambda. */
const DESCRIPTORS = 1_024;

test('however many requests and nodes there are, each request has its places and idle connections leave half of the descriptors', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 1_600 }), fc.integer({ min: 1, max: 512 }), (requests, nodes) => {
      const { waitsOfChain, socketsOfNode, keptSocketsOfNode, awsConnections } = processBounds(
        requests,
        nodes,
      );
      expect(Math.min(waitsOfChain, socketsOfNode)).toBeGreaterThanOrEqual(2 * requests);
      expect(awsConnections).toBeGreaterThanOrEqual(requests);
      expect(keptSocketsOfNode).toBeGreaterThan(0);
      expect(keptSocketsOfNode * nodes).toBeLessThanOrEqual(DESCRIPTORS / 2);
    }),
  );
});

test('large results of a process of 64 requests leave more than half of the least environment to all else', () => {
  expect(processBounds(64, 4).largeBodyBytes).toBeLessThan(1_024 * 1024 * 1024);
});

test.each([
  ['64', 64],
  [undefined, 1],
])('the variable %p means %i requests', (text, requests) => {
  expect(requestsAtATime(text === undefined ? {} : { REQUESTS_PER_ENVIRONMENT: text })).toBe(requests);
});

test.each(['0', '-1', '1.5', 'many', ''])('the variable %p is an error', (text) => {
  expect(() => requestsAtATime({ REQUESTS_PER_ENVIRONMENT: text })).toThrow('whole number from 1');
});
