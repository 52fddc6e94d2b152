import { randomBytes } from 'node:crypto';
import { connectObjects } from 'gateway-access';
import { EVIDENCE_BUCKET_VARIABLE, requireVariable } from '../shared/runtime/environment.ts';
import { runSettlement } from './handler.ts';
import { EVIDENCE_TIMES, openEvidence } from './open-evidence.ts';
import { workFunction } from './work-function.ts';

const objects = connectObjects({ bucket: requireVariable(EVIDENCE_BUCKET_VARIABLE), ...EVIDENCE_TIMES });

/** Settles closed hours: started by the hourly rule, and by the queue with what an earlier run had no time for. */
export const handler = workFunction(runSettlement, (common) => openEvidence(common, objects, randomBytes));
