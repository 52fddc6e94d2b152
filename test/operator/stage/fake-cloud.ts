import type { AskAws } from '../../../bin/operator/context/ask-aws.ts';
import { isFirstDeployment } from '../../../bin/operator/context/stack.ts';
import type { Outside } from '../../../bin/operator/stage/outside.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { MemoryStore } from '../../simulation/stores/memory-store.ts';
import { BARE_CONTEXT } from '../bare-context.ts';
import { memoryTables, STAGE_TABLES } from '../restore/memory-tables.ts';
import { fakeAws, fakeOutside, json, jsonError, READY, xml, xmlError } from './fake-account.ts';
import { FakeResources } from './fake-resources.ts';

type AwsResponse = Awaited<ReturnType<AskAws>>;
type AwsCall = Parameters<AskAws>[0];

export const API_KEY = /rgw_[0-9a-f]{64}/;

interface FakeStack {
  readonly id: string;
  status: string;
  outputs: Readonly<Record<string, string>>;
  protects: boolean;
  /** Logical ids, each with the type and the id of its resource, and its state. */
  readonly has: Map<string, { type: string; id: string; status: string }>;
  /** Looks until what is under way is done. */
  looks: number;
  end: () => void;
}

/** An account of AWS with what CloudFormation, Cloud Control and S3 do in it, and a CDK that deploys a few resources. */
export class FakeCloud {
  readonly resources = new FakeResources();
  readonly stacks: FakeStack[] = [];
  readonly store = new MemoryStore();
  readonly ran: string[] = [];
  readonly shown: string[] = [];
  readonly told: string[] = [];
  conformed = 0;
  bootstrapped = false;
  isTerminal = true;
  answers: string[] = ['yes'];
  asked: string[] = [];
  /** Resources after which a deployment fails. */
  failsAfter = Number.POSITIVE_INFINITY;
  /** Role that API Gateway writes logs as. */
  logRole = '';
  /** Another API of the account, which uses that role. */
  otherApis = 0;
  readonly #stage: object;

  constructor(stage: object = {}) {
    this.#stage = stage;
  }

