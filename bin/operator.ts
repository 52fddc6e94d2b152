import { openContext } from './operator/context/open-context.ts';
import { writeTo } from './operator/context/write-to.ts';
import { runOperator } from './operator/run.ts';

runOperator(process.argv.slice(2), {
  openContext,
  stdout: writeTo(process.stdout),
  stderr: writeTo(process.stderr),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
