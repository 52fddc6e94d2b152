import type { DataDependencies } from '../../lambdas/data/handle-data.ts';

/** So many queries and exports of a key at a time that no test is kept from one by others. */
export const UNLIMITED: Pick<DataDependencies, 'limits' | 'exportPlaces'> = {
  limits: { queriesPerKey: 100, exportsPerKey: 100 },
  exportPlaces: { take: async () => ({ leave: async () => {} }) },
};
