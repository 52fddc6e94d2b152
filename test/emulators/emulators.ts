import { isAtLength } from '../support/at-length.ts';
import { hasJava, shareDynamoDbLocal } from './dynamodb-local.ts';
import { startDynoxide } from './dynoxide.ts';
import type { Emulator } from './server-process.ts';

/** One row of a `describe.each` over the emulators. */
export interface EmulatorKind {
  readonly name: string;
  start(): Promise<Emulator>;
}

/**
 * The emulators that this machine can run. Amazon's takes thirty seconds of a processor for what the other does in three: the
 * quick part does without it.
 */
export const EMULATORS: readonly EmulatorKind[] = [
  { name: 'dynoxide', start: () => startDynoxide() },
  ...(isAtLength && hasJava() ? [{ name: 'DynamoDB Local', start: () => shareDynamoDbLocal() }] : []),
];
