import type { AskAws } from '../../../bin/operator/context/ask-aws.ts';
import { json, jsonError, xml, xmlError } from './fake-account.ts';

type AwsResponse = Awaited<ReturnType<AskAws>>;
type AwsCall = Parameters<AskAws>[0];

type Has = Map<string, { type: string; id: string; status: string }>;

interface FakeResource {
  readonly type: string;
  /** Resources of these types of the same stack have to go first. */
  readonly after: readonly string[];
  /** A table or cluster that nobody can delete until it is let go. */
  isProtected: boolean;
  /** Objects of a bucket. */
  objects: string[];
  /** Objects that nobody can delete yet. */
  isLocked: boolean;
}

const TABLE = 'AWS::DynamoDB::Table';
const CLUSTER = 'AWS::RDS::DBCluster';
const BUCKET = 'AWS::S3::Bucket';

/** What a stage is made of here, in its order: logical id, type, whether it is kept, and what stands in the way of its end. */
export const PARTS: readonly (readonly [string, string, 'kept' | 'goes', ...string[]])[] = [
  ['TablesKeys', TABLE, 'kept'],
  ['TablesLedger', TABLE, 'kept'],
  ['EvidenceLeaves', BUCKET, 'kept'],
  ['HeadsKey', 'AWS::KMS::Key', 'kept'],
  ['HeadsPublished', BUCKET, 'kept'],
  ['Network', 'AWS::EC2::VPC', 'kept', 'AWS::EC2::Subnet'],
  ['Subnet', 'AWS::EC2::Subnet', 'kept', 'AWS::RDS::DBSubnetGroup'],
  ['SubnetGroup', 'AWS::RDS::DBSubnetGroup', 'kept', CLUSTER],
  ['Secret', 'AWS::SecretsManager::Secret', 'kept'],
  ['Cluster', CLUSTER, 'kept', 'AWS::RDS::DBInstance'],
  ['Attachment', 'AWS::SecretsManager::SecretTargetAttachment', 'kept'],
  ['Writer', 'AWS::RDS::DBInstance', 'kept'],
  ['Log', 'AWS::Logs::LogGroup', 'kept'],
  ['Function', 'AWS::Lambda::Function', 'goes'],
  ['Files', BUCKET, 'goes'],
  ['HeadsPublishedPolicy', 'AWS::S3::BucketPolicy', 'kept'],
  ['TablesAccounts', TABLE, 'kept'],
  ['TablesLanes', TABLE, 'kept'],
  ['TablesUnsettled', TABLE, 'kept'],
  ['TablesBalances', TABLE, 'kept'],
  ['LogRole', 'AWS::IAM::Role', 'kept'],
  ['LogAccount', 'AWS::ApiGateway::Account', 'kept'],
  ['Api', 'AWS::ApiGateway::RestApi', 'goes'],
];
/** Kept whatever the stage says. */
const ALWAYS_KEPT = ['LogRole', 'LogAccount'];
/** What is nothing by itself. */
const NOTHING = ['AWS::SecretsManager::SecretTargetAttachment', 'AWS::ApiGateway::Account'];

/** The resources of an account, with what Cloud Control and S3 do to them. */
export class FakeResources {
  readonly all = new Map<string, FakeResource>();
  readonly deleted: string[] = [];
  #count = 0;

  /** Makes what a stack lacks; resolves to whether all of it is made. */
  make(has: Has, stack: string, failsAfter: number, isKept: boolean): boolean {
    for (const [index, [logicalId, type, , ...after]] of PARTS.entries()) {
      if (index >= failsAfter) return false;
      if (has.has(logicalId)) continue;
      this.#count += 1;
      const id = `${stack}-${logicalId}-${this.#count}`;
      has.set(logicalId, { type, id, status: 'CREATE_COMPLETE' });
      const isProtected = isKept && [TABLE, CLUSTER].includes(type);
      const objects = type === BUCKET ? ['a&amp;b', 'c'] : [];
      if (!NOTHING.includes(type)) this.all.set(id, { type, after, isProtected, objects, isLocked: false });
    }
    return true;
  }

