import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { ChainData } from '../chain-data/add-chain-data.ts';
import type { ChainStacks } from '../chain-data/chain-stacks.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { Firewall } from '../edge/firewall.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { Books } from '../metering/books.ts';
import type { LaneQueue } from '../metering/charge-queue.ts';
import type { MeteringTables } from '../metering/metering-tables.ts';
import type { TableBackups } from '../metering/table-backups.ts';

/** A stage as what watches it sees it: its settings, and its parts. */
export interface Monitored {
  readonly config: StageConfig;
  /** Public URL of the stage. */
  readonly baseUrl: string;
  readonly rest: RestApi;
  readonly functions: ServiceFunctions;
  readonly tables: MeteringTables;
  readonly charges: LaneQueue;
  readonly books: Books;
  readonly chainStacks: ChainStacks;
  /** Absent in a stage that has none. */
  readonly firewall: Firewall | undefined;
  /** Absent in a stage without a chain database. */
  readonly chainData: ChainData | undefined;
  /** Absent in a stage without copies of its tables. */
  readonly backups: TableBackups | undefined;
}
