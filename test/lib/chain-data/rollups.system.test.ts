import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { loadStageConfig } from '../../../lib/config/config.ts';
import { stageFile } from '../../../lib/config/stage-files.ts';
import { GatewayStack } from '../../../lib/gateway-stack.ts';
import { createApp } from '../../../lib/synthesise.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollups-'));
const production = new SynthesisedStage('example-production');
afterAll(() => rmSync(folder, { recursive: true }));

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

test('quotes without exchanges are warned of, as then no pool prices anything', () => {
  const config = loadStageConfig(stageFile('example-production'));
  const [first] = config.chains;
  if (first === undefined) throw new Error('no chain');
  const quotes = { stables: [{ token: `0x${'a'.repeat(40)}`, decimals: 6, usd: '1' }] };
  const exchanges = [{ protocol: 'uniswap_v2' as const, factory: `0x${'b'.repeat(40)}` }];
  const warningsOf = (name: string, chain: Partial<typeof first>) => {
    const chains = [{ ...first, ...chain }, ...config.chains.slice(1)];
    const stack = new GatewayStack(createApp(join(folder, name)), { config: { ...config, chains } });
    return Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('lists no exchanges'));
  };
  expect(warningsOf('without', { quotes })).toHaveLength(1);
  expect(warningsOf('with', { quotes, exchanges })).toHaveLength(0);
});
