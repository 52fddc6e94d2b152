import { describe, expect, it } from '@jest/globals';
import type { Exchange } from './counting-proxy.ts';
import { askForCapacity, OperationTally } from './operation-tally.ts';

const NAMES = new Map([
  ['stack-Keys', 'keys'],
  ['stack-Ledger', 'ledger'],
  ['stack-Answers', 'answers'],
]);

function exchange(operation: string, request: object, status = 200, response: object = {}): Exchange {
  return {
    operation,
    request: Buffer.from(JSON.stringify(request)),
    status,
    response: Buffer.from(JSON.stringify(response)),
  };
}

function consumed(TableName: string, CapacityUnits: number) {
  return { TableName, CapacityUnits };
}

describe('OperationTally', () => {
  it('adds up what DynamoDB says, by table and kind, from one take to the next', () => {
    const tally = new OperationTally(NAMES);
    tally.onDynamo(exchange('GetItem', {}, 200, { ConsumedCapacity: consumed('stack-Keys', 0.5) }));
    tally.onDynamo(exchange('UpdateItem', {}, 200, { ConsumedCapacity: consumed('stack-Keys', 2) }));
    tally.onDynamo(exchange('BatchGetItem', {}, 200, { ConsumedCapacity: [consumed('stack-Answers', 3)] }));
    tally.onDynamo(exchange('DescribeTable', {}));
    expect(tally.take()).toMatchObject({ reads: { keys: 0.5, answers: 3 }, writes: { keys: 2 } });
    expect(tally.take()).toMatchObject({ reads: {}, writes: {} });
  });

  it('reads calls for nodes in lines of metrics: those of clients, without the cached and the forbidden ones', () => {
    const tally = new OperationTally(NAMES);
    const write = (values: object) => tally.onLogLine('rpc', JSON.stringify({ _aws: {}, ...values }));
    write({ Requests: 1, Calls: 10, CacheHits: 2, RefusedCalls: 1, NodeCalls: 8 });
    write({ MethodClass: 'state', Calls: 3 });
    write({ IndexNodeCalls: 5 });
    tally.onLogLine('rpc', '{"level":"info","NodeCalls":9}');
    expect(tally.take().nodeCalls).toEqual({ clients: 7, gateway: 8, index: 5 });
    expect(tally.take().nodeCalls).toEqual({ clients: 0, gateway: 0, index: 0 });
  });

  it('counts a refused write as one unit, and each action of a refused transaction as two', () => {
    const tally = new OperationTally(NAMES);
    const action = { Update: { TableName: 'stack-Ledger' } };
    tally.onDynamo(exchange('UpdateItem', { TableName: 'stack-Keys' }, 400));
    tally.onDynamo(exchange('TransactWriteItems', { TransactItems: [action, action] }, 400));
    tally.onDynamo(exchange('GetItem', { TableName: 'stack-Keys' }, 400));
    expect(tally.take()).toMatchObject({ reads: {}, writes: { keys: 1, ledger: 4 } });
  });

  it('tells the heads on record from answers', () => {
    const tally = new OperationTally(NAMES);
    const RequestItems = { 'stack-Answers': [{ PutRequest: { Item: { key: { S: 'head#chain' } } } }] };
    const ConsumedCapacity = [consumed('stack-Answers', 1)];
    tally.onDynamo(exchange('BatchWriteItem', { RequestItems }, 200, { ConsumedCapacity }));
    expect(tally.take().writes).toEqual({ heads: 1 });
  });

  it('refuses an answer that does not say what was consumed', () => {
    const tally = new OperationTally(NAMES);
    expect(() => tally.onDynamo(exchange('GetItem', {}))).toThrow('did not say');
  });

  it('counts each 32 KB of the database as a request of its role', () => {
    const tally = new OperationTally(NAMES);
    const page = { records: 'x'.repeat(40_000) };
    tally.onDatabase(exchange('', { secretArn: 'arn:ChainDatabaseReaderSecret' }, 200, page));
    tally.onDatabase(exchange('', { secretArn: 'arn:ChainDatabaseWriterSecret' }));
    expect(tally.take().databaseCalls).toEqual({ reader: 2, writer: 1 });
  });

  it('counts messages, log lines with what CloudWatch adds, and runs', () => {
    let nowMs = 0;
    const tally = new OperationTally(NAMES, () => nowMs);
    const runFor = (durationMs: number) => {
      const ended = tally.onInvocation('rpc');
      nowMs += durationMs;
      ended();
    };
    tally.onSqs(exchange('SendMessage', {}));
    tally.onSqs(exchange('ReceiveMessage', {}));
    tally.onLogLine('rpc', 'é');
    runFor(5);
    runFor(7);
    expect(tally.take()).toMatchObject({
      sqsMessages: 1,
      logBytes: { rpc: 28 },
      invocations: { rpc: 2 },
      localMs: { rpc: 12 },
    });
  });
});

describe('lines of a log', () => {
  it('have as many bytes on a slow machine as on a quick one', () => {
    const tally = new OperationTally(NAMES);
    const bytesOf = (line: string) => {
      tally.onLogLine('rpc', line);
      return tally.take().logBytes.rpc;
    };
    const line = (ms: number) =>
      JSON.stringify({
        time: 1_700_000_000_000,
        latencyMs: String(ms),
        Latency: ms,
        chargeMs: ms,
        RunTime: ms,
      });
    expect(bytesOf(line(7))).toBe(bytesOf(line(12_345.6)));
    expect(bytesOf('{"NodeCalls":7}')).toBeLessThan(bytesOf('{"NodeCalls":77}') ?? 0);
  });

  it('are what a request is waited for by: its run has ended, and function and API have written', () => {
    const tally = new OperationTally(NAMES);
    const ended = tally.onInvocation('rpc');
    tally.onLogLine('rpc', '{}');
    ended();
    expect(tally.hasAnswered('rpc')).toBe(false);
    const again = tally.onInvocation('rpc');
    tally.onLogLine('access', '{}');
    expect(tally.hasAnswered('rpc')).toBe(false);
    again();
    expect([tally.hasAnswered('rpc'), tally.hasAnswered('data')]).toEqual([true, false]);
    tally.take();
    expect(tally.hasAnswered('rpc')).toBe(false);
  });
});

describe('a run that lasts from one take to the next', () => {
  it('has its time in both, and is counted where it ends', () => {
    let nowMs = 0;
    const tally = new OperationTally(NAMES, () => nowMs);
    const ended = tally.onInvocation('indexer');
    nowMs = 40;
    expect(tally.take()).toMatchObject({ invocations: {}, localMs: { indexer: 40 } });
    nowMs = 59;
    ended();
    nowMs = 99;
    expect(tally.take()).toMatchObject({ invocations: { indexer: 1 }, localMs: { indexer: 19 } });
    expect(tally.take()).toMatchObject({ localMs: {} });
  });
});

describe('askForCapacity', () => {
  it('asks where items are read or written, and nowhere else', () => {
    const body = Buffer.from('{"TableName":"t"}');
    expect(JSON.parse(askForCapacity('Query', body).toString())).toEqual({
      TableName: 't',
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(askForCapacity('CreateTable', body)).toBe(body);
  });
});
