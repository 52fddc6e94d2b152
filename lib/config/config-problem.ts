import type * as z from 'zod';

/** One problem of a stage file as lines of `path: reason`; an object with several unknown entries makes several. */
export function describeProblem(issue: z.core.$ZodIssue): string[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => describe([...issue.path, key], 'is an unknown key'));
    case 'invalid_union':
      return unionProblems(issue);
    case 'invalid_key':
      return issue.issues.map((inner) => describe(issue.path, inner.message));
    default:
      return [describe(issue.path, issue.message)];
  }
}

/** A value that has the type of one alternative is judged by that one. */
function unionProblems(issue: z.core.$ZodIssueInvalidUnion): string[] {
  const inner = issue.errors.find((issues) => !issues.some(isWrongType)) ?? issue.errors[0] ?? [];
  return inner.flatMap((one) => describeProblem({ ...one, path: [...issue.path, ...one.path] }));
}

function isWrongType({ code, path }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' && path.length === 0;
}

function describe(path: readonly PropertyKey[], reason: string): string {
  return path.length === 0 ? reason : `${formatPath(path)}: ${reason}`;
}

/** `chains[0].upstreams[1]` */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      return index === 0 ? String(step) : `.${String(step)}`;
    })
    .join('');
}
