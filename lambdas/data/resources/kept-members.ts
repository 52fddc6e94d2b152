/** Name of the dataset that covers the blocks with everything that the node told: earlier releases stored less. */
const KEPT_DATASET = 'withdrawals';

/** SQL of whether a block was stored with everything that the node told of it. `block`: SQL of its number. */
export function isKeptMember(schema: string, block: string): string {
  return `coalesce((SELECT covered FROM ${schema}.coverage WHERE dataset = '${KEPT_DATASET}') @> (${block})::bigint, false)`;
}

/**
 * SQL of a list that the node told as a further member: empty where it told none, and null where that is not known, because the
 * block was stored by an earlier release or the list was too long.
 */
export function keptList(isStored: string, member: string): string {
  return `CASE WHEN ${isStored} AND NOT ${isOmitted(member)} THEN coalesce(t.extra -> '${member}', '[]'::jsonb) END`;
}

/** SQL of whether a member was told and not kept. */
function isOmitted(member: string): string {
  return `coalesce(jsonb_exists(t.extra_omitted, '${member}'), false)`;
}

/** SQL of the names of members that were too long to be kept; null where that is not known. */
export function omittedNames(isStored: string): string {
  return `CASE WHEN ${isStored} THEN coalesce(t.extra_omitted, '[]'::jsonb) END`;
}
