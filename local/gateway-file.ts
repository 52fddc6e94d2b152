import { readFile, rename, writeFile } from 'node:fs/promises';

/** Facts about a run for the tools beside it, as `gateway.json` in its data folder. */
export interface GatewayFile {
  /** Without a slash at the end. */
  readonly base_url: string;
  /** Page with the dashboard. */
  readonly dashboard_url: string;
  /** The API reference with the live status, without a slash at the end. */
  readonly site_url: string;
  readonly endpoints: {
    readonly dynamodb: string;
    readonly sqs: string;
    readonly s3: string;
    readonly kms: string;
    readonly secrets_manager: string;
    /** The chain database, for people: a PostgreSQL URL with its password. Absent where the stage has none. */
    readonly database?: string;
    /** The RDS Data API of the chain database. Absent where the stage has none. */
    readonly rds_data?: string;
    /** The default chain's node. */
    readonly upstream: string;
    /** The first node of each chain. */
    readonly upstreams: Readonly<Record<string, string>>;
  };
  /** Access key that signs requests to the endpoints of AWS services; another in each run. */
  readonly access_key_id: string;
  /** Outputs of the stack. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly demo_account: string;
  /** Key of the demo account; no other key is ever kept. */
  readonly demo_api_key: string;
  /** Process of the run that wrote the file last. */
  readonly pid: number;
}

/** The file that the last run left, if one did. */
export async function readGatewayFile(path: string): Promise<GatewayFile | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as GatewayFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file as a whole. It holds keys, so only its owner may read it. */
export async function writeGatewayFile(path: string, content: GatewayFile): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
