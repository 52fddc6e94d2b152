/** Runs the command lines that it is sent, one after the other, as `bin/operator.ts` runs its own. */
import { openContext } from '../../../bin/operator/context/open-context.ts';
import { runOperator } from '../../../bin/operator/run.ts';
import { openOutside } from '../../../bin/operator/stage/outside.ts';
import type { CommandResult } from './operator-processes.ts';

process.on('message', async (commandLine: readonly string[]) => {
  const printed = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof printed) => async (text: string) => {
    printed[name] += text;
    return true;
  };
  const code = await runOperator(commandLine, {
    openContext,
    openOutside: async () => openOutside(),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
  });
  process.send?.({ code, ...printed } satisfies CommandResult);
});
