import { userInfo } from 'node:os';
import { optionalText } from './command.ts';

/** The flag of commands that grant a credit. */
export const GRANTED_BY = {
  type: 'string',
  summary: 'who grants the credit, for its record (default: your login name)',
} as const;

/** The person who grants a credit: the one that the command names, or else the login name. The record keeps it, as a statement without proof. */
export function grantedBy(args: Parameters<typeof optionalText>[0]): string | undefined {
  return optionalText(args, 'by') ?? loginName();
}

/** Undefined for a user without a name, as in some containers. */
function loginName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
