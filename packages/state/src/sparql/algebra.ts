import type { Query } from "./syntax.js";
import type { TermLike } from "../index.js";

/**
 * The used part of @traqula/algebra-sparql-1-2: the SPARQL algebra (SPARQL 1.1 §18) with RDF/JS
 * terms. Blank nodes in a query act as variables.
 */
export type Operation =
  | { readonly type: "bgp"; readonly patterns: readonly TriplePattern[] }
  | PathPattern
  | { readonly type: "join" | "union"; readonly input: readonly Operation[] }
  | LeftOperation
  | { readonly type: "filter"; readonly input: Operation; readonly expression: Expression }
  | ExtendOperation
  | ValuesOperation
  | { readonly type: "graph"; readonly input: Operation; readonly name: TermLike }
  | GroupOperation
  | { readonly type: "project"; readonly input: Operation; readonly variables: readonly TermLike[] }
  | {
      readonly type: "orderby";
      readonly input: Operation;
      readonly expressions: readonly Expression[];
    }
  | SliceOperation
  | { readonly type: "describe"; readonly input: Operation; readonly terms: readonly TermLike[] }
  | { readonly type: OneInput; readonly input: Operation }
  | { readonly type: "nop" };

/** Operations that need nothing beyond their input. */
type OneInput = "distinct" | "reduced" | "ask" | "construct" | "from" | "service";

/** A triple pattern. Its graph is determined by the enclosing operations. */
export interface TriplePattern {
  readonly subject: TermLike;
  readonly predicate: TermLike;
  readonly object: TermLike;
}

/** A property path pattern. */
export interface PathPattern {
  readonly type: "path";
  readonly subject: TermLike;
  readonly predicate: Path;
  readonly object: TermLike;
}

/** OPTIONAL or MINUS. */
export interface LeftOperation {
  readonly type: "leftjoin" | "minus";
  readonly input: readonly [Operation, Operation];
  readonly expression?: Expression;
}

/** BIND, or an expression in a projection. */
export interface ExtendOperation {
  readonly type: "extend";
  readonly input: Operation;
  readonly variable: TermLike;
  readonly expression: Expression;
}

/** VALUES; an UNDEF is undefined. */
export interface ValuesOperation {
  readonly type: "values";
  readonly bindings: readonly Readonly<Record<string, TermLike>>[];
}

/** GROUP BY, and the aggregates of each group. */
export interface GroupOperation {
  readonly type: "group";
  readonly input: Operation;
  readonly variables: readonly TermLike[];
  readonly aggregates: readonly Expression[];
}

/** LIMIT and OFFSET. */
export interface SliceOperation {
  readonly type: "slice";
  readonly input: Operation;
  readonly start: number;
  readonly length?: number;
}

/** A property path (SPARQL 1.1 §18.2.2.3). */
export type Path =
  | { readonly type: "link"; readonly iri: TermLike }
  | { readonly type: "inv"; readonly path: Path }
  | { readonly type: "seq" | "alt"; readonly input: readonly Path[] }
  | { readonly type: "nps"; readonly iris: readonly TermLike[] }
  | {
      readonly type: "ZeroOrMorePath" | "OneOrMorePath" | "ZeroOrOnePath";
      readonly path: Path;
    };

export type Expression =
  | { readonly subType: "term"; readonly term: TermLike }
  | {
      readonly subType: "operator";
      readonly operator: string;
      readonly args: readonly Expression[];
    }
  | { readonly subType: "named"; readonly args: readonly Expression[] }
  | { readonly subType: "existence"; readonly input: Operation }
  | {
      readonly subType: "aggregate";
      readonly aggregator: string;
      readonly distinct: boolean;
      readonly expression: Expression;
    }
  | { readonly subType: "wildcard" };

/** Converts a parsed query to algebra. */
export type ToAlgebra = (query: Query, options: { readonly quads: boolean }) => Operation;
