/**
 * The process of an environment that takes many requests at a time: as Lambda's runtime on instances, it loads the function
 * in a thread and waits for the end of that. A signal reaches this thread alone, never the function's.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const thread = new Worker(join(import.meta.dirname, 'bootstrap.ts'), { env: process.env });
thread.once('error', (error) => {
  process.stderr.write(`ERROR\tWorker Error\t${String(error)}\n`);
});
thread.once('exit', (code) => process.exit(code));
