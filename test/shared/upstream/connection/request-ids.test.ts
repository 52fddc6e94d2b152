/** The ids of requests to a node do not repeat soon. */
import { createRequestIds } from '../../../../lambdas/shared/upstream/connection/node-connection.ts';

test('ids are consecutive from one, and start over before they grow large', () => {
  const reserveIds = createRequestIds();
  expect(reserveIds(3)).toBe(1);
  expect(reserveIds(1)).toBe(4);
  expect(reserveIds(999_999_990)).toBe(5);
  expect(reserveIds(10)).toBe(1);
});
