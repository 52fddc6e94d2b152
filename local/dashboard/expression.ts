/** Longest expression that is read, in characters, and how deep it may nest. */
const MAX_CHARACTERS = 2_048;
const MAX_DEPTH = 50;
const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(>=|<=|==|!=|[-+*/()<>,]))/y;

/** A metric math expression, parsed. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'metric'; readonly id: string }
  /** The account's quota of what a metric counts. */
  | { readonly kind: 'quota'; readonly of: string }
  | { readonly kind: 'negative'; readonly of: Expression }
  | {
      readonly kind: 'operation';
      readonly operator: string;
      readonly operands: readonly [Expression, Expression];
    }
  | { readonly kind: 'fill'; readonly of: Expression; readonly otherwise: number }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    };

/** An expression is none, or uses what the local dashboard does not know. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const OPERATIONS: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '>': (one, other) => Number(one > other),
  '<': (one, other) => Number(one < other),
  '>=': (one, other) => Number(one >= other),
  '<=': (one, other) => Number(one <= other),
  '==': (one, other) => Number(one === other),
  '!=': (one, other) => Number(one !== other),
};
/** Operators that bind alike, the loosest first. */
const PRECEDENCE = [
  ['>', '<', '>=', '<=', '==', '!='],
  ['+', '-'],
  ['*', '/'],
];

/**
 * Parses metric math: numbers, ids, arithmetic, comparisons, `IF(condition, then, otherwise)`, `FILL(metric, number)`
 * and `SERVICE_QUOTA(metric)`.
 * @throws ExpressionError that says what is not understood
 */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_CHARACTERS) throw new ExpressionError(`longer than ${MAX_CHARACTERS} characters`);
  const parser = new Parser(tokensOf(text));
  const expression = parser.expression(0);
  parser.end();
  return expression;
}

/** The ids of metrics that an expression reads. */
export function idsOf(expression: Expression): string[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'metric':
      return [expression.id];
    case 'quota':
      return [expression.of];
    case 'negative':
    case 'fill':
      return idsOf(expression.of);
    case 'operation':
      return expression.operands.flatMap(idsOf);
    case 'if':
      return [expression.condition, expression.then, expression.otherwise].flatMap(idsOf);
  }
}

/**
 * The value of an expression at one time; undefined where a value that it needs is missing, or by division by zero.
 * @param read value of a metric by its id
 * @param quotaOf how much of what a metric counts the account may have, by its id
 */
export function evaluate(
  expression: Expression,
  read: (id: string) => number | undefined,
  quotaOf: (id: string) => number | undefined,
): number | undefined {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'metric':
      return read(expression.id);
    case 'quota':
      return quotaOf(expression.of);
    case 'negative': {
      const value = evaluate(expression.of, read, quotaOf);
      return value === undefined ? undefined : -value;
    }
    case 'fill':
      return evaluate(expression.of, read, quotaOf) ?? expression.otherwise;
    case 'operation': {
      const [one, other] = expression.operands.map((operand) => evaluate(operand, read, quotaOf));
      if (one === undefined || other === undefined) return undefined;
      const value = OPERATIONS[expression.operator]?.(one, other);
      return Number.isFinite(value) ? value : undefined;
    }
    case 'if': {
      const condition = evaluate(expression.condition, read, quotaOf);
      if (condition === undefined) return undefined;
      return evaluate(condition === 0 ? expression.otherwise : expression.then, read, quotaOf);
    }
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(trimmed);
    if (match === null) throw new ExpressionError(`cannot parse "${trimmed.slice(at).trim()}"`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  expression(level: number): Expression {
    const operators = PRECEDENCE[level];
    if (operators === undefined) return this.#operand();
    let left = this.expression(level + 1);
    for (let operator = this.#peek(); operators.includes(operator); operator = this.#peek()) {
      this.#at += 1;
      left = { kind: 'operation', operator, operands: [left, this.expression(level + 1)] };
    }
    return left;
  }

  end(): void {
    if (this.#peek() !== '') throw new ExpressionError(`unexpected "${this.#peek()}"`);
  }

  #operand(): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new ExpressionError(`deeper than ${MAX_DEPTH} levels`);
    const operand = this.#operandOf(this.#take());
    this.#depth -= 1;
    return operand;
  }

  #operandOf(token: string): Expression {
    if (token === '-') return { kind: 'negative', of: this.#operand() };
    if (token === '(') {
      const inner = this.expression(0);
      this.#expect(')');
      return inner;
    }
    if (/^[\d.]/.test(token)) return { kind: 'number', value: Number(token) };
    if (!/^\w/.test(token)) throw new ExpressionError(`unexpected "${token}"`);
    if (this.#peek() === '(') return this.#call(token);
    if (!/^[a-z]/.test(token)) throw new ExpressionError(`${token} is not a metric id`);
    return { kind: 'metric', id: token };
  }

  #call(name: string): Expression {
    if (name === 'FILL') return this.#fill();
    if (name === 'SERVICE_QUOTA') return this.#quota();
    if (name !== 'IF') throw new ExpressionError(`function ${name} is not supported by a local run`);
    this.#expect('(');
    const condition = this.expression(0);
    this.#expect(',');
    const then = this.expression(0);
    this.#expect(',');
    const otherwise = this.expression(0);
    this.#expect(')');
    return { kind: 'if', condition, then, otherwise };
  }

  #quota(): Expression {
    this.#expect('(');
    const of = this.expression(0);
    this.#expect(')');
    if (of.kind !== 'metric') throw new ExpressionError('SERVICE_QUOTA takes a metric');
    return { kind: 'quota', of: of.id };
  }

  #fill(): Expression {
    this.#expect('(');
    const of = this.expression(0);
    this.#expect(',');
    const otherwise = this.expression(0);
    this.#expect(')');
    if (otherwise.kind !== 'number') throw new ExpressionError('FILL takes a number');
    return { kind: 'fill', of, otherwise: otherwise.value };
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(): string {
    const token = this.#peek();
    if (token === '') throw new ExpressionError('the expression ends too early');
    this.#at += 1;
    return token;
  }

  #expect(token: string): void {
    if (this.#peek() !== token) throw new ExpressionError(`expected "${token}"`);
    this.#at += 1;
  }
}
