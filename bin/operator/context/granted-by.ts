import { userInfo } from 'node:os';
import { optionalText } from './command.ts';

/** The flag of commands that grant a credit. */
export const GRANTED_BY = {
  type: 'string',
  summary: 'who grants the credit, for its record (default: your login name)',
} as const;

/** Who grants a credit: whom the command names, or who is logged in. It is kept in the record, and proves nothing. */
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