  /** Takes away what a stack does not keep; resolves to whether nothing stood in the way. */
  takeAway(has: Has, keeps: boolean): boolean {
    let whole = true;
    for (const [logicalId, , kept] of [...PARTS].reverse()) {
      const part = has.get(logicalId);
      if (part === undefined || part.status === 'DELETE_COMPLETE') continue;
      const stays = (keeps && kept === 'kept') || ALWAYS_KEPT.includes(logicalId);
      const full = (this.all.get(part.id)?.objects.length ?? 0) > 0;
      if (stays) part.status = 'DELETE_SKIPPED';
      else if (full) part.status = 'DELETE_FAILED';
      else part.status = 'DELETE_COMPLETE';
      if (part.status === 'DELETE_FAILED') whole = false;
      if (part.status === 'DELETE_COMPLETE') this.#remove(part.id);
    }
    return whole;
  }

  #remove(id: string): void {
    this.all.delete(id);
    this.deleted.push(id);
  }

  /** ARNs of what has the tag of the stage, as the tagging API lists it. */
  tagged(): string[] {
    return [...this.all]
      .filter(([, { type }]) => type !== 'AWS::IAM::Role')
      .map(([id]) => `arn:aws:x:::${id}`);
  }

  responses(): Record<string, (call: AwsCall) => AwsResponse> {
    const buckets = Object.fromEntries(
      [...this.all]
        .filter(([, { type }]) => type === BUCKET)
        .map(([id]) => [`s3 /${id}`, (call: AwsCall) => this.#askBucket(id, call)] as const),
    );
    const by = (answer: (id: string, call: AwsCall) => AwsResponse) => (call: AwsCall) => {
      const id = String(call.parameters?.Identifier);
      return this.all.has(id) ? answer(id, call) : jsonError('ResourceNotFoundException');
    };
    return {
      ...buckets,
      'cloudcontrolapi GetResource': by(() => json({ ResourceDescription: {} })),
      'cloudcontrolapi UpdateResource': by((id) => {
        (this.all.get(id) as FakeResource).isProtected = false;
        return json({ ProgressEvent: { RequestToken: 'done', OperationStatus: 'IN_PROGRESS' } });
      }),
      'cloudcontrolapi DeleteResource': by((id) => {
        const why = this.#obstacle(id);
        if (why === undefined) this.#remove(id);
        return json({ ProgressEvent: { RequestToken: why ?? 'done', OperationStatus: 'PENDING' } });
      }),
      'cloudcontrolapi GetResourceRequestStatus': ({ parameters }) => {
        const token = String(parameters?.RequestToken);
        const failed = {
          OperationStatus: 'FAILED',
          ErrorCode: 'GeneralServiceException',
          StatusMessage: token,
        };
        return json({ ProgressEvent: token === 'done' ? { OperationStatus: 'SUCCESS' } : failed });
      },
    };
  }

  #obstacle(id: string): string | undefined {
    const { after, isProtected, objects } = this.all.get(id) as FakeResource;
    const stack = id.slice(0, id.indexOf('-', 'gateway-'.length));
    const others = [...this.all].filter(
      ([one, { type }]) => one.startsWith(`${stack}-`) && after.includes(type),
    );
    if (isProtected) return 'it is protected';
    if (objects.length > 0) return 'it is not empty';
    return others.length > 0 ? 'others need it' : undefined;
  }

  #askBucket(id: string, { request }: AwsCall): AwsResponse {
    const bucket = this.all.get(id);
    if (bucket === undefined) return xmlError('NoSuchBucket', 404);
    if (request?.query?.delete === undefined)
      return xml(
        bucket.objects.map((key) => `<Version><Key>${key}</Key><VersionId>1</VersionId></Version>`).join(''),
      );
    if (bucket.isLocked) return xml('<DeleteResult><Error><Code>AccessDenied</Code></Error></DeleteResult>');
    bucket.objects = bucket.objects.filter((key) => !request.body?.includes(`<Key>${key}</Key>`));
    return xml('<DeleteResult/>');
  }
}
