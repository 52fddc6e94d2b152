import { runSettlement } from './handler.ts';
import { workFunction } from './work-function.ts';

/** Settles closed hours: started by the hourly rule, and by the queue with what an earlier run had no time for. */
export const handler = workFunction(runSettlement);
