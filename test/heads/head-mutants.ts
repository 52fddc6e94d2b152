import type { HeadReports } from '../../lambdas/shared/upstream/head/head-reports.ts';
import type { SharedText, SharedTextStore } from '../../lambdas/shared/upstream/sharing/shared-text.ts';
import type { Around } from '../nodes/simulated-processes.ts';

/** A plausible simplification of what processes share, made around it. */
export interface HeadMutant {
  readonly name: string;
  /** What is left out or done otherwise. */
  readonly simplification: string;
  /** What finds it. */
  readonly foundBy: HeadCheck;
  /** The seed that finds it. */
  readonly seed: number;
  readonly around: Around;
}

/** What holds for every run, by its name. */
export type HeadCheck =
  | 'head went back'
  | 'head that is gone'
  | 'head of a liar'
  | 'old state'
  | 'no answer'
  | 'view went back'
  | 'out by one word'
  | 'units of an item';

export const HEAD_MUTANTS: readonly HeadMutant[] = [
  {
    name: 'given-unread',
    simplification: 'what a key was given is not read before it is given a head',
    foundBy: 'head went back',
    seed: 16,
    around: {
      given: () => ({
        read: async () => undefined,
        raise: async (_keyId, _chain, given) => given,
      }),
    },
  },
  {
    name: 'given-once',
    simplification: 'a head is remembered as given only where it is the first of its key',
    foundBy: 'head went back',
    seed: 8,
    around: {
      given: (store) => ({
        read: (...args) => store.read(...args),
        raise: async (keyId, chain, given, read) =>
          read === undefined ? store.raise(keyId, chain, given, read) : given,
      }),
    },
  },
  {
    name: 'one-sequence',
    simplification: 'a chain that went back begins no new sequence',
    foundBy: 'head that is gone',
    seed: 22,
    around: {
      given: (store) => ({
        read: (...args) => store.read(...args),
        raise: async (keyId, chain, given, read) =>
          read !== undefined && given.sequence !== read.sequence
            ? read
            : store.raise(keyId, chain, given, read),
      }),
    },
  },
  {
    name: 'tell-anyway',
    simplification: 'a view is stored whatever is stored there',
    foundBy: 'view went back',
    seed: 1,
    around: {
      texts: (store) => ({
        read: (...args) => store.read(...args),
        write: async (name, text) => store.write(name, text, await store.read(name, { isNow: true })),
      }),
    },
  },
  {
    name: 'one-witness',
    simplification: 'the word of one process takes a node out of use for all',
    foundBy: 'out by one word',
    seed: 40,
    around: { texts: (store) => doubled(store) },
  },
  {
    name: 'view-unbounded',
    simplification: 'heads that others report are not held against block time',
    foundBy: 'no answer',
    seed: 2,
    around: {
      upstreams: (upstreams) => {
        const { view } = upstreams;
        const take: HeadReports['take'] = (index, report, at, now) =>
          view.report(index, { number: report.number, timeMs: undefined }, now, at);
        Object.defineProperty(view, 'take', { value: take });
        return upstreams;
      },
    },
  },
  {
    name: 'no-question-beside',
    simplification: 'no question for the head goes out beside calls',
    foundBy: 'head of a liar',
    seed: 8,
    around: {
      node: (node) => ({
        ...node,
        head: Object.create(node.head, { askBeside: { value: () => undefined } }),
      }),
    },
  },
];

function isHeads(name: string): boolean {
  return name.startsWith('heads ');
}

/** Texts whose claims have each witness twice. */
function doubled(store: SharedTextStore): SharedTextStore {
  const twice = (text: string): string => {
    const rows = JSON.parse(text === '' ? '[]' : text) as unknown[][];
    return JSON.stringify(
      rows.map(([upstream, kind, of, by, at]) => [upstream, kind, of, by, at, `${String(by)}x`, at]),
    );
  };
  return {
    write: (...args) => store.write(...args),
    read: async (name, options) => {
      const read: SharedText | undefined = await store.read(name, options);
      return read === undefined || isHeads(name) ? read : { ...read, text: twice(read.text) };
    },
  };
}
