import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS } from '../../bin/operator/stage/kept-resources.ts';
import { testAtLength } from '../support/at-length-tests.ts';
import { type Resource, SynthesisedStage } from './synthesised-stage.ts';
import { variedStage } from './varied-stages.ts';

const production = new SynthesisedStage('example-production');
const trial = variedStage('trial');
const newAccount = variedStage('moved');

function resourcesOf(stage: SynthesisedStage): Readonly<Record<string, Resource>> {
  return JSON.parse(stage.text).Resources;
}

/** Logical ids that a part of a template refers to, parameters among them. */
function referencesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { Ref, 'Fn::GetAtt': attribute } = part as { Ref?: string; 'Fn::GetAtt'?: readonly [string] };
  if (Ref !== undefined) return Ref.startsWith('AWS::') ? [] : [Ref];
  if (attribute !== undefined) return [attribute[0]];
  return Object.values(part).flatMap(referencesIn);
}

/** Everything that is deployed before a resource: what it refers to and depends on, and so on. */
function deployedBefore(id: string, resources: Readonly<Record<string, Resource>>): Set<string> {
  const before = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const resource = resources[next];
    const { UpdatePolicy } = (resource ?? {}) as { readonly UpdatePolicy?: unknown };
    const named = [resource?.Properties, UpdatePolicy].flatMap(referencesIn);
    for (const one of [...named, ...(resource?.DependsOn ?? [])]) {
      if (before.has(one)) continue;
      before.add(one);
      open.push(one);
    }
  }
  return before;
}

testAtLength('nothing waits for itself, a release that is compared by the probe neither', () => {
  const resources = resourcesOf(newAccount);
  const waiting = Object.keys(resources).filter((id) => deployedBefore(id, resources).has(id));
  expect(waiting).toEqual([]);
  const [[alias] = ['']] = newAccount.resources('AWS::Lambda::Alias');
  expect([...deployedBefore(alias, resources)]).toContainEqual(
    expect.stringMatching('^ProbeServiceFunction'),
  );
});

describe('the schemas are there before what uses them', () => {
  const resources = resourcesOf(production);
  const idsOf = (type: string, prefix: string) =>
    production.resources(type).flatMap(([id]) => (id.startsWith(prefix) ? [id] : []));
  const [schemas = ''] = idsOf('Custom::ChainDatabaseSchemas', 'Migrations');
  const comesAfter = (id: string) => deployedBefore(id, resources).has(schemas);

  test('every function that is told of the database, but the one that makes them', () => {
    const users = production
      .resources('AWS::Lambda::Function')
      .filter(([, { Properties }]) => JSON.stringify(Properties.Environment).includes('"CHAIN_DATABASE_ARN"'))
      .map(([id]) => id);
    expect(users.length).toBeGreaterThanOrEqual(7);
    expect(users.filter((id) => !comesAfter(id))).toEqual(
      idsOf('AWS::Lambda::Function', 'MigrationsService'),
    );
  });

  test.each([
    ['AWS::Events::Rule', 'IndexingSlot', 2],
    ['AWS::Events::Rule', 'SnapshotsDue', 1],
    ['AWS::Lambda::EventSourceMapping', 'IndexingFill', 1],
    ['AWS::Lambda::Function', 'FunctionsData', 1],
  ])('%s %s', (type, prefix, count) => {
    const ids = idsOf(type, prefix);
    expect(ids).toHaveLength(count);
    expect(ids.filter((id) => !comesAfter(id))).toEqual([]);
  });

  test('and nothing waits for itself', () => {
    for (const id of Object.keys(resources)) expect(deployedBefore(id, resources)).not.toContain(id);
  });

  test('they wait for the database and their function only', () => {
    const functions = [...deployedBefore(schemas, resources)].filter(
      (id) => resources[id]?.Type === 'AWS::Lambda::Function',
    );
    expect(functions).toEqual(idsOf('AWS::Lambda::Function', 'MigrationsService'));
  });
});

