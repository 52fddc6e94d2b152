import * as z from 'zod';
import { integer, must, text } from './fields.ts';

/** AWS Backup starts no plan more often than once an hour; each of these divides a day. */
const INTERVALS_HOURS = [1, 2, 3, 4, 6, 8, 12, 24] as const;
const MAX_KEPT_DAYS = 3_650;

/** Copies of the metering tables in a vault of another region, or of another account. Absent: none are made. */
export const backup = z
  .strictObject(
    {
      copyTo: text(
        /^arn:[a-z-]+:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/,
        'the ARN of a backup vault',
      ),
      everyHours: z.literal(INTERVALS_HOURS, must(`one of ${INTERVALS_HOURS.join(', ')}`)).default(1),
      /** Days that a backup and its copy are kept. */
      keepDays: integer(1, MAX_KEPT_DAYS).default(2),
      /** Key of the stage's own vault; absent: that of AWS Backup, whose backups no other account can copy. */
      keyArn: text(/^arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a KMS key').optional(),
    },
    must('an object'),
  )
  .optional();

/** Whether a vault is one that a stack of this stage has made. */
export function isOwnVault(stage: string, vault: string): boolean {
  return vault.startsWith(`gateway-${stage}-`) && /-[0-9a-f]{8}$/.test(vault);
}
