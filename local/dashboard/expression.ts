/** Longest expression that is read, in characters, and how deep it may nest. */
const MAX_CHARACTERS = 2_048;
const MAX_DEPTH = 50;
const TOKEN =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(>=|<=|==|!=|[-+*/()<>,]))/y;

/** Tells a figure of a metric by its id; undefined: unknown. */
type Read = (id: string) => number | undefined;
/** @param quotaOf how much of what a metric counts the account may have */
type Compute = (read: Read, quotaOf: Read) => number | undefined;

/** A metric math expression, parsed. */
export interface Expression {
  /** The metrics that it reads. */
  readonly ids: readonly string[];
  /** Its value at one time; undefined where a value that it needs is missing, or by division by zero. */
  readonly compute: Compute;
}

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
  const compute = parser.expression(0);
  parser.end();
  return { ids: parser.ids, compute };
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
  readonly ids: string[] = [];
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  expression(level: number): Compute {
    const operators = PRECEDENCE[level];
    if (operators === undefined) return this.#operand();
    let left = this.expression(level + 1);
    for (let operator = this.#peek(); operators.includes(operator); operator = this.#peek()) {
      this.#at += 1;
      left = operation(operator, left, this.expression(level + 1));
    }
    return left;
  }

  end(): void {
    if (this.#peek() !== '') throw new ExpressionError(`unexpected "${this.#peek()}"`);
  }

  #operand(): Compute {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new ExpressionError(`deeper than ${MAX_DEPTH} levels`);
    const operand = this.#operandOf(this.#take());
    this.#depth -= 1;
    return operand;
  }

  #operandOf(token: string): Compute {
    if (token === '-') return operation('-', () => 0, this.#operand());
    if (token === '(') {
      const inner = this.expression(0);
      this.#expect(')');
      return inner;
    }
    if (/^[\d.]/.test(token)) return () => Number(token);
    if (!/^\w/.test(token)) throw new ExpressionError(`unexpected "${token}"`);
    if (this.#peek() === '(') return this.#call(token);
    if (!/^[a-z]/.test(token)) throw new ExpressionError(`${token} is not a metric id`);
    this.ids.push(token);
    return (read) => read(token);
  }

  #call(name: string): Compute {
    if (!['FILL', 'IF', 'SERVICE_QUOTA'].includes(name))
      throw new ExpressionError(`function ${name} is not supported by a local run`);
    this.#expect('(');
    const compute = name === 'SERVICE_QUOTA' ? this.#quota() : this.#choice(name);
    this.#expect(')');
    return compute;
  }

  #quota(): Compute {
    const id = this.#take();
    if (!/^[a-z]/.test(id)) throw new ExpressionError('SERVICE_QUOTA takes a metric');
    this.ids.push(id);
    return (_, quotaOf) => quotaOf(id);
  }

  #choice(name: string): Compute {
    const first = this.expression(0);
    this.#expect(',');
    if (name === 'FILL') {
      const number = this.#take();
      if (!/^[\d.]/.test(number)) throw new ExpressionError('FILL takes a number');
      return (...figures) => first(...figures) ?? Number(number);
    }
    const then = this.expression(0);
    this.#expect(',');
    const otherwise = this.expression(0);
    return (...figures) => {
      const condition = first(...figures);
      return condition === undefined ? undefined : (condition === 0 ? otherwise : then)(...figures);
    };
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

function operation(operator: string, left: Compute, right: Compute): Compute {
  return (...figures) => {
    const [one, other] = [left(...figures), right(...figures)];
    if (one === undefined || other === undefined) return undefined;
    const value = OPERATIONS[operator]?.(one, other);
    return Number.isFinite(value) ? value : undefined;
  };
}
