import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

/** The functions of the index have the schedules, queues and rights that they need, and no more. */
export function testIndexing(): void {
  const production = new SynthesisedStage('example-production');

  const CHAINS = ['example_mainnet', 'example_testnet'];
  const idOf = (chain: string) => chain.replace('_', '');

  testAtLength(
    'what asks nodes for the index draws its calls from what all processes may send, where the stage file bounds them',
    () => {
      const draws = 'dynamodb:UpdateItem on ResponseCacheAnswers';
      for (const prefix of ['IndexingFollow', 'IndexingFill', 'SnapshotsService']) {
        expect(variedStage('most').permissions(prefix)).toContain(draws);
        expect(production.permissions(prefix)).not.toContain(draws);
        const { Environment } = variedStage('most').properties('AWS::Lambda::Function', prefix);
        expect(Environment).toMatchObject({ Variables: { CACHE_TABLE: expect.anything() } });
      }
    },
  );

  describe('a chain is followed', () => {
    test.each(CHAINS)(
      'and derived by one run begun every minute, which leaves the next one room: %s',
      (chain) => {
        const service = production.properties('AWS::Lambda::Function', `IndexingFollow${idOf(chain)}`);
        expect(service).toMatchObject({
          ReservedConcurrentExecutions: 2,
          Environment: { Variables: { INDEXED_CHAIN: chain } },
          DeadLetterConfig: {
            TargetArn: { 'Fn::GetAtt': [expect.stringMatching('^IndexingDeadLetters'), 'Arn'] },
          },
        });
        expect(Number(service.Timeout)).toBeGreaterThan(60);
        // Of three slots, the first is over.
        expect(Number(service.Timeout)).toBeLessThan(120);
        expect(production.properties('AWS::Events::Rule', `IndexingSlot${idOf(chain)}`)).toMatchObject({
          ScheduleExpression: 'rate(1 minute)',
          State: 'ENABLED',
        });
      },
    );

    test('with no more than it takes', () => {
      expect(production.permissions('IndexingFollowexamplemainnet')).toEqual([
        'dynamodb:BatchGetItem on ResponseCacheAnswers',
        'dynamodb:BatchWriteItem on ResponseCacheAnswers',
        'dynamodb:GetItem on ResponseCacheAnswers',
        'rds-data:BatchExecuteStatement on ChainDatabaseCluster',
        'rds-data:BeginTransaction on ChainDatabaseCluster',
        'rds-data:CommitTransaction on ChainDatabaseCluster',
        'rds-data:ExecuteStatement on ChainDatabaseCluster',
        'rds-data:RollbackTransaction on ChainDatabaseCluster',
        'secretsmanager:GetSecretValue on ChainDatabaseWriterSecret',
        expect.stringMatching('secretsmanager:GetSecretValue on .*gateway/example_mainnet/primary'),
        expect.stringMatching('secretsmanager:GetSecretValue on .*gateway/example_mainnet/secondary'),
        'sqs:SendMessage on IndexingDeadLetters',
        'sqs:SendMessage on IndexingFailedRollups',
      ]);
    });
  });

  test.each(CHAINS)('a slot that failed is kept at once, and not repeated when it is over: %s', (chain) => {
    const config = production.properties('AWS::Lambda::EventInvokeConfig', `IndexingFollow${idOf(chain)}`);
    expect(config).toMatchObject({
      FunctionName: { Ref: expect.stringMatching(`^IndexingFollow${idOf(chain)}`) },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 120,
    });
    expect(config).not.toHaveProperty('DestinationConfig');
  });

  test('the past is filled up range by range, as wide as the stage says', () => {
    const mapping = production
      .resources('AWS::Lambda::EventSourceMapping')
      .filter(([, { Properties }]) => JSON.stringify(Properties.EventSourceArn).includes('IndexingBackfill'));
    expect(mapping.map(([, { Properties }]) => Properties)).toEqual([
      expect.objectContaining({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 16 } }),
    ]);
    const queue = production.properties('AWS::SQS::Queue', 'IndexingBackfill');
    const { Timeout } = production.properties('AWS::Lambda::Function', 'IndexingFill');
    expect(queue).toMatchObject({
      VisibilityTimeout: 6 * Number(Timeout),
      RedrivePolicy: { maxReceiveCount: 5 },
    });
  });
}
