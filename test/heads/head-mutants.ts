import type { UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import type { HeadReports } from '../../lambdas/shared/upstream/head/head-reports.ts';
import type { GivenHeadStore } from '../../lambdas/shared/upstream/sharing/given-head.ts';
import type { SharedText, SharedTextStore } from '../../lambdas/shared/upstream/sharing/shared-item.ts';
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
  /** Whether it takes a key that looks again for what it was shown. @default false */
  readonly looks?: boolean;
  /** Whether it takes questions for tags of finality. @default false */
  readonly tags?: boolean;
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
  | 'units of an item'
  | 'nothing where there was'
  | 'tag went back';

export const HEAD_MUTANTS: readonly HeadMutant[] = [
  {
    name: 'given-unread',
    simplification: 'what a key was given is not read before it is given a head',
    foundBy: 'head went back',
    seed: 16,
    around: {
      given: (store) => ({
        ...takersOf(store),
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
        ...takersOf(store),
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
        ...takersOf(store),
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
    seed: 14,
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
      node: (node) => {
        Object.defineProperty(node.head, 'askBeside', { value: () => undefined });
        return node;
      },
    },
  },
  {
    name: 'absent-believed',
    simplification: 'what the key got is not read before it is believed that there is no such thing',
    foundBy: 'nothing where there was',
    seed: 18,
    looks: true,
    around: {
      heads: (heads) => ({
        answer: (keyId, calls, ask) =>
          heads.answer(keyId, calls, (again, terms) => ask(again, { ...terms, learn: undefined })),
      }),
    },
  },
  {
    name: 'shown-unraised',
    simplification: 'a receipt does not raise the head of its key',
    foundBy: 'nothing where there was',
    seed: 32,
    looks: true,
    around: {
      heads: (heads) => ({
        answer: (keyId, calls, ask) =>
          heads.answer(keyId, calls, async (again, terms) =>
            (await ask(again, terms)).map(
              (one): UpstreamResponse =>
                one.kind === 'result' && again[0]?.method === 'eth_getTransactionReceipt'
                  ? { kind: 'result', result: one.result }
                  : one,
            ),
          ),
      }),
    },
  },
  {
    name: 'tags-at-once',
    simplification: 'the numbers of safe and finalized are used as soon as they are stored',
    foundBy: 'tag went back',
    seed: 9,
    tags: true,
    around: {
      texts: (store) => ({
        write: (...args) => store.write(...args),
        read: async (name, options) => {
          const read = await store.read(name, options);
          return read === undefined || !name.startsWith('tags ')
            ? read
            : { ...read, text: usedAtOnce(read.text) };
        },
      }),
    },
  },
  {
    name: 'tags-unread',
    simplification: 'what is stored is not read for each answer while numbers are about to be used',
    foundBy: 'tag went back',
    seed: 3,
    tags: true,
    around: {
      texts: (store) => {
        let last: SharedText | undefined;
        return {
          write: (...args) => store.write(...args),
          read: async (name, options) => {
            if (!name.startsWith('tags ')) return store.read(name, options);
            if (options?.isNow !== true || last?.text.includes('next') !== true)
              last = await store.read(name, options);
            return last;
          },
        };
      },
    },
  },
  {
    name: 'own-tags',
    simplification: 'each process has numbers of safe and finalized of its own',
    foundBy: 'tag went back',
    seed: 3,
    tags: true,
    around: {
      texts: (store) => ({
        read: async (name, options) => (name.startsWith('tags ') ? undefined : store.read(name, options)),
        write: async (name, ...more) => name.startsWith('tags ') || store.write(name, ...more),
      }),
    },
  },
];

function takersOf(store: GivenHeadStore): Pick<GivenHeadStore, 'readTakers' | 'keepTakers'> {
  return {
    readTakers: (...args) => store.readTakers(...args),
    keepTakers: (...args) => store.keepTakers(...args),
  };
}

/** A text of tags by which the numbers that come next are those in use. */
function usedAtOnce(text: string): string {
  const { next, ...used } = JSON.parse(text) as { readonly next?: object };
  return JSON.stringify(next ?? used);
}

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
