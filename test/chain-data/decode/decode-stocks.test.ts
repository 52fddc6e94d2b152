import { MULTIPLIER_UPDATED } from './contract-events.ts';
import { decodeLogs, logOf, TOKEN, word } from './raw-blocks.ts';

const ONE = 10n ** 18n;

test('an announced multiplier', () => {
  const { stock_multipliers } = decodeLogs([
    logOf(MULTIPLIER_UPDATED, TOKEN, [ONE, 4n * ONE, 1_700_000_000n, 1_700_000_060n]),
  ]);
  expect(stock_multipliers).toEqual([
    {
      token: TOKEN,
      block_number: 7,
      log_index: 0,
      tx_hash: word(0xbeef00),
      block_time: '2023-11-14T22:13:20.000Z',
      old_multiplier: ONE,
      new_multiplier: 4n * ONE,
      set_at: '2023-11-14T22:13:20.000Z',
      effective_at: '2023-11-14T22:14:20.000Z',
    },
  ]);
});

test('a multiplier for a time that is none is undecodable', () => {
  const rows = decodeLogs([logOf(MULTIPLIER_UPDATED, TOKEN, [ONE, ONE, 1n, 2n ** 256n - 1n])]);
  expect(rows.stock_multipliers).toEqual([]);
  expect(rows.undecodable_logs).toHaveLength(1);
});
