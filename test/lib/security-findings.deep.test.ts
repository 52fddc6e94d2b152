import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsSolutionsChecks } from 'cdk-nag';
import { loadStageConfig } from '../../lib/config/config.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { GatewayStack } from '../../lib/gateway-stack.ts';
import { createApp } from '../../lib/synthesise.ts';
import { acknowledgeFindings } from './acknowledged-findings.ts';

const folder = mkdtempSync(join(tmpdir(), 'security-findings-'));
const STAGES = readdirSync('config').map((file) => file.replace('.json', ''));

afterAll(() => rmSync(folder, { recursive: true }));

/** Every finding of the rules that is not acknowledged: `rule at construct`. */
function findings(config: StageConfig): string[] {
  const app = createApp(mkdtempSync(join(folder, 'assembly-')));
  const stack = new GatewayStack(app, { config });
  acknowledgeFindings(stack, config);
  const { violations } = new AwsSolutionsChecks(app).validateScope(stack);
  return violations.flatMap(({ ruleName, violatingResources = [] }) =>
    violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
  );
}

test.each(STAGES)('the rules find nothing in %s that is not acknowledged', (stage) => {
  expect(findings(loadStageConfig(stageFile(stage)))).toEqual([]);
});

test('nor with a probe that compares releases', () => {
  const config = loadStageConfig(stageFile('example-production'));
  expect(findings({ ...config, probe: { secret: 'gateway/probe' } })).toEqual([]);
});

test('nor without a firewall, and without a chain database', () => {
  const config = loadStageConfig(stageFile('example-production'));
  expect(findings({ ...config, firewall: { ...config.firewall, enabled: false } })).toEqual([]);
  const indexing = { ...config.indexing, enabled: false };
  expect(findings({ ...config, indexing, database: { ...config.database, enabled: false } })).toEqual([]);
});
