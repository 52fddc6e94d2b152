import { openContext } from './operator/context/open-context.ts';
import { runOperator, writeTo } from './operator/run.ts';

runOperator(process.argv.slice(2), {
  openContext,
  openOutside: async () => (await import('./operator/stage/outside.ts')).openOutside(),
  stdout: writeTo(process.stdout),
  stderr: writeTo(process.stderr),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
