import { workFunction } from '../settlement/work-function.ts';
import { runAudit } from './audit.ts';

/** Audits the books: started by the hourly rule, and by the queue with what an earlier run had no time for. */
export const handler = workFunction(runAudit, (books) => books);
