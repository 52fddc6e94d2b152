import { createServer } from 'node:http';
import { endGently } from '../../lambdas/web/end-gently.ts';

test('a process that is to end hands over until its requests are done, and once more then', async () => {
  const steps: string[] = [];
  let underWay = 2;
  await endGently(
    createServer(),
    {
      handOver: async () => {
        steps.push(`hand over beside ${underWay}`);
      },
      underWay: () => underWay,
    },
    async () => {
      underWay -= 1;
    },
  );
  expect(steps).toEqual(['hand over beside 2', 'hand over beside 1', 'hand over beside 0']);
});
