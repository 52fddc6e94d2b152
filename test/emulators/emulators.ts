import { hasJava, shareDynamoDbLocal } from './dynamodb-local.ts';
import { startDynoxide } from './dynoxide.ts';
import type { Emulator } from './server-process.ts';

/** One row of a `describe.each` over the emulators. */
export interface EmulatorKind {
  readonly name: string;
  start(): Promise<Emulator>;
}

/** The emulators that this machine can run. */
export const EMULATORS: readonly EmulatorKind[] = [
  { name: 'dynoxide', start: () => startDynoxide() },
  ...(hasJava() ? [{ name: 'DynamoDB Local', start: () => shareDynamoDbLocal() }] : []),
];
