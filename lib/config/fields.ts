import * as z from 'zod';
import { isUpstreamReference, UPSTREAM_REFERENCE_FORMS } from './upstream-reference.ts';

/** The reason that is printed behind the path of a wrong or missing entry. */
export function must(be: string) {
  return {
    error: (issue: { readonly input?: unknown }) =>
      issue.input === undefined ? 'is required' : `must be ${be}`,
  };
}

export function integer(minimum: number, maximum: number) {
  const reason = must(`an integer from ${minimum} to ${maximum}`);
  return z.int(reason).min(minimum, reason).max(maximum, reason);
}

export function text(pattern: RegExp, form: string) {
  return z.string(must(form)).regex(pattern, must(form));
}

export const boolean = z.boolean(must('true or false'));
export const reference = z
  .string(must(UPSTREAM_REFERENCE_FORMS))
  .refine(isUpstreamReference, must(UPSTREAM_REFERENCE_FORMS));
