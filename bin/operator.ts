import { openContext } from './operator/open-context.ts';
import { runOperator } from './operator/run.ts';
import { writeTo } from './operator/write-to.ts';

runOperator(process.argv.slice(2), {
  openContext,
  stdout: writeTo(process.stdout),
  stderr: writeTo(process.stderr),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