  get outside(): Outside {
    const world = fakeOutside({ stage: this.#stage });
    return {
      ...world,
      ask: fakeAws({ ...READY, ...this.responses() }),
      askNode: async (url, headers, body) =>
        url.startsWith('https://api.test/')
          ? { status: headers['x-api-key'] === undefined ? 401 : 200, body: '{"result":"0x10"}' }
          : world.askNode(url, headers, body),
      pause: async () => undefined,
      tell: (text) => void this.told.push(text),
      show: (secret) => {
        if (this.isTerminal) this.shown.push(secret);
        return this.isTerminal;
      },
      inquire: async (question) => {
        this.asked.push(question);
        return this.answers.shift();
      },
      run: async (program, words) => this.run([program, ...words]),
      openGateway: async () => ({
        ...BARE_CONTEXT,
        clock: systemClock,
        store: this.store,
        openTables: async () => ({
          reader: memoryTables(this.store, new MemoryStore()),
          names: STAGE_TABLES,
        }),
      }),
      openBooks: async () => {
        const { store, openTables } = await this.outside.openGateway('', '');
        return { store, openTables };
      },
      conform: async () => {
        this.conformed += 1;
        return 0;
      },
    };
  }

  /** The stack of a name that is there. */
  standing(name: string): FakeStack | undefined {
    return this.stacks.find((one) => one.id.includes(`/${name}/`) && one.status !== 'DELETE_COMPLETE');
  }

  /** Begins what the CDK does; it is done when somebody has looked at it twice. */
  run(words: readonly string[]): number {
    this.ran.push(words.join(' '));
    if (words[2] === 'bootstrap') this.bootstrapped = true;
    if (words[2] !== 'deploy') return 0;
    this.deploy('gateway-own', !words.includes('--no-rollback'));
    const stack = this.standing('gateway-own');
    while (stack?.status.endsWith('_IN_PROGRESS')) this.look(stack);
    return stack?.status.endsWith('_COMPLETE') ? 0 : 1;
  }

  deploy(name: string, rollsBack = false): void {
    const before = this.standing(name);
    if (before?.status.endsWith('_IN_PROGRESS')) throw new Error('the stack is being changed');
    const isFirst = isFirstDeployment(before);
    const stack = before ?? this.#newStack(name);
    const verb = before === undefined ? 'CREATE' : 'UPDATE';
    stack.status = `${verb}_IN_PROGRESS`;
    stack.looks = 2;
    stack.end = () => {
      const made = this.resources.make(stack.has, name, this.failsAfter, this.#isKept);
      if (made) stack.outputs = outputsOf(stack.has);
      if (made) stack.protects = this.#isKept;
      this.logRole = stack.has.get('LogRole')?.id ?? this.logRole;
      if (made) stack.status = `${verb}_COMPLETE`;
      else if (isFirst && rollsBack) this.#takeAway(stack, 'ROLLBACK');
      else stack.status = `${verb}_FAILED`;
    };
  }

  get #isKept(): boolean {
    return !('removal' in this.#stage) || this.#stage.removal !== 'destroy';
  }

  #newStack(name: string): FakeStack {
    const id = `arn:aws:cloudformation:us-east-1:444455556666:stack/${name}/${this.stacks.length}`;
    const stack = {
      id,
      status: '',
      outputs: {},
      protects: false,
      has: new Map(),
      looks: 0,
      end: () => undefined,
    };
    this.stacks.push(stack);
    return stack;
  }

  look(stack: FakeStack): void {
    if (!stack.status.endsWith('_IN_PROGRESS')) return;
    stack.looks -= 1;
    if (stack.looks <= 0) stack.end();
  }

  /** Deletes a stack, as somebody does in the console. */
  end(name: string): void {
    const stack = this.standing(name);
    if (stack !== undefined) this.#takeAway(stack, 'DELETE');
    if (stack !== undefined) stack.status = 'DELETE_COMPLETE';
  }

  #takeAway(stack: FakeStack, verb: 'DELETE' | 'ROLLBACK'): void {
    const whole = this.resources.takeAway(stack.has, this.#isKept);
    stack.status = whole ? `${verb}_COMPLETE` : `${verb}_FAILED`;
  }

  private stackOf({ parameters = {} }: AwsCall): FakeStack | undefined {
    const name = String(parameters.StackName);
    return name.startsWith('arn:') ? this.stacks.find(({ id }) => id === name) : this.standing(name);
  }

  private responses() {
    const absent = xmlError('ValidationError', 400, 'Stack with id x does not exist');
    const ofStack = (answer: (stack: FakeStack) => AwsResponse) => (call: AwsCall) => {
      const stack = this.stackOf(call);
      return stack === undefined ? absent : answer(stack);
    };
    return {
      ...this.resources.responses(),
      'ssm GetParameter': () =>
        this.bootstrapped ? json({ Parameter: { Value: '28' } }) : jsonError('ParameterNotFound'),
      'tagging GetResources': () =>
        json({ ResourceTagMappingList: this.resources.tagged().map((ResourceARN) => ({ ResourceARN })) }),
      'cloudformation DescribeStacks': ofStack((stack) => {
        this.look(stack);
        const outputs = Object.entries(stack.outputs).map(
          ([name, value]) =>
            `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
        );
        return xml(
          `<Stacks><member><StackId>${stack.id}</StackId><StackStatus>${stack.status}</StackStatus><EnableTerminationProtection>${stack.protects}</EnableTerminationProtection><Outputs>${outputs.join('')}</Outputs></member></Stacks>`,
        );
      }),
      'cloudformation ListStackResources': ofStack(({ has }) => xml(resourcesText(has))),
      'cloudformation ListStacks': () =>
        xml(
          this.stacks
            .filter(({ status }) => status === 'DELETE_COMPLETE')
            .map(
              ({ id }) =>
                `<member><StackId>${id}</StackId><StackName>${id.split('/')[1]}</StackName></member>`,
            )
            .join(''),
        ),
      'cloudformation DescribeStackResources': ({ parameters }: AwsCall) => {
        const id = parameters?.PhysicalResourceId;
        const owners = this.stacks.flatMap((stack) =>
          [...stack.has.values()]
            .filter((one) => one.id === id)
            .map(
              ({ status }) =>
                `<member><StackId>${stack.id}</StackId><ResourceStatus>${status}</ResourceStatus></member>`,
            ),
        );
        return owners.length === 0 ? xmlError('ValidationError') : xml(owners.join(''));
      },
      'cloudformation UpdateTerminationProtection': ofStack((stack) => {
        stack.protects = false;
        return xml('<ok/>');
      }),
      'cloudformation DeleteStack': ofStack((stack) => {
        if (stack.protects) return xmlError('ValidationError', 400, 'is protected');
        stack.status = 'DELETE_IN_PROGRESS';
        stack.looks = 2;
        stack.end = () => this.#takeAway(stack, 'DELETE');
        return xml('<ok/>');
      }),
      'apigateway /account': (call: AwsCall) => {
        if (call.request?.method === 'PATCH') this.logRole = '';
        const arn = `arn:aws:iam::444455556666:role/${this.logRole}`;
        return json(this.logRole === '' ? {} : { cloudwatchRoleArn: arn });
      },
      'apigateway /restapis': () => json({ item: Array.from({ length: this.otherApis }, () => ({})) }),
    };
  }
}

function outputsOf(has: FakeStack['has']): Record<string, string> {
  const idOf = (name: string) => has.get(name)?.id ?? '';
  return {
    BaseUrl: 'https://api.test',
    LedgerTableName: idOf('TablesLedger'),
    EvidenceBucketName: idOf('EvidenceLeaves'),
    HeadsBucketName: idOf('HeadsPublished'),
    HeadKeyArn: `arn:aws:kms:us-east-1:444455556666:key/${idOf('HeadsKey')}`,
  };
}

function resourcesText(has: FakeStack['has']): string {
  return [...has]
    .map(
      ([logicalId, { type, id, status }]) =>
        `<member><LogicalResourceId>${logicalId}</LogicalResourceId><PhysicalResourceId>${id}</PhysicalResourceId><ResourceType>${type}</ResourceType><ResourceStatus>${status}</ResourceStatus></member>`,
    )
    .join('');
}
