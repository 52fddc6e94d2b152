import { digitsAt } from '../../shared/chain-database/hex.ts';
import type { Hex } from './raw-block.ts';
import type { DataPieceRow } from './rows.ts';

/** Bytes of long data that stand in the row itself. */
const HEAD_BYTES = 16 * 1024;
/** Bytes of each further piece. */
const PIECE_BYTES = 24 * 1024;

/** The first bytes of data, which its row holds; the rest goes to `pieces`, since a row may have only so many bytes. */
export function splitData(
  data: Hex,
  place: Omit<DataPieceRow, 'piece' | 'data'>,
  pieces: DataPieceRow[],
): Hex {
  const headEnd = digitsAt(HEAD_BYTES);
  if (data.length <= headEnd) return data;
  for (let start = headEnd, piece = 1; start < data.length; start += PIECE_BYTES * 2, piece += 1) {
    pieces.push({ ...place, piece, data: `0x${data.slice(start, start + PIECE_BYTES * 2)}` });
  }
  return `0x${data.slice(2, headEnd)}`;
}
