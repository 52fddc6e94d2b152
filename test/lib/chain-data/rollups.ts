import { SynthesisedStage } from '../synthesised-stage.ts';

/** The functions that derive have the schedules, queues and rights that they need, and no more. */
export function testRollups(): void {
  const production = new SynthesisedStage('example-production');

  const CHAINS = ['example_mainnet', 'example_testnet'];
  const idOf = (chain: string) => chain.replace('_', '');

  test.each(CHAINS)('a chain is derived by one run at a time, begun every minute: %s', (chain) => {
    const service = production.properties('AWS::Lambda::Function', `RollupsDerive${idOf(chain)}`);
    expect(service).toMatchObject({
      ReservedConcurrentExecutions: 1,
      Environment: { Variables: { INDEXED_CHAIN: chain } },
      DeadLetterConfig: {
        TargetArn: { 'Fn::GetAtt': [expect.stringMatching('^RollupsDeadLetters'), 'Arn'] },
      },
    });
    expect(Number(service.Timeout)).toBeGreaterThan(60);
    expect(production.properties('AWS::Events::Rule', `RollupsSlot${idOf(chain)}`)).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
    });
  });

  test.each(CHAINS)('a slot that failed is kept at once, and not repeated when it is over: %s', (chain) => {
    const config = production.properties('AWS::Lambda::EventInvokeConfig', `RollupsDerive${idOf(chain)}`);
    expect(config).toMatchObject({
      FunctionName: { Ref: expect.stringMatching(`^RollupsDerive${idOf(chain)}`) },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 120,
    });
    expect(config).not.toHaveProperty('DestinationConfig');
  });

  test('it may do no more than it takes', () => {
    expect(production.permissions('RollupsDeriveexamplemainnet')).toEqual([
      'rds-data:BatchExecuteStatement on ChainDatabaseCluster',
      'rds-data:BeginTransaction on ChainDatabaseCluster',
      'rds-data:CommitTransaction on ChainDatabaseCluster',
      'rds-data:ExecuteStatement on ChainDatabaseCluster',
      'rds-data:RollbackTransaction on ChainDatabaseCluster',
      'secretsmanager:GetSecretValue on ChainDatabaseWriterSecret',
      'sqs:SendMessage on RollupsDeadLetters',
    ]);
  });
}
