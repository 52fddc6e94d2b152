import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFile } from '../../../lib/config/stage-files.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'chain-stacks-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface DeployedTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
}

/** The example with these chains beside its own. */
function synthesiseWith(name: string, more: readonly string[]): SynthesisedStage {
  const production = JSON.parse(readFileSync(stageFile('example-production'), 'utf8'));
  const added = more.map((chain, index) => ({
    ...{ chain, name: chain, chainId: 1_000 + index },
    upstreams: [`secret:gateway/${chain}`],
  }));
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ ...production, chains: [...production.chains, ...added] }));
  return new SynthesisedStage(file);
}

/** What is deployed for each chain alone: its template, and what its parent tells it. */
function chainsOf(stage: SynthesisedStage): Map<string, unknown> {
  const parent = JSON.parse(
    stage.deployed.get('gateway-example-production.template.json') ?? '',
  ) as DeployedTemplate;
  const nested = Object.entries(parent.Resources).filter(
    ([, { Type }]) => Type === 'AWS::CloudFormation::Stack',
  );
  const files = [...stage.deployed].filter(([file]) => file.includes('.nested.'));
  expect(files).toHaveLength(nested.length);
  return new Map([...nested, ...files.map(([file, text]) => [file, JSON.parse(text)] as const)]);
}

test('a chain that is added changes nothing of another, and is a stack of its own', () => {
  const before = chainsOf(synthesiseWith('before', []));
  const after = chainsOf(synthesiseWith('after', ['third_chain']));
  for (const [id, deployed] of before) expect(after.get(id)).toEqual(deployed);
  expect(before.size).toBe(4);
  expect([...after.keys()].filter((id) => !before.has(id))).toEqual([
    expect.stringContaining('thirdchain'),
    expect.stringContaining('thirdchain'),
  ]);
});
