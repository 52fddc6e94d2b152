import type { RawWithdrawal } from '../../chain-data/decode/raw-block.ts';
import { readAddress, readArray, readObject, readQuantity, ShapeError } from './json-shape.ts';

/** Reads the withdrawals of a block. A list of another form is none: the block has it among its further members all the same. */
export function parseWithdrawals(value: unknown): readonly RawWithdrawal[] {
  if (value === undefined || value === null) return [];
  try {
    return readArray(value, 'block.withdrawals').map((item) => {
      const withdrawal = readObject(item, 'withdrawal');
      return {
        index: readQuantity(withdrawal.index, 'withdrawal.index'),
        validatorIndex: readQuantity(withdrawal.validatorIndex, 'withdrawal.validatorIndex'),
        address: readAddress(withdrawal.address, 'withdrawal.address'),
        amountGwei: readQuantity(withdrawal.amount, 'withdrawal.amount'),
      };
    });
  } catch (error) {
    if (error instanceof ShapeError) return [];
    throw error;
  }
}
