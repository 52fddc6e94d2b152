import type { Hex } from '../../chain-data/decode/raw-block.ts';

/** What one operator's node has for the hash of a block. */
export interface HashVote {
  readonly upstream: string;
  readonly hash: Hex;
}

/** What the votes for the hash of a stored block come to. */
type HashJudgement =
  /** Most have the stored one, or nobody says another. `wrong`: who does. */
  | { readonly kind: 'settled'; readonly wrong: readonly HashVote[] }
  /** Most have another one. */
  | { readonly kind: 'outvoted'; readonly by: HashVote }
  /** As many have another one. */
  | { readonly kind: 'contradicted'; readonly by: HashVote };

/**
 * Judges the hash of a stored block, which is the vote of the node that is read.
 * @param votes one of each other operator; one that is silent has none
 */
export function judgeHash(stored: Hex, votes: readonly HashVote[]): HashJudgement {
  const counts = new Map<Hex, number>([[stored, 1]]);
  for (const { hash } of votes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const wrong = votes.filter(({ hash }) => hash !== stored);
  const by = wrong.toSorted((a, b) => (counts.get(b.hash) ?? 0) - (counts.get(a.hash) ?? 0))[0];
  const own = counts.get(stored) ?? 0;
  const most = by === undefined ? 0 : (counts.get(by.hash) ?? 0);
  if (by === undefined || own > most) return { kind: 'settled', wrong };
  return { kind: most > own ? 'outvoted' : 'contradicted', by };
}
