import { randomBytes } from 'node:crypto';
import { connectObjects } from 'gateway-access';
import {
  EVIDENCE_BUCKET_VARIABLE,
  HEADS_BUCKET_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { openEvidence } from './evidence.ts';
import { runSettlement } from './handler.ts';
import { workFunction } from './work-function.ts';

/** Times of a request, in milliseconds: an object has some mebibytes at the most. */
const TIMES = { connectTimeoutMs: 1_000, timeoutMs: 5_000 };

const bucketOf = (variable: string) => connectObjects({ bucket: requireVariable(variable), ...TIMES });
const sealed = { evidence: bucketOf(EVIDENCE_BUCKET_VARIABLE), heads: bucketOf(HEADS_BUCKET_VARIABLE) };

/** Settles closed hours: started by the hourly rule, and by the queue with what an earlier run had no time for. */
export const handler = workFunction(runSettlement, (common) => openEvidence(common, sealed, randomBytes));
