import { AppError } from "@steward/kernel/errors.js";
import {
  type AggregateNode,
  type ExpressionNode,
  iriNode,
  operation,
  type OperationNode,
  type PatternNode,
} from "../syntax.js";
import type { HeldLiterals } from "./held-literals.js";
import { ownDatatype } from "./stored-form.js";

/** Rewrites the pattern of an EXISTS. */
export type RewritePattern = (pattern: PatternNode) => PatternNode;

/**
 * Operators on terms rather than values. Their results are the same for literals with a private
 * datatype.
 */
const OF_TERMS: ReadonlySet<string> = new Set([
  ...["bound", "sameterm", "str", "lang", "langdir", "haslang", "haslangdir"],
  ...["isiri", "isuri", "isblank", "isliteral", "istriple", "triple", "subject", "predicate"],
]);

/**
 * Rewrites expressions for literals that the engine stores with private datatypes. Where an
 * operator needs a value, the private literal is replaced by the original one. Where the term
 * itself is used, it is left unchanged.
 */
export class ExpressionRewriter {
  readonly #datatypes: readonly string[];
  readonly #literals: HeldLiterals;
  readonly #pattern: RewritePattern;

  /** @param datatypes the private datatypes in use. */
  constructor(datatypes: ReadonlySet<string>, literals: HeldLiterals, pattern: RewritePattern) {
    this.#datatypes = [...datatypes].sort();
    this.#literals = literals;
    this.#pattern = pattern;
  }

  /** Rewrites an expression whose result is used as a term: in a solution, a group or a count. */
  term(expression: ExpressionNode): ExpressionNode {
    if (expression.type === "term") return this.#literals.held(expression);
    switch (expression.subType) {
      case "operation":
        return this.#termOfOperation(expression);
      case "aggregate":
        return this.#termOfAggregate(expression);
      default:
        return this.value(expression);
    }
  }

  /** Rewrites an expression whose value is used: compared, computed with, or tested. */
  value(expression: ExpressionNode): ExpressionNode {
    if (expression.type === "term") {
      return expression.subType === "variable" ? this.#valueOf(expression) : expression;
    }
    switch (expression.subType) {
      case "operation":
        return this.#valueOfOperation(expression);
      case "functionCall":
        return { ...expression, args: expression.args.map((arg) => this.value(arg)) };
      case "patternOperation":
        return { ...expression, args: this.#pattern(expression.args) };
      case "aggregate":
        return this.valueOfAggregate(expression);
    }
  }

  /** Rewrites an aggregate whose value is used. */
  valueOfAggregate(aggregate: AggregateNode): AggregateNode {
    const [operand] = aggregate.expression;
    if (operand.type === "wildcard") return aggregate;
    switch (aggregate.aggregation.toLowerCase()) {
      case "count":
        return { ...aggregate, expression: [this.term(operand)] };
      case "group_concat":
        return { ...aggregate, expression: [this.#text(operand)] };
      default:
        return { ...aggregate, expression: [this.value(operand)] };
    }
  }

  #termOfOperation(node: OperationNode): ExpressionNode {
    const [condition, ...results] = node.args;
    if (node.operator === "if" && condition !== undefined) {
      const args = [this.value(condition), ...results.map((result) => this.term(result))];
      return { ...node, args };
    }
    if (node.operator === "coalesce" || node.operator === "object") {
      return { ...node, args: node.args.map((arg) => this.term(arg)) };
    }
    return this.value(node);
  }

  #termOfAggregate(aggregate: AggregateNode): ExpressionNode {
    const [operand] = aggregate.expression;
    switch (aggregate.aggregation.toLowerCase()) {
      case "min":
      case "max":
        throw noExtreme();
      case "sample":
        if (operand.type !== "wildcard") {
          return { ...aggregate, expression: [this.term(operand)] };
        }
        return aggregate;
      default:
        return this.valueOfAggregate(aggregate);
    }
  }

  #valueOfOperation(node: OperationNode): ExpressionNode {
    const { operator, args } = node;
    const [first] = args;
    if (operator === "datatype" && first !== undefined) return this.#datatypeOf(this.term(first));
    if (operator === "object") {
      return this.#valueOf({ ...node, args: args.map((arg) => this.term(arg)) });
    }
    const rewritten = OF_TERMS.has(operator)
      ? args.map((arg) => this.term(arg))
      : args.map((arg) => this.value(arg));
    return { ...node, args: rewritten };
  }

  /** The original literal of a private one; other terms unchanged. */
  #valueOf(term: ExpressionNode): ExpressionNode {
    if (this.#datatypes.length === 0) return term;
    const value = this.#byDatatype(term, term, (datatype) =>
      operation("strdt", operation("str", term), iriNode(ownDatatype(datatype))),
    );
    return operation("if", operation("isliteral", term), value, term);
  }

  #datatypeOf(term: ExpressionNode): ExpressionNode {
    const other = operation("datatype", term);
    return this.#byDatatype(term, other, (datatype) => iriNode(ownDatatype(datatype)));
  }

  #byDatatype(
    term: ExpressionNode,
    other: ExpressionNode,
    result: (datatype: string) => ExpressionNode,
  ): ExpressionNode {
    return this.#datatypes.reduce<ExpressionNode>((otherwise, datatype) => {
      const isHeld = operation("sameterm", operation("datatype", term), iriNode(datatype));
      return operation("if", isHeld, result(datatype), otherwise);
    }, other);
  }

  /** The text of a literal; other terms unchanged. */
  #text(expression: ExpressionNode): ExpressionNode {
    const term = this.term(expression);
    return operation("if", operation("isliteral", term), operation("str", term), term);
  }
}

/** Whether an expression is MIN or MAX. */
export function isExtreme(expression: ExpressionNode): expression is AggregateNode {
  if (expression.type !== "expression" || expression.subType !== "aggregate") return false;
  return ["min", "max"].includes(expression.aggregation.toLowerCase());
}

/** The error for a MIN or MAX whose original term cannot be determined. */
export function noExtreme(): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    "sparql: MIN and MAX return a literal exactly as it is stored only where they stand alone in the outermost " +
      "SELECT without DISTINCT, as in SELECT (MAX(?x) AS ?most): elsewhere use ORDER BY and LIMIT 1",
  );
}
