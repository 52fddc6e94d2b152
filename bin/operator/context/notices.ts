import type { Telemetry } from '../../../lambdas/shared/runtime/telemetry.ts';

/** Tells what the gateway's code logs of its work, a line each; a command's metrics are not shown. */
export function logToStderr(stderr: (text: string) => Promise<unknown>): Telemetry {
  return {
    log: (level, event, fields) => {
      // The command goes on if stderr has no reader.
      stderr(`operator: ${level}: ${event} ${JSON.stringify(fields ?? {})}\n`).catch(() => undefined);
    },
    emit: () => undefined,
  };
}