describe('what a stage leaves behind', () => {
  const isKept = ({ DeletionPolicy = 'Delete' }: Resource) => DeletionPolicy.startsWith('Retain');
  const keptTypes = (stage: SynthesisedStage) => {
    const types = Object.values(resourcesOf(stage)).flatMap((one) => (isKept(one) ? [one.Type] : []));
    return [...new Set(types)].sort();
  };

  testAtLength('is whole: what a kept resource refers to is kept as well', () => {
    for (const stage of [production, trial]) {
      const resources = resourcesOf(stage);
      for (const [id, resource] of Object.entries(resources).filter(([, one]) => isKept(one))) {
        const lost = referencesIn(resource.Properties).filter((other) => {
          const referred = resources[other];
          return referred !== undefined && referred.Type !== 'AWS::Lambda::Function' && !isKept(referred);
        });
        expect({ [id]: lost }).toEqual({ [id]: [] });
      }
    }
  });

  test('are its data with all that they need, and what the account has one of', () => {
    expect(keptTypes(production)).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::Backup::BackupVault',
      'AWS::DynamoDB::Table',
      'AWS::EC2::RouteTable',
      'AWS::EC2::SecurityGroup',
      'AWS::EC2::Subnet',
      'AWS::EC2::SubnetRouteTableAssociation',
      'AWS::EC2::VPC',
      'AWS::EC2::VPCEndpoint',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::KMS::Key',
      'AWS::Lambda::Version',
      'AWS::Logs::LogGroup',
      'AWS::RDS::DBCluster',
      'AWS::RDS::DBInstance',
      'AWS::RDS::DBSubnetGroup',
      'AWS::S3::Bucket',
      'AWS::S3::BucketPolicy',
      'AWS::SQS::Queue',
      'AWS::SecretsManager::Secret',
      'AWS::SecretsManager::SecretTargetAttachment',
    ]);
    expect(production.resources('AWS::SecretsManager::Secret').filter(([, one]) => isKept(one))).toHaveLength(
      4,
    );
  });

  test('can be deleted with the commands of the guide', () => {
    const [, section = ''] = readFileSync('docs/deploy.md', 'utf8').split('\n## Remove\n');
    expect(section).toContain('npm run --silent operator -- down --config');
    // By Cloud Control, but for what goes with what it is a part of.
    expect(keptTypes(production)).toEqual(
      expect.arrayContaining([...PARTS].filter((type) => type !== 'AWS::CloudFormation::Stack')),
    );
  });

  test('is nothing that a rollback would try to delete although it is protected', () => {
    for (const resource of Object.values(resourcesOf(production))) {
      const { DeletionProtection, DeletionProtectionEnabled } = resource.Properties ?? {};
      if (DeletionProtection === true || DeletionProtectionEnabled === true) {
        expect(resource.DeletionPolicy).toBe('Retain');
      }
    }
  });

  testAtLength("of a trial is the account's setting for logs, which other stages use, with its role", () => {
    expect(keptTypes(trial)).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role', 'AWS::Lambda::Version']);
    const roles = trial.resources('AWS::IAM::Role').filter(([, one]) => isKept(one));
    expect(roles.map(([id]) => id)).toEqual([expect.stringMatching('^ApiRestCloudWatchRole')]);
  });
});

describe('concurrent executions that are reserved', () => {
  const functions = production.resources('AWS::Lambda::Function');
  const reserved = functions.reduce(
    (sum, [, { Properties }]) => sum + Number(Properties.ReservedConcurrentExecutions ?? 0),
    0,
  );
  const guide = readFileSync('docs/deploy.md', 'utf8');

  test('are told when the stage is synthesised', () => {
    const metadata = readFileSync(
      join(production.folder, 'gateway-example-production.metadata.json'),
      'utf8',
    );
    expect(JSON.parse(metadata)['/gateway-example-production']).toContainEqual(
      expect.objectContaining({
        type: 'aws:cdk:info',
        data: expect.stringMatching(`^reserves ${reserved} concurrent executions of Lambda`),
      }),
    );
  });

  testAtLength('are none where the account has none to give', () =>
    expect(newAccount.text).not.toContain('ReservedConcurrentExecutions'),
  );

  test('are those that the guide sums up', () => {
    const [, perChain, total] =
      /plus (\d+) for each indexed chain: (\d+) for `config\/example-production\.json`/.exec(guide) ?? [];
    expect(Number(total)).toBe(reserved);
    const ofChains = functions.filter(([id]) => id.startsWith('Indexing'));
    const sumOfChains = ofChains.reduce(
      (sum, [, { Properties }]) => sum + Number(Properties.ReservedConcurrentExecutions ?? 0),
      0,
    );
    expect(sumOfChains).toBe(2 * Number(perChain));
  });

  test('are of the functions that the page on security names', () => {
    const FOLDERS: Readonly<Record<string, string>> = {
      FunctionsRpc: 'rpc',
      FunctionsData: 'data',
      FunctionsStatus: 'status',
      FunctionsMcp: 'mcp',
      IndexingFollow: 'indexer',
      AccountBalances: 'account-balances',
      Heads: 'seal',
    };
    const names = functions.flatMap(([id, { Properties }]) => {
      if (Properties.ReservedConcurrentExecutions === undefined) return [];
      const place = Object.keys(FOLDERS).find((prefix) => id.startsWith(prefix));
      return FOLDERS[place ?? ''] ?? id;
    });
    const row = /^\| Floods \|.*reserved concurrency of (.*) \|$/m.exec(
      readFileSync('docs/security.md', 'utf8'),
    );
    const told = [...(row?.[1] ?? '').matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
    expect([...new Set(names)].sort()).toEqual(told.sort());
  });
});
