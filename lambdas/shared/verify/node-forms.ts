import { isAbsent, type NodeJson } from './members.ts';

/** How nodes write that a transaction succeeded, or that it did not. */
const STATUS = /^0x0*([01])$/;

/**
 * A block as most nodes send it, from one whose node calls the calldata of transactions `data`. The same object where
 * nothing differs; what is no block stays what it is.
 */
export function blockInCommonForm(json: unknown): unknown {
  return isObject(json) ? withItems(json, 'transactions', withInput) : json;
}

/**
 * Receipts as most nodes send them, from a node that writes the status as a boolean or with zeros before it, or whose logs
 * leave out the transaction that their receipt names.
 */
export function receiptsInCommonForm(json: unknown): unknown {
  return Array.isArray(json) ? eachOf(json, (one) => withLogHashes(withStatus(one))) : json;
}

function withInput(transaction: NodeJson): NodeJson {
  if (!isAbsent(transaction.input) || isAbsent(transaction.data)) return transaction;
  const { data, ...rest } = transaction;
  return { ...rest, input: data };
}

function withStatus(receipt: NodeJson): NodeJson {
  const status = commonStatus(receipt.status);
  return status === receipt.status ? receipt : { ...receipt, status };
}

function commonStatus(status: unknown): unknown {
  if (typeof status === 'boolean') return status ? '0x1' : '0x0';
  if (status === '0x1' || typeof status !== 'string') return status;
  return status.replace(STATUS, '0x$1');
}

function withLogHashes(receipt: NodeJson): NodeJson {
  const { transactionHash } = receipt;
  return withItems(receipt, 'logs', (log) =>
    isAbsent(log.transactionHash) ? { ...log, transactionHash } : log,
  );
}

function withItems(object: NodeJson, name: string, change: (item: NodeJson) => NodeJson): NodeJson {
  const list = object[name];
  if (!Array.isArray(list)) return object;
  const changed = eachOf(list, change);
  return changed === list ? object : { ...object, [name]: changed };
}

/** The list itself where no item of it changes. */
function eachOf(list: readonly unknown[], change: (item: NodeJson) => NodeJson): readonly unknown[] {
  const changed = list.map((item) => (isObject(item) ? change(item) : item));
  return changed.every((item, index) => item === list[index]) ? list : changed;
}

function isObject(value: unknown): value is NodeJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
