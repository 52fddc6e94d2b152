import { runConformance } from '../test/conformance/run-conformance.ts';

process.exitCode = await runConformance(process.argv.slice(2), (line) => console.log(line));
