import fc from 'fast-check';
import { type Action, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { groupTransactions } from '../../lambdas/settlement/settle-accounts.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';

/** Actions of one transaction that DynamoDB takes. */
const MAX_ACTIONS = 100;

/** What an account's record is, in small: as many actions on items of its own, on condition that they are not there. */
function recordOf(account: string, actions = 4): Action[] {
  return Array.from({ length: actions }, (_, place) => ({
    put: {
      table: 'ledger',
      item: { account, record: `r${place}` },
      when: [{ is: 'absent', attribute: 'record' }],
    },
  }));
}

/** A store that tells what it was asked, and may fail before it carries a transaction out, or after it. */
function watched(
  store: MemoryStore,
  fails: (sent: number) => 'before' | 'after' | undefined = () => undefined,
) {
  const sent: string[][] = [];
  return {
    sent,
    store: {
      ...passOn(store),
      transact: async (actions: readonly Action[]) => {
        const accounts = actions.map((action) => String('put' in action && action.put.item.account));
        const failure = fails(sent.push([...new Set(accounts)]));
        if (failure === 'before') throw new StoreUnavailableError('throttled', false);
        const result = await store.transact(actions);
        await new Promise((resolve) => setImmediate(resolve));
        if (failure === 'after') throw new StoreUnavailableError('lost', true);
        return result;
      },
    },
  };
}

const names = (count: number) => Array.from({ length: count }, (_, number) => `a${number}`);
const count = (store: MemoryStore, account: string) =>
  store.items('ledger').filter((item) => item.account === account).length;

test('what is asked for while four transactions are under way goes together, at most 100 actions', async () => {
  const { sent, store } = watched(new MemoryStore());
  const grouped = groupTransactions(store);
  const results = await Promise.all(names(60).map((account) => grouped.transact(recordOf(account))));
  expect(results.filter(({ applied }) => !applied)).toEqual([]);
  expect(sent.map(({ length }) => length)).toEqual([1, 1, 1, 1, 25, 25, 6]);
  expect(sent.flat()).toEqual(names(60));
});

test('a transaction that alone is as large as a group may be goes alone', async () => {
  const { sent, store } = watched(new MemoryStore());
  const grouped = groupTransactions(store);
  const sizes = [4, 4, 4, 4, 4, MAX_ACTIONS, 4, 97, 4];
  await Promise.all(sizes.map((size, number) => grouped.transact(recordOf(`a${number}`, size))));
  expect(sent).toEqual(names(sizes.length).map((account) => [account]));
});

test('one that is refused holds no other up, and hears which of its own actions failed', async () => {
  const memory = new MemoryStore();
  const taken = { account: 'a6', record: 'r2' };
  await memory.put({ table: 'ledger', item: taken, when: [] });
  const { sent, store } = watched(memory);
  const grouped = groupTransactions(store);
  const results = await Promise.all(names(8).map((account) => grouped.transact(recordOf(account))));
  expect(sent.slice(4)).toEqual([['a4', 'a5', 'a6', 'a7'], ['a4'], ['a5'], ['a7']]);
  expect(results[6]).toEqual({ applied: false, refused: [undefined, undefined, { item: taken }, undefined] });
  expect(results.filter(({ applied }) => applied)).toHaveLength(7);
  expect(names(8).map((account) => count(memory, account))).toEqual([4, 4, 4, 4, 4, 4, 1, 4]);
});

test('of a group that was throttled each is sent alone', async () => {
  const memory = new MemoryStore();
  const { sent, store } = watched(memory, (number) => (number === 5 ? 'before' : undefined));
  const grouped = groupTransactions(store);
  const results = await Promise.all(names(7).map((account) => grouped.transact(recordOf(account))));
  expect(results.filter(({ applied }) => !applied)).toEqual([]);
  expect(sent.slice(4)).toEqual([['a4', 'a5', 'a6'], ['a4'], ['a5'], ['a6']]);
});

test('of a group whose response was lost each is refused by its own condition, and written once', async () => {
  const memory = new MemoryStore();
  const { store } = watched(memory, (number) => (number === 5 ? 'after' : undefined));
  const grouped = groupTransactions(store);
  const results = await Promise.all(names(7).map((account) => grouped.transact(recordOf(account))));
  expect(results.map(({ applied }) => applied)).toEqual([true, true, true, true, false, false, false]);
  expect(names(7).map((account) => count(memory, account))).toEqual([4, 4, 4, 4, 4, 4, 4]);
});

test('one that fails alone is not sent again: the caller decides', async () => {
  const { sent, store } = watched(new MemoryStore(), () => 'before');
  await expect(groupTransactions(store).transact(recordOf('a0'))).rejects.toThrow(StoreUnavailableError);
  expect(sent).toEqual([['a0']]);
});

test('whatever fails or is refused, each transaction is whole or not there, and no outcome lies', async () => {
  const failure = fc.constantFrom(undefined, undefined, undefined, 'before' as const, 'after' as const);
  const transaction = fc.record({ actions: fc.integer({ min: 1, max: 60 }), isTaken: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(transaction, { minLength: 1, maxLength: 40 }),
      fc.infiniteStream(failure),
      async (transactions, failures) => {
        const memory = new MemoryStore();
        for (const [number, { isTaken }] of transactions.entries())
          if (isTaken)
            await memory.put({ table: 'ledger', item: { account: `a${number}`, record: 'r0' }, when: [] });
        const { store } = watched(memory, () => failures.next().value);
        const grouped = groupTransactions(store);
        const results = await Promise.allSettled(
          transactions.map(({ actions }, number) => grouped.transact(recordOf(`a${number}`, actions))),
        );
        for (const [number, { actions, isTaken }] of transactions.entries()) {
          const stored = count(memory, `a${number}`);
          const result = results[number];
          const outcome = result?.status === 'fulfilled' ? result.value : undefined;
          expect([isTaken ? 1 : 0, actions]).toContain(stored);
          if (isTaken) expect(stored).toBe(1);
          if (outcome?.applied === true) expect([stored, isTaken]).toEqual([actions, false]);
          // It found an item in its way: another's, or its own where a response was lost.
          if (outcome?.applied === false) expect(stored).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: 300 },
  );
});
