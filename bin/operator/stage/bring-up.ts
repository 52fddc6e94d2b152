import { accountOf, isFirstDeployment, regionOf, type StackState, stackAtRest } from '../context/stack.ts';
import { PRICE_LINE } from './file-lines.ts';
import type { Line } from './line.ts';
import type { Outside } from './outside.ts';
import { preflightLines } from './preflight-lines.ts';
import type { StageFacts } from './stage-facts.ts';

/** What CloudFormation may do once an account has a bootstrap stack. */
const BOOTSTRAP_QUESTION =
  'the bootstrap stack gives CloudFormation the rights of an administrator in this account: make it? [yes/no]';

/** Why a stage is not deployed: the lines of preflight that stand against it. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
  readonly lines: readonly Line[];

  constructor(lines: readonly Line[]) {
    super('the account cannot take this stage yet');
    this.lines = lines;
  }
}

/**
 * Deploys a stage, with all that has to be there before; what is there already is seen in AWS, and not made again.
 * Resolves to its stack. Rejects with {@link NotReadyError}, or with an Error that says where it stopped.
 * @param answer asks a person, or takes what the command line answers in advance
 */
export async function deployStage(
  outside: Outside,
  facts: StageFacts,
  answer: Outside['inquire'],
): Promise<StackState> {
  const { ask, pause, tell } = outside;
  const { stackName, file } = facts;
  const region = await regionOf(outside, facts);
  const place = { ask, region, pause };
  // A run that was stopped may have left CloudFormation at work.
  const before = await stackAtRest(place, stackName);
  tell(`1. preflight of ${file}`);
  const lines = await preflightLines(outside, facts, true);
  const bootstrap = lines.find(({ name, verdict }) => name === 'bootstrap' && verdict === 'fails');
  if (lines.some((line) => line.verdict === 'fails' && line !== bootstrap)) throw new NotReadyError(lines);
  for (const { name, verdict, text } of lines) {
    if (verdict === 'unknown') tell(`   ??  ${name}: ${text}`);
    if (name === PRICE_LINE) tell(`   ${text}`);
  }
  if (bootstrap !== undefined) {
    tell('2. bootstrap');
    const account = await accountOf(place);
    if ((await answer(BOOTSTRAP_QUESTION)) !== 'yes')
      throw new Error('nothing was made: the answer was not yes');
    await run(outside, 'the bootstrap', ['cdk', 'bootstrap', `aws://${account}/${region}`]);
  }
  // A later deployment needs its rollback; a first one that fails is continued from where it failed.
  const first = isFirstDeployment(before) ? ['--no-rollback', '--require-approval', 'never'] : [];
  tell(`3. deployment of ${stackName}, which takes up to fifteen minutes at first`);
  await run(outside, 'the deployment', ['cdk', 'deploy', '-c', `config=${file}`, ...first]);
  const stack = await stackAtRest(place, stackName);
  if (stack?.outputs.BaseUrl === undefined)
    throw new Error(`${stackName} has no base URL: it is not deployed`);
  return stack;
}

async function run({ run: start }: Outside, what: string, words: readonly string[]): Promise<void> {
  const exitCode = await start('npx', words);
  if (exitCode !== 0)
    throw new Error(
      `${what} failed (exit code ${exitCode}): mend what it names, and run the same command again`,
    );
}
