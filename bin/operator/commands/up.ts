import { type Arguments, optionalText, requiredText, valueFlag } from '../context/command.ts';
import { regionOf } from '../context/stack.ts';
import { deployStage, NotReadyError } from '../stage/bring-up.ts';
import { callFirst, FIRST_ACCOUNT, openAccount, openKey } from '../stage/first-call.ts';
import type { Outside, StageCommand } from '../stage/outside.ts';
import type { StageFacts } from '../stage/stage-facts.ts';
import { CONFIG_FLAG, linesText } from './preflight.ts';

const EXIT_FAILED = 1;

/** From a stage file to the first paid call. Each step looks in AWS whether it is done, so that the same command continues. */
export const up: StageCommand = {
  name: 'up',
  summary: 'deploy a stage, and make its first call; repeat it to continue where it stopped',
  positionals: [],
  flags: {
    config: CONFIG_FLAG,
    'key-file': valueFlag('where the key is kept without a terminal (default: STACK.key)'),
    answer: valueFlag('yes: what is asked is answered so'),
  },
  example: 'up --config config/starter.json',
  async runOnFile(outside, args) {
    const facts = await outside.readFacts(requiredText(args, 'config'));
    try {
      return await bringUp(outside, facts, args);
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      return { json: { lines: error.lines }, text: linesText(error.lines), exitCode: EXIT_FAILED };
    }
  },
};

async function bringUp(outside: Outside, facts: StageFacts, args: Arguments) {
  const { tell } = outside;
  const { stackName } = facts;
  const { outputs } = await deployStage(outside, facts, answerOf(outside, args));
  const baseUrl = outputs.BaseUrl ?? '';
  const context = await outside.openGateway(stackName, await regionOf(outside, facts));
  tell(`4. account ${FIRST_ACCOUNT}`);
  const account = await openAccount(context);
  tell('5. key');
  const first = await openKey(
    outside,
    context,
    account,
    optionalText(args, 'key-file') ?? `${stackName}.key`,
  );
  const json = { base_url: baseUrl, account: FIRST_ACCOUNT };
  const ready = `${stackName} answers at ${baseUrl}`;
  if (first === undefined) {
    const next = `npm run conformance -- --url ${baseUrl} --key KEY`;
    return {
      json: { ...json, next },
      text: `${ready}; its first call was made before. Check it with ${next}`,
    };
  }
  tell('6. first call');
  const block = await callFirst(outside, baseUrl, first.key);
  tell('7. conformance');
  const exitCode = await outside.conform(baseUrl, first.key);
  const { file } = first;
  const kept = file === undefined ? '' : `; the key is in ${file}`;
  return {
    json: { ...json, block, ...(file !== undefined && { key_file: file }), conforms: exitCode === 0 },
    text: `${ready}, block ${block}${kept}${exitCode === 0 ? '' : '; it differs from its contract'}`,
    ...(exitCode !== 0 && { exitCode: EXIT_FAILED }),
  };
}

/** Answers as the command line does, or as the person at the terminal. */
export function answerOf({ inquire }: Outside, args: Arguments) {
  return async (question: string) => optionalText(args, 'answer') ?? inquire(question);
}
