import { testAtLength } from '../../support/at-length-tests.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';
import { variedStage } from '../varied-stages.ts';

const limiting = variedStage('moved');
const usual = new SynthesisedStage('example-production');
const without = variedStage('least');

testAtLength('an address that sends too much is refused, in front of the stage of the API', () => {
  const { Rules, DefaultAction, Scope } = limiting.properties('AWS::WAFv2::WebACL');
  expect({ DefaultAction, Scope }).toEqual({ DefaultAction: { Allow: {} }, Scope: 'REGIONAL' });
  expect((Rules as unknown[]).slice(0, 1)).toMatchObject([
    {
      Action: { Block: {} },
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 1_234 } },
    },
  ]);
  const { ResourceArn } = limiting.properties('AWS::WAFv2::WebACLAssociation');
  expect(JSON.stringify(ResourceArn)).toMatch(/:\/restapis\/.*\/stages\//);
});

/** A request as the firewall sees it. */
interface Sent {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Field {
  readonly UriPath?: object;
  readonly SingleHeader?: { readonly Name: string };
}

interface Statement {
  readonly AndStatement?: { readonly Statements: readonly Statement[] };
  readonly NotStatement?: { readonly Statement: Statement };
  readonly RegexMatchStatement?: { readonly FieldToMatch: Field; readonly RegexString: string };
}

/** What WAF makes of a statement, as its guide describes it. */
function isMet({ AndStatement, NotStatement, RegexMatchStatement }: Statement, sent: Sent): boolean {
  if (AndStatement !== undefined) return AndStatement.Statements.every((one) => isMet(one, sent));
  if (NotStatement !== undefined) return !isMet(NotStatement.Statement, sent);
  if (RegexMatchStatement === undefined) throw new Error('a statement of another kind');
  const { SingleHeader } = RegexMatchStatement.FieldToMatch;
  const field = SingleHeader === undefined ? sent.path : (sent.headers?.[SingleHeader.Name] ?? '');
  return new RegExp(RegexMatchStatement.RegexString).test(decodeURIComponent(field));
}

describe('what takes no key', () => {
  interface RateRule {
    readonly Action: object;
    readonly Statement: {
      readonly RateBasedStatement: { readonly Limit: number; readonly ScopeDownStatement: Statement };
    };
  }
  let rule: RateRule;
  let ofHeads: RateRule;
  beforeAll(() => {
    [, rule, ofHeads] = usual.properties('AWS::WAFv2::WebACL').Rules as [RateRule, RateRule, RateRule];
  });

  test('is served to one address once a second, as it is free', () => {
    expect(rule).toMatchObject({
      Action: { Block: {} },
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 300 } },
    });
  });

  test('is served ten times a second where it is the heads, two of which are read for each hour of a bill', () => {
    const { Limit, ScopeDownStatement } = ofHeads.Statement.RateBasedStatement;
    expect(Limit).toBe(3_000);
    expect(isMet(ScopeDownStatement, { path: '/production/v1/heads/7' })).toBe(true);
    expect(isMet(ScopeDownStatement, { path: '/v1/status' })).toBe(false);
  });

  test.each([
    ['/v1/openapi.json', true],
    ['/production/v1/openrpc.json/', true],
    ['/v1/contract.json', true],
    ['/v1/open%61pi.json', true],
    ['/v1/status', true],
    ['/v1/chains', true],
    ['/v1', true],
    ['/v1/', false],
    ['/v1/account', false],
    ['/v1/mcp', false],
    ['/v1/heads/7', false],
    ['/v1/data/example_mainnet/blocks', false],
  ])('is %s: %s', (path, isLimited) => {
    expect(isMet(rule.Statement.RateBasedStatement.ScopeDownStatement, { path })).toBe(isLimited);
  });
});

describe('a request without anything that has the form of a key', () => {
  const KEY = `rgw_${'0a'.repeat(32)}`;
  let rule: { readonly Action: object; readonly Statement: Statement };
  beforeAll(() => {
    const { Rules } = usual.properties('AWS::WAFv2::WebACL');
    rule = (Rules as (typeof rule)[])[3] as typeof rule;
  });

  test('has the answer of an unknown key, an empty 404', () => {
    expect(rule.Action).toEqual({ Block: { CustomResponse: { ResponseCode: 404 } } });
  });

  test.each<[Sent]>([
    [{ path: '/v1/' }],
    [{ path: '/production/v1/' }],
    [{ path: '/v1/example_mainnet' }],
    [{ path: '/v1/rgw_short', headers: { 'x-api-key': 'rgw_' } }],
    [{ path: '/v1/data/example_mainnet/tokens' }],
    [{ path: '/v1/account', headers: { authorization: 'Basic dXNlcjpwYXNz' } }],
    [{ path: '/v1/status/freshness' }],
    [{ path: '/v1/openapi-json' }],
    [{ path: '/v1/heads' }],
    [{ path: '/v1/headstart' }],
    [{ path: '/v1/x/v1/heads/7' }],
    [{ path: '/production/staging/v1/heads/7' }],
    [{ path: '/wp-admin/setup.php' }],
    [{ path: '/' }],
  ])('is refused: %j', (sent) => expect(isMet(rule.Statement, sent)).toBe(true));

  test.each<[Sent]>([
    [{ path: '/v1/', headers: { 'x-api-key': ` ${KEY} ` } }],
    [{ path: '/v1/', headers: { authorization: `Bearer ${KEY}` } }],
    [{ path: `/v1/${KEY}` }],
    [{ path: `/production/v1/example_mainnet/${KEY}` }],
    [{ path: `/v1/%72gw_${KEY.slice(4)}` }],
    [{ path: '/v1/data/example_mainnet/tokens', headers: { 'x-api-key': KEY } }],
    [{ path: '/v1' }],
    [{ path: '/v1/status' }],
    [{ path: '/production/v1/status/' }],
    [{ path: '/v1/chains' }],
    [{ path: '/v1/openapi.json' }],
    [{ path: '/production/v1/openrpc.json' }],
    [{ path: '/v1/heads/7' }],
    [{ path: '/v1/heads/latest' }],
    [{ path: `/production/v1/heads/leaves/${'0a'.repeat(32)}` }],
    [{ path: '/v1/heads/certificates/2026-11-20.1.json' }],
  ])('and passed on otherwise: %j', (sent) => expect(isMet(rule.Statement, sent)).toBe(false));
});

testAtLength('a stage can do without', () => expect(without.text).not.toContain('AWS::WAFv2'));
