import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The outputs of a gateway of two plans over these tables, as its stack and the gateway.json of a local run have them. */
export function outputsOver(tableNames: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(
      Object.entries(tableNames).map(([table, name]) => [
        `${table.charAt(0).toUpperCase()}${table.slice(1)}TableName`,
        name,
      ]),
    ),
    PlanNames: 'free,standard',
    PlanShards: '1,4',
    GroupCommitCu: '0',
    DefaultPlan: 'standard',
    EvidenceBucketName: 'evidence',
    HeadsBucketName: 'heads',
    HeadKeyArn: 'arn:head-key',
    IssuerSecretArn: 'arn:issuer',
    CacheTableName: 'cache',
    ChainNames: 'example_mainnet,example_testnet',
    LiveFunctions: 'rpc=gateway-rpc',
  };
}

/** Writes the file of a local run into its folder, as if its store was at this endpoint. */
export async function writeGatewayFile(
  folder: string,
  tableNames: Readonly<Record<string, string>>,
  dynamodb: string,
): Promise<void> {
  const content = { endpoints: { dynamodb }, access_key_id: 'test', outputs: outputsOver(tableNames) };
  await writeFile(join(folder, 'gateway.json'), JSON.stringify(content));
}
