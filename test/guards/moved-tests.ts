import type { ChangedTests } from './promises.ts';

/** What is said of tests that moved between projects or are not run, a line each. */
export function movedOrMarked({ before, after }: ChangedTests): readonly string[] {
  const former = Map.groupBy(before, ({ title }) => title);
  return after.flatMap(({ title, file, mark, project }) => {
    const same = former.get(title) ?? [];
    const isMarked = mark !== '' && !same.some((one) => one.mark === mark);
    const isMoved = same.length > 0 && !same.some((one) => one.project === project);
    return [
      ...(isMarked ? [`${mark}: ${title} (${file})`] : []),
      ...(isMoved ? [`moved from ${same[0]?.project} to ${project}: ${title} (${file})`] : []),
    ];
  });
}
