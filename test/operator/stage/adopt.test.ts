/** `operator adopt` maps what a deleted stack has left to a new one, for CloudFormation's import, and nothing of others. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outside } from '../../../bin/operator/stage/outside.ts';
import { BARE_CONTEXT } from '../bare-context.ts';
import { capturedRun } from '../captured-run.ts';
import { FakeCloud } from './fake-cloud.ts';
import { PARTS } from './fake-resources.ts';

let folder: string;
let to: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-adopt-'));
  to = join(folder, 'own.import.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The template of the new stack: what the old one had, with references as a stage has them. */
const TEMPLATE: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    PARTS.map(([name, Type, kept]) => [
      name,
      { Type, ...(kept === 'kept' && { DeletionPolicy: 'RetainExceptOnCreate' }) },
    ]),
  ),
  Subnet: {
    Type: 'AWS::EC2::Subnet',
    DeletionPolicy: 'Retain',
    Properties: { VpcId: { Ref: 'Network' }, AvailabilityZone: { Ref: 'AWS::Region' } },
  },
  Writer: {
    Type: 'AWS::RDS::DBInstance',
    DeletionPolicy: 'Retain',
    DependsOn: ['Log'],
    Properties: { DBClusterIdentifier: { 'Fn::GetAtt': ['Cluster', 'Id'] } },
  },
};

/** A stage whose stack is gone, and has left what it keeps. */
function gone(times = 1): FakeCloud {
  const cloud = new FakeCloud({});
  for (let time = 0; time < times; time += 1) {
    cloud.deploy('gateway-own', true);
    for (const stack of cloud.stacks) while (stack.status.endsWith('_IN_PROGRESS')) cloud.look(stack);
    cloud.end('gateway-own');
  }
  return cloud;
}

const adopt = (cloud: FakeCloud, from: string, template: object = TEMPLATE) => {
  const { outside } = cloud;
  const readFacts: Outside['readFacts'] = async (file) => ({
    ...(await outside.readFacts(file)),
    resources: template as Awaited<ReturnType<Outside['readFacts']>>['resources'],
  });
  const command = ['adopt', '--config', 'own.json', '--from', from, '--to', to];
  return capturedRun(command, BARE_CONTEXT, { ...outside, readFacts });
};
const mapping = () => JSON.parse(readFileSync(to, 'utf8')) as Record<string, Record<string, string>>;
const idOf = ({ resources }: FakeCloud, name: string) =>
  [...resources.all.keys()].find((id) => id.startsWith(`gateway-own-${name}-`));

test('what a deleted stack has kept is mapped by the property that names it, with the commands that follow', async () => {
  const cloud = gone();
  const { exitCode, stdout } = await adopt(cloud, 'gateway-own');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`npx cdk import -c config=own.json --resource-mapping ${to}\n`);
  expect(mapping()).toMatchObject({
    TablesLedger: { TableName: idOf(cloud, 'TablesLedger') },
    HeadsKey: { KeyId: idOf(cloud, 'HeadsKey') },
    Cluster: { DBClusterIdentifier: idOf(cloud, 'Cluster') },
    Secret: { Id: idOf(cloud, 'Secret') },
  });
  expect(mapping()).toHaveProperty('HeadsPublishedPolicy');
  expect(Object.keys(mapping())).toHaveLength(18);
  expect(cloud.resources.deleted.filter((id) => !/Function|Files|Api/.test(id))).toEqual([]);
});

test('what refers to something that is gone is left out, and named', async () => {
  const cloud = gone();
  cloud.resources.all.delete(idOf(cloud, 'Network') ?? '');
  const { stdout } = await adopt(cloud, 'gateway-own');
  expect(Object.keys(mapping())).not.toContain('Network');
  expect(Object.keys(mapping())).not.toContain('Subnet');
  expect(stdout).toMatch(/not mapped: AWS::EC2::Subnet /);
});

test.each([
  ['is not kept by the new one', { TablesLedger: { Type: 'AWS::DynamoDB::Table' } }],
  ['is of another type there', { TablesLedger: { Type: 'AWS::S3::Bucket', DeletionPolicy: 'Retain' } }],
])('what %s is not mapped', async (_why, changed) => {
  await adopt(gone(), 'gateway-own', { ...TEMPLATE, ...changed });
  expect(Object.keys(mapping())).not.toContain('TablesLedger');
  expect(Object.keys(mapping())).toContain('TablesKeys');
});

test('an inventory in a file is as good, for a stack that AWS has forgotten', async () => {
  const cloud = gone();
  const [stack] = cloud.stacks;
  const summaries = [...(stack?.has ?? [])].map(([LogicalResourceId, { type, id, status }]) => ({
    LogicalResourceId,
    ResourceType: type,
    PhysicalResourceId: id,
    ResourceStatus: status,
  }));
  const file = join(folder, 'inventory.json');
  writeFileSync(file, JSON.stringify({ StackResourceSummaries: summaries }));
  cloud.stacks.length = 0;
  expect((await adopt(cloud, file)).exitCode).toBe(0);
  expect(mapping().TablesLedger).toEqual({ TableName: idOf(cloud, 'TablesLedger') });
});

test.each([['{}'], ['['], ['{"StackResourceSummaries": 1}']])('a file with %s is refused', async (text) => {
  const file = join(folder, 'inventory.json');
  writeFileSync(file, text);
  const { exitCode, stderr } = await adopt(gone(), file);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('is no JSON of aws'),
  });
});

test('of a stack that stands nothing is taken', async () => {
  const cloud = new FakeCloud({});
  cloud.deploy('gateway-own');
  const { exitCode, stderr } = await adopt(cloud, 'gateway-own');
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('only what a deleted'),
  });
});

test('of two stacks of one name one is asked for by its ARN', async () => {
  const cloud = gone(2);
  const both = await adopt(cloud, 'gateway-own');
  expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('by its ARN') });
  const [, second] = cloud.stacks;
  expect((await adopt(cloud, second?.id ?? '')).exitCode).toBe(0);
  expect(mapping().TablesLedger?.TableName).toBe(second?.has.get('TablesLedger')?.id);
});

test('a stack that has left nothing, and a file that is there, are refused', async () => {
  const none = await adopt(new FakeCloud({}), 'gateway-own');
  expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('has left nothing') });
  writeFileSync(to, 'mine');
  expect((await adopt(gone(), 'gateway-own')).exitCode).toBe(1);
  expect(readFileSync(to, 'utf8')).toBe('mine');
});
