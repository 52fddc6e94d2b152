import type { AuditWork } from './audit.ts';

/** An audit that an earlier run handed on. */
export interface HandedOnAudit extends AuditWork {
  /** Violations that earlier runs found. */
  readonly violations: number;
}

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseAuditMessage(body: string): HandedOnAudit {
  const { after, violations } = JSON.parse(body) as Partial<Record<keyof HandedOnAudit, unknown>>;
  if (!Number.isSafeInteger(violations) || Number(violations) < 0) {
    throw new Error('an audit message names no violations');
  }
  if (after === undefined) return { violations: Number(violations) };
  if (typeof after !== 'string' || after === '') throw new Error('an audit message names no account');
  return { after, violations: Number(violations) };
}
