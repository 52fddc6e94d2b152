import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { stageFile } from '../../../lib/config/stage-files.ts';
import { type SynthesisedStage, stagesOf } from '../synthesised-stage.ts';

interface DeployedTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
}

/** The example with these chains beside its own. */
function withChains(more: readonly string[]): object {
  const production = JSON.parse(readFileSync(stageFile('example-production'), 'utf8'));
  const added = more.map((chain, index) => ({
    chain,
    name: chain,
    chainId: 1_000 + index,
    upstreams: [`secret:gateway/${chain}`],
  }));
  return { ...production, chains: [...production.chains, ...added] };
}

/** What is deployed as a stack within the stack, for each chain and for alarms: its template, and what its parent tells it. */
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
  const stages = stagesOf({ before: withChains([]), after: withChains(['third_chain']) });
  const before = chainsOf(stages.before);
  const after = chainsOf(stages.after);
  // The alarms of a chain are in its own stacks, and those of the stage name none.
  const changed = [...before].filter(([id, deployed]) => !isDeepStrictEqual(after.get(id), deployed));
  expect(changed.map(([id]) => id)).toEqual([]);
  // Two chains, and the alarms of the stage.
  expect(before.size).toBe(2 * 3);
  expect([...after.keys()].filter((id) => !before.has(id))).toEqual([
    expect.stringContaining('thirdchain'),
    expect.stringContaining('thirdchain'),
  ]);
});
