import { randomBytes } from 'node:crypto';
import { connectObjects } from 'gateway-access';
import {
  EVIDENCE_BUCKET_VARIABLE,
  HEADS_BUCKET_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { EVIDENCE_TIMES, openEvidence } from './evidence.ts';
import { runSettlement } from './handler.ts';
import { workFunction } from './work-function.ts';

const bucketOf = (variable: string) =>
  connectObjects({ bucket: requireVariable(variable), ...EVIDENCE_TIMES });
const objects = bucketOf(EVIDENCE_BUCKET_VARIABLE);
const heads = bucketOf(HEADS_BUCKET_VARIABLE);

/** Settles closed hours: started by the hourly rule, and by the queue with what an earlier run had no time for. */
export const handler = workFunction(runSettlement, (common) =>
  openEvidence(common, objects, randomBytes, heads),
);
