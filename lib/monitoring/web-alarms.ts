import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { WebFunction } from '../functions/web-function.ts';
import type { AlarmWatch } from './alarm-watch.ts';
import { PERIOD } from './graph.ts';

/** Share of a web function's responses that Lambda may give in its place, and least count of them. */
const MAX_LAMBDA_RESPONSES_PERCENT = 1;
const MIN_LAMBDA_RESPONSES = 5;
/** Share of the requests that may come without the secret, and least count of them: the endpoint is public. */
const MAX_WITHOUT_SECRET_PERCENT = 50;
const MIN_WITHOUT_SECRET = 100;

/** Faults that only a function with a server of its own can have. */
export function watchWebFunction(watch: AlarmWatch, rpc: WebFunction): void {
  const answers = watch.metrics.metric('RunTime', {
    statistic: Stats.SAMPLE_COUNT,
    run: { Function: 'rpc' },
  });
  watch.alarm(
    'LambdaAnswers',
    'page',
    `More than ${MAX_LAMBDA_RESPONSES_PERCENT} % of the requests are answered by Lambda in place of the web function.`,
    {
      of: 'rpc',
      metric: new MathExpression({
        // Its own failed responses are no 5xx where they have a body: of both together Lambda's are at least the difference.
        expression: `IF(all - FILL(own, 0) >= ${MIN_LAMBDA_RESPONSES}, 100 * (all - FILL(own, 0)) / (FILL(answers, 0) + all), 0)`,
        usingMetrics: {
          answers,
          all: rpc.metricServerErrors({ period: PERIOD }),
          own: watch.metrics.metric('FailedAnswers', { statistic: Stats.SUM, run: { Function: 'rpc' } }),
        },
        period: PERIOD,
      }),
      threshold: MAX_LAMBDA_RESPONSES_PERCENT,
      periods: 1,
    },
  );
  watch.alarm(
    'RequestsWithoutSecret',
    'page',
    'Most requests reach the web function without the secret of the API.',
    {
      metric: new MathExpression({
        expression: `IF(refused >= ${MIN_WITHOUT_SECRET}, 100 * refused / (FILL(answers, 0) + refused), 0)`,
        usingMetrics: {
          answers,
          refused: watch.metrics.metric('RequestsWithoutSecret', { statistic: Stats.SUM }),
        },
        period: PERIOD,
      }),
      threshold: MAX_WITHOUT_SECRET_PERCENT,
      periods: 1,
    },
  );
}
