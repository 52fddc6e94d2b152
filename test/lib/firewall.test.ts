import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFile } from '../../lib/synthesise.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'firewall-'));

afterAll(() => rmSync(folder, { recursive: true }));

function synthesiseWith(firewall: object): SynthesisedStage {
  const stage = JSON.parse(readFileSync(stageFile('example-production'), 'utf8'));
  const file = join(folder, 'stage.json');
  writeFileSync(file, JSON.stringify({ ...stage, firewall }));
  return new SynthesisedStage(file, mkdtempSync(join(folder, 'assembly-')));
}

test('an address that sends too much is refused, in front of the stage of the API', () => {
  const stage = synthesiseWith({ requestsPerAddress: 1_234 });
  const { Rules, DefaultAction, Scope } = stage.properties('AWS::WAFv2::WebACL');
  expect({ DefaultAction, Scope }).toEqual({ DefaultAction: { Allow: {} }, Scope: 'REGIONAL' });
  expect(Rules).toMatchObject([
    {
      Action: { Block: {} },
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 1_234 } },
    },
  ]);
  const { ResourceArn } = stage.properties('AWS::WAFv2::WebACLAssociation');
  expect(JSON.stringify(ResourceArn)).toMatch(/:\/restapis\/.*\/stages\//);
}, 60_000);

test('neither its log nor its samples hold what a key can stand in', () => {
  const stage = synthesiseWith({});
  const { RedactedFields, LoggingFilter } = stage.properties('AWS::WAFv2::LoggingConfiguration');
  expect(RedactedFields).toEqual([
    { UriPath: {} },
    { QueryString: {} },
    { SingleHeader: { Name: 'x-api-key' } },
    { SingleHeader: { Name: 'authorization' } },
  ]);
  expect(LoggingFilter).toMatchObject({ DefaultBehavior: 'DROP' });
  expect(JSON.stringify(stage.properties('AWS::WAFv2::WebACL'))).not.toContain(
    '"SampledRequestsEnabled":true',
  );
  const { LogGroupName } = stage.properties('AWS::Logs::LogGroup', 'FirewallLog');
  expect(LogGroupName).toBe('aws-waf-logs-gateway-example-production');
}, 60_000);

test('a stage can do without', () => {
  const stage = synthesiseWith({ enabled: false });
  expect(stage.text).not.toContain('AWS::WAFv2');
}, 60_000);
