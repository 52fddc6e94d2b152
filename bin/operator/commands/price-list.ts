import { readFile } from 'node:fs/promises';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { putPriceList, readPriceLists } from '../../../lambdas/access/store/price-lists.ts';
import { parsePriceList, priceListAt, priceListHash } from '../../../lambdas/shared/bill/price-list.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import { type Command, optionalText } from '../context/command.ts';
import { retriedReads } from '../context/listing.ts';
import { renderTable } from '../context/text-table.ts';

export const priceList: Command = {
  name: 'price-list',
  summary: 'show the price lists by which bills are checked, or add one',
  positionals: [
    {
      name: 'file',
      optional: true,
      summary: 'JSON of the list to put, which begins with an hour to come; see price-list --json',
    },
  ],
  example: 'price-list',
  async run({ store, clock }, args) {
    const file = optionalText(args, 'file');
    if (file !== undefined) await putPriceList(store, clock, await readList(file));
    const lists = await readPriceLists({ store: retriedReads(store) });
    const now = priceListAt(lists, hourOf(clock.now()));
    const rows = lists.map((list) => [
      list.from,
      priceListHash(list),
      String(Object.keys(list.prices).length),
      list === now ? 'now' : '',
    ]);
    return {
      json: { lists: lists.map((list) => ({ ...list, hash: priceListHash(list), now: list === now })) },
      text: renderTable(['from', 'SHA-256', 'prices', ''], rows),
    };
  },
};

async function readList(file: string) {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new InputError(`${file} cannot be read: ${error.message}`);
  });
  const list = parsePriceList(text);
  if (list === undefined)
    throw new InputError(`${file} is no price list: see price-list --json for the members of one`);
  return list;
}
