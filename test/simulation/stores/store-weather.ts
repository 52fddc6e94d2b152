import type { Machine } from '../actors/simulated-process.ts';
import { type Climate, Weather } from '../weather.ts';
import { REMOTE_FAULTS, type RemoteFault } from './exchange.ts';
import type { StorePlace, StoreSite } from './remote-store.ts';

const STORE_PLACES: readonly StorePlace[] = [
  'keys read',
  'keys write',
  'accounts read',
  'accounts write',
  'ledger read',
  'ledger write',
  'lanes read',
  'lanes write',
  'unsettled read',
  'unsettled write',
  'balances read',
  'balances write',
];

/** Charges fail more often than the admissions before them. */
const CLIMATES: Partial<Record<StorePlace, Climate>> = { 'lanes write': 'harsh', 'unsettled write': 'harsh' };

/** Troubles of each way to a store. */
export function storeWeather(machine: Machine): StoreSite['weather'] {
  return Object.fromEntries(
    STORE_PLACES.map((place) => [
      place,
      new Weather(machine, place, REMOTE_FAULTS, 'request doubled', CLIMATES[place]),
    ]),
  ) as Record<StorePlace, Weather<RemoteFault>>;
}
