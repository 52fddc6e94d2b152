import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource, unsupported } from '../template/template.ts';
import type { AlarmState, Judgement } from './judge-alarm.ts';

/** Longest rule that CloudWatch takes, in characters, and how deep one may nest here. */
const MAX_CHARACTERS = 10_240;
const MAX_DEPTH = 50;
const TOKEN = /\s*(ALARM|OK|INSUFFICIENT_DATA|TRUE|FALSE|AND|OR|NOT|[()]|"[^"]+")/y;
const STATES = ['ALARM', 'OK', 'INSUFFICIENT_DATA'] as const;

/** A condition on the states of other alarms. */
type AlarmRule =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'state'; readonly state: (typeof STATES)[number]; readonly arn: string }
  | { readonly kind: 'not'; readonly of: AlarmRule }
  | { readonly kind: 'and' | 'or'; readonly rules: readonly [AlarmRule, AlarmRule] };

/** Keeps the actions of a composite alarm back while another alarm is on. Times are in seconds. */
interface Suppressor {
  readonly arn: string;
  /** For which a composite alarm that goes on waits for the other one to go on. */
  readonly waitSeconds: number;
  /** For which it goes on to wait once the other one has ended. */
  readonly extensionSeconds: number;
}

/** A composite alarm of the template. */
export interface CompositeDefinition {
  readonly logicalId: string;
  readonly arn: string;
  readonly description: string;
  /** Whether it has an action, and does not only explain others. */
  readonly tells: boolean;
  readonly rule: AlarmRule;
  readonly suppressor: Suppressor | undefined;
}

/**
 * The composite alarms of a template.
 * @throws UnsupportedTemplateError for a rule that is not understood
 */
export function readCompositeAlarms(template: Template, resolve: Resolver): CompositeDefinition[] {
  return resourcesOfType(template, 'AWS::CloudWatch::CompositeAlarm').map((resource) => {
    const { AlarmActions, AlarmDescription, AlarmRule, ...rest } = resource.properties;
    const { ActionsSuppressor, ActionsSuppressorWaitPeriod, ActionsSuppressorExtensionPeriod } = rest;
    return {
      logicalId: resource.logicalId,
      arn: String(resolve({ 'Fn::GetAtt': [resource.logicalId, 'Arn'] })),
      description: String(resolve(AlarmDescription ?? '')),
      tells: Array.isArray(AlarmActions),
      rule: parseRule(resource, String(resolve(AlarmRule))),
      suppressor:
        ActionsSuppressor === undefined
          ? undefined
          : {
              arn: String(resolve(ActionsSuppressor)),
              waitSeconds: Number(ActionsSuppressorWaitPeriod),
              extensionSeconds: Number(ActionsSuppressorExtensionPeriod),
            },
    };
  });
}

/** The ARNs of the alarms that a rule names. */
function alarmsOf(rule: AlarmRule): string[] {
  if (rule.kind === 'constant') return [];
  if (rule.kind === 'state') return [rule.arn];
  return rule.kind === 'not' ? alarmsOf(rule.of) : rule.rules.flatMap(alarmsOf);
}

/** Judges a composite alarm by the states of those that it names, by their ARNs; one that no run can know is off. */
export function judgeComposite(
  { rule }: CompositeDefinition,
  states: ReadonlyMap<string, AlarmState>,
): Judgement {
  const named = [...new Set(alarmsOf(rule))];
  const known = named.filter((arn) => states.get(arn) !== 'NOT_AVAILABLE');
  if (known.length === 0 && named.length > 0)
    return { state: 'NOT_AVAILABLE', reason: 'none of its alarms is available locally' };
  const on = named.filter((arn) => states.get(arn) === 'ALARM');
  const reason =
    on.length === 0 ? 'none of its alarms is on' : `on: ${on.map((arn) => arn.split(':').at(-1)).join(', ')}`;
  return { state: holds(rule, states) ? 'ALARM' : 'OK', reason };
}

function holds(rule: AlarmRule, states: ReadonlyMap<string, AlarmState>): boolean {
  switch (rule.kind) {
    case 'constant':
      return rule.value;
    case 'state':
      return states.get(rule.arn) === rule.state;
    case 'not':
      return !holds(rule.of, states);
    case 'and':
      return rule.rules.every((one) => holds(one, states));
    case 'or':
      return rule.rules.some((one) => holds(one, states));
  }
}

/** Parses a rule, in which NOT binds before AND, and AND before OR. */
function parseRule(resource: TemplateResource, text: string): AlarmRule {
  if (text.length > MAX_CHARACTERS) throw unsupported(resource, `a rule of ${text.length} characters`);
  const tokens = tokensOf(resource, text);
  let at = 0;
  let depth = 0;

  function take(expected?: string): string {
    const token = tokens[at] ?? '';
    if (token === '' || (expected !== undefined && token !== expected))
      throw unsupported(resource, `AlarmRule ${text}`);
    at += 1;
    return token;
  }

  function operation(kind: 'and' | 'or', operand: () => AlarmRule): AlarmRule {
    let left = operand();
    while (tokens[at] === kind.toUpperCase()) {
      at += 1;
      left = { kind, rules: [left, operand()] };
    }
    return left;
  }

  const either = (): AlarmRule => operation('or', () => operation('and', single));

  function single(): AlarmRule {
    depth += 1;
    if (depth > MAX_DEPTH) throw unsupported(resource, `AlarmRule deeper than ${MAX_DEPTH} levels`);
    const rule = ruleOf(take());
    depth -= 1;
    return rule;
  }

  function ruleOf(token: string): AlarmRule {
    if (token === 'NOT') return { kind: 'not', of: single() };
    if (token === 'TRUE' || token === 'FALSE') return { kind: 'constant', value: token === 'TRUE' };
    if (token === '(') {
      const inner = either();
      take(')');
      return inner;
    }
    const state = STATES.find((one) => one === token);
    if (state === undefined) throw unsupported(resource, `AlarmRule ${text}`);
    take('(');
    const name = take();
    take(')');
    return { kind: 'state', state, arn: name.slice(1, -1) };
  }

  const rule = either();
  if (at < tokens.length) throw unsupported(resource, `AlarmRule ${text}`);
  return rule;
}

function tokensOf(resource: TemplateResource, text: string): string[] {
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const [, token] = TOKEN.exec(trimmed) ?? [];
    if (token === undefined) throw unsupported(resource, `AlarmRule ${text}`);
    tokens.push(token);
  }
  return tokens;
}
