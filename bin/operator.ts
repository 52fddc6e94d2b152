import { openContext } from './operator/open-context.ts';
import { runOperator } from './operator/run.ts';

runOperator(process.argv.slice(2), {
  openContext,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
