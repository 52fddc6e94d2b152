import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { relaxedBy } from '../../../lambdas/indexer/blocks/block-error.ts';
import { VERSION_MAX_AGE_MS } from '../../../lambdas/rpc/cache/response-cache.ts';
import { newVersion, packResponse } from '../../../lambdas/rpc/cache/shared-results.ts';
import { finalizedBelow } from '../../../lambdas/shared/runtime/finality.ts';
import {
  PROOF_FORMS,
  RELAXABLE_CHECKS,
  type RelaxedCheck,
} from '../../../lambdas/shared/runtime/settings.ts';
import { proofOf } from '../../../lambdas/shared/verify/chain-proof.ts';
import {
  type Arguments,
  CHAIN,
  type Command,
  type Context,
  neededFlag,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';
import { exportRange } from '../files/export-range.ts';
import { blockArgument, findIndexedChain, requireSameChain } from '../fill/indexed-chain.ts';
import { type GivenNode, openGivenNode } from '../fill/open-given-node.ts';

/** Time for the node to give its chain id or a header, in milliseconds. */
const HEADER_TIMEOUT_MS = 15_000;
const MILLISECONDS_PER_SECOND = 1_000;

export const exportRangeCommand: Command = {
  name: 'export-range',
  summary: 'write blocks of a chain, as a node has them, to Parquet files that backfill reads',
  positionals: [
    CHAIN,
    { name: 'first', summary: 'number of the first block' },
    { name: 'last', summary: 'number of the last block' },
  ],
  flags: {
    to: neededFlag('folder that the files are written to'),
    node: neededFlag('URL of the node that the blocks are read from'),
    'no-traces': switchFlag('without the calls within transactions'),
    form: valueFlag('what blocks are verified by, as the setting proof.form; without it, by the chain id'),
    relax: valueFlag('checks of the chain that its blocks do not pass, separated by commas (relaxedChecks)'),
  },
  example: 'export-range base 0 999 --to files --node https://node.example',
  async run({ openIndexing, clock }, args, { log }) {
    const chain = requiredText(args, 'chain');
    const isRelaxed = relaxedBy(relaxedChecks(args));
    const proof = proofSetting(args);
    const form = { traces: args['no-traces'] !== true, isRelaxed };
    const node = openGivenNode(requiredText(args, 'node'), clock, form);
    const soon = () => ({ deadline: clock.now() + HEADER_TIMEOUT_MS });
    try {
      const range = await rangeOf(node, args, soon);
      await requireChain({ openIndexing }, chain, (number) => node.reader.header(number, soon()));
      const chainId = await node.chainId(soon());
      const report = await exportRange({
        reader: node.reader,
        chainId,
        proof: proofOf({ chainId, ...(proof && { proof }) }),
        isRelaxed,
        folder: requiredText(args, 'to'),
        range,
        clock,
        onPart: ({ from_block, to_block }, known) =>
          log('info', known ? 'part_is_there' : 'part_written', {
            chain,
            reason: `blocks ${from_block} to ${to_block}`,
          }),
      });
      const outcome = {
        chain,
        from_block: range.from,
        to_block: range.to,
        parts: report.parts,
        written: report.written,
        rows: report.rows,
        bytes: report.bytes,
      };
      return {
        json: outcome,
        text: renderRecord(
          Object.fromEntries(Object.entries(outcome).map(([name, value]) => [name, String(value)])),
        ),
      };
    } finally {
      node.close();
    }
  },
};

export const cacheClear: Command = {
  name: 'cache clear',
  summary: 'clear the cache of a chain, in all instances within ten seconds',
  positionals: [CHAIN],
  example: 'cache clear base',
  async run({ cache, clock }, args) {
    const chain = requiredText(args, 'chain');
    if (!cache.chains.includes(chain)) throw new InputError(`unknown chain ${chain}`);
    const packed = await packResponse(newVersion(chain, clock.now()));
    if (packed !== undefined) await cache.store.write([packed]);
    const cleared = { chain, cleared: true, within_seconds: VERSION_MAX_AGE_MS / MILLISECONDS_PER_SECOND };
    return {
      json: cleared,
      text: renderRecord({ chain, cache: `cleared, everywhere within ${cleared.within_seconds} s` }),
    };
  },
};

/** The range, which no reorganisation may replace. */
async function rangeOf({ reader }: GivenNode, args: Arguments, soon: () => { deadline: number }) {
  const from = blockArgument(args, 'first') ?? 0;
  const to = blockArgument(args, 'last') ?? 0;
  if (from > to) throw new InputError('FIRST is after LAST');
  const final = finalizedBelow((await reader.head(soon())).number);
  if (to > final) throw new InputError(`LAST is above the newest final block of the node, ${final}`);
  return { from, to };
}

/** A chain that is indexed must be the one of the node; any other can be exported too. */
async function requireChain(
  { openIndexing }: Pick<Context, 'openIndexing'>,
  chain: string,
  header: Parameters<typeof requireSameChain>[1],
): Promise<void> {
  const connection = openIndexing && (await findIndexedChain(await openIndexing(), chain));
  if (connection !== undefined) await requireSameChain(connection, header);
}

function proofSetting(args: Arguments) {
  const name = optionalText(args, 'form');
  if (name === undefined) return undefined;
  const form = ([...PROOF_FORMS, 'none'] as const).find((one) => one === name);
  if (form === undefined) throw new InputError(`--form takes ${PROOF_FORMS.join(', ')} or none`);
  return { form };
}

function relaxedChecks(args: Arguments): readonly RelaxedCheck[] {
  const names = optionalText(args, 'relax')?.split(',') ?? [];
  return names.map((name) => {
    const check = RELAXABLE_CHECKS.find((one) => one === name);
    if (check === undefined) throw new InputError(`--relax takes ${RELAXABLE_CHECKS.join(', ')}`);
    return { check };
  });
}
