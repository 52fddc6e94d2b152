import { readFile, writeFile } from 'node:fs/promises';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { neededFlag, optionalText, requiredText, valueFlag } from '../context/command.ts';
import { JSON_INDENT } from '../context/listing.ts';
import { type Owned, type Place, regionOf } from '../context/stack.ts';
import { mappingOf } from '../stage/adoption.ts';
import { stillThere } from '../stage/kept-resources.ts';
import type { StageCommand } from '../stage/outside.ts';
import { lookAtStage } from '../stage/take-down.ts';
import { CONFIG_FLAG } from './preflight.ts';

/** Writes what CloudFormation's import needs, so that a new stack owns, and protects, what a stack that is gone has left. */
export const adopt: StageCommand = {
  name: 'adopt',
  summary: 'map what a deleted stack has left to a new one, for cdk import; changes nothing',
  positionals: [],
  flags: {
    config: CONFIG_FLAG,
    from: neededFlag('the deleted stack, or JSON of aws cloudformation list-stack-resources'),
    to: valueFlag('new file for the mapping (default: STACK.import.json)'),
  },
  example: 'adopt --config config/production.json --from gateway-production',
  async runOnFile(outside, args) {
    const facts = await outside.readFacts(requiredText(args, 'config'));
    const { ask, pause } = outside;
    const place = { ask, pause, region: await regionOf(outside, facts) };
    const from = requiredText(args, 'from');
    const left = (await inventoryIn(place, from)) ?? (await leftBy(place, from));
    const twice = [...Map.groupBy(left, ({ logicalId }) => logicalId)].find(([, all]) => all.length > 1);
    if (twice !== undefined)
      throw new InputError(
        `${twice[0]} was left ${twice[1].length} times: name one of the deleted stacks by its ARN (aws cloudformation list-stacks)`,
      );
    const mapping = mappingOf(facts.resources, left);
    const count = Object.keys(mapping).length;
    if (count === 0) throw new InputError(`${from} has left nothing that ${facts.stackName} could take over`);
    const file = optionalText(args, 'to') ?? `${facts.stackName}.import.json`;
    await writeFile(file, `${JSON.stringify(mapping, undefined, JSON_INDENT)}\n`, { flag: 'wx' });
    const over = left.filter(({ logicalId }) => !(logicalId in mapping));
    return {
      json: { file, mapping, left: over },
      text: [
        `${file} maps ${count} resources. Then:`,
        `  npx cdk import -c config=${facts.file} --resource-mapping ${file}`,
        `  npm run --silent operator -- up --config ${facts.file}`,
        ...over.map(({ type, id }) => `not mapped: ${type} ${id}`),
      ].join('\n'),
    };
  },
};

/** What a stack of this name, or this ARN, has left. Rejects with {@link InputError} if it is still there. */
async function leftBy(place: Parameters<typeof lookAtStage>[0], stack: string): Promise<readonly Owned[]> {
  const { status, resources } = await lookAtStage(place, stack);
  if (status !== undefined)
    throw new InputError(`${stack} is ${status}: only what a deleted stack has left can be taken over`);
  return resources;
}

/** The inventory in a file, without what is gone by now; undefined: there is no such file. */
async function inventoryIn(place: Place, file: string): Promise<readonly Owned[] | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const wrong = () => new InputError(`${file} is no JSON of aws cloudformation list-stack-resources`);
  let summaries: unknown;
  try {
    summaries = JSON.parse(text).StackResourceSummaries;
  } catch {
    throw wrong();
  }
  if (!Array.isArray(summaries)) throw wrong();
  return stillThere(
    place,
    summaries.map((one) => ({
      logicalId: String(one.LogicalResourceId),
      type: String(one.ResourceType),
      id: String(one.PhysicalResourceId),
      status: String(one.ResourceStatus),
    })),
  );
}
