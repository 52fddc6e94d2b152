import { createHash } from 'node:crypto';
import type { RawBlock, RawCall, RawTransaction } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { ALL_STRICT } from '../../../lambdas/indexer/blocks/block-error.ts';
import { type BlockFileRows, fileRowsOf } from '../../../lambdas/indexer/files/block-rows.ts';
import type { FileRow, FileTable } from '../../../lambdas/indexer/files/layout.ts';
import { FileRefusedError, type Manifest, type PartFiles } from '../../../lambdas/indexer/files/manifest.ts';
import { createBloomer, readPart } from '../../../lambdas/indexer/files/read-part.ts';
import { openPart } from '../../../lambdas/indexer/files/write-part.ts';

export const CHAIN_ID = 31_337;

/** Files by name, and what reads them. */
export class MemoryFiles implements PartFiles {
  readonly bytes = new Map<string, Uint8Array>();
  /** Bytes of the largest piece that was asked for. */
  largest = 0;

  async open({ name }: { readonly name: string }) {
    const bytes = this.bytes.get(name);
    if (bytes === undefined) throw new FileRefusedError(name, 'it is not there');
    return {
      byteLength: bytes.length,
      slice: (from: number, to = bytes.length) => {
        this.largest = Math.max(this.largest, to - from);
        return new Uint8Array(bytes.subarray(from, to)).buffer;
      },
    };
  }

  /** What takes a table's file. */
  readonly sink = async (_table: FileTable) => {
    const pieces: Uint8Array[] = [];
    return {
      write: async (piece: Uint8Array) => void pieces.push(piece),
      close: async (name: string) => void this.bytes.set(name, Buffer.concat(pieces)),
      abandon: async () => {},
    };
  };
}

type Row = FileRow<FileTable> & { readonly log_count?: number };

/**
 * The files of one part with these blocks.
 * @param alter what is written in place of a row
 */
export async function partOf(
  blocks: Iterable<RawBlock>,
  files = new MemoryFiles(),
  chainId = CHAIN_ID,
  alter = (_table: FileTable, row: Row): readonly Row[] => [row],
): Promise<{ readonly files: MemoryFiles; readonly manifest: Manifest }> {
  const part = await openPart(chainId, files.sink, (block) => alteredRows(fileRowsOf(block), alter));
  for (const block of blocks) await part.add(block);
  return { files, manifest: await part.end() };
}

function alteredRows(
  rows: BlockFileRows,
  alter: (table: FileTable, row: Row) => readonly Row[],
): BlockFileRows {
  const tables = Object.entries(rows) as [FileTable, readonly Row[]][];
  return Object.fromEntries(
    tables.map(([table, all]) => [table, all.flatMap((row) => alter(table, row))]),
  ) as unknown as BlockFileRows;
}

/** A manifest that names what the files are now. */
export function restated(manifest: Manifest, files: MemoryFiles): Manifest {
  return {
    ...manifest,
    files: manifest.files.map((file) => {
      const bytes = files.bytes.get(file.name) ?? new Uint8Array();
      return { ...file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    }),
  };
}

export async function blocksOf(files: PartFiles, manifest: Manifest, isRelaxed = ALL_STRICT) {
  const blocks: RawBlock[] = [];
  for await (const block of readPart(files, manifest, { chainId: CHAIN_ID, isRelaxed })) blocks.push(block);
  return blocks;
}

const bloomOf = createBloomer();

/** A made-up block as a node would have it: with the bloom of its logs, and a call for each transaction. */
export function likeOfNode(block: RawBlock): RawBlock {
  const { traces, transactions } = block;
  const calls = traces.kind === 'traced' && traces.calls.length === 0 ? transactions.map(topCall) : undefined;
  return {
    ...block,
    logsBloom: bloomOf(transactions.flatMap(({ receipt }) => receipt.logs)),
    traces: calls === undefined ? traces : { kind: 'traced', calls },
  };
}

function topCall({ from, to, value, gas, input, receipt }: RawTransaction): RawCall {
  const { gasUsed } = receipt;
  return {
    ...{ type: 'CALL', from, to, value, gas, gasUsed, input, output: '0x' },
    ...{ error: null, revertReason: null, calls: [] },
  };
}
