/** A line declares its metrics for CloudWatch, each for its dimensions. */
import { renderMetrics } from '../../../lambdas/shared/runtime/metrics.ts';

test('a line declares its metrics for its dimensions, for all together, and for a breakdown', () => {
  const line = {
    values: { Requests: 1, Calls: 7, SnapshotAge: 9 },
    dimensions: { Chain: 'one' },
    breakdown: { by: { Reason: 'rate_limited' }, values: { Errors: 1 } },
    fields: { requestId: 'r' },
  };
  expect(JSON.parse(renderMetrics(line, 5, 'Gateway/test'))).toEqual({
    _aws: {
      Timestamp: 5,
      CloudWatchMetrics: [
        {
          Namespace: 'Gateway/test',
          Dimensions: [[]],
          Metrics: [{ Name: 'Requests' }],
        },
        {
          Namespace: 'Gateway/test',
          Dimensions: [[], ['Chain']],
          Metrics: [{ Name: 'Calls' }],
        },
        {
          Namespace: 'Gateway/test',
          Dimensions: [['Chain']],
          Metrics: [{ Name: 'SnapshotAge' }],
        },
        {
          Namespace: 'Gateway/test',
          Dimensions: [['Reason']],
          Metrics: [{ Name: 'Errors' }],
        },
      ],
    },
    requestId: 'r',
    Chain: 'one',
    Reason: 'rate_limited',
    Errors: 1,
    Requests: 1,
    Calls: 7,
    SnapshotAge: 9,
  });
});

test('a line without dimensions declares its metrics once', () => {
  const rendered = JSON.parse(renderMetrics({ values: { UnsettledAge: 3 } }, 5, 'Gateway'));
  expect(rendered._aws.CloudWatchMetrics).toEqual([
    { Namespace: 'Gateway', Dimensions: [[]], Metrics: [{ Name: 'UnsettledAge' }] },
  ]);
});
