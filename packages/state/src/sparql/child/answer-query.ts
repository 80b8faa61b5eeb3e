import { Generator } from "@traqula/generator-sparql-1-2";
import { AppError } from "@steward/kernel/errors.js";
import { blank, type BlockCache, iri, Snapshot, type TermLike } from "../../index.js";
import type { JsonTerm, QueryAnswer } from "../../ports.js";
import type { Operation } from "../algebra.js";
import type { ProcessSettings, QueryRequest } from "../query-protocol.js";
import { ExtremesQuery, hasExtremes } from "../rewrite/extremes.js";
import { QueryRewriter } from "../rewrite/held-query.js";
import { loadQuery } from "../semijoin/load-query.js";
import { TooManyQuads } from "../semijoin/part.js";
import type { Query, SelectQuery } from "../syntax.js";
import { countedAnswer } from "./count-query.js";
import { evaluate, inWrittenTerms } from "./evaluate.js";
import { HeldDataset } from "./held-dataset.js";
import type { Oxigraph } from "./oxigraph.js";
import { type ParsedQuery, parseQuery } from "./parse-query.js";

const generator = new Generator();

/** Limits of loading and of results. */
export type AnswerLimits = Pick<ProcessSettings, "quadsMax" | "wholeQuadsMax" | "answerBytesMax">;

/**
 * Evaluates queries, one after the other. Quads loaded for one query are kept for the next query on
 * the same dataset.
 */
export class QueryAnswerer {
  readonly #oxigraph: Oxigraph;
  readonly #blocks: BlockCache;
  readonly #limits: AnswerLimits;
  #held: HeldDataset | undefined;

  constructor(oxigraph: Oxigraph, blocks: BlockCache, limits: AnswerLimits) {
    this.#oxigraph = oxigraph;
    this.#blocks = blocks;
    this.#limits = limits;
  }

  /** @throws AppError `INVALID_ARGUMENT`, `LIMIT_EXCEEDED`, and errors of reading blocks. */
  answer({ roots, sparql }: QueryRequest): QueryAnswer {
    const query = parseQuery(sparql, this.#oxigraph);
    const dataset = new Snapshot(this.#blocks, roots);
    const counted = countedAnswer(query.algebra, dataset);
    if (counted !== undefined) return counted;
    const held = this.#hold(query, dataset);
    const { syntax } = query;
    const rewriter = new QueryRewriter(syntax, held.datatypes);
    if (!rewriter.isNeeded) return this.#evaluate(held, sparql);
    const answer =
      syntax.subType === "select" && hasExtremes(syntax)
        ? this.#extremes(held, new ExtremesQuery(syntax, rewriter))
        : this.#evaluate(held, textOf(rewriter.query(syntax)));
    return inWrittenTerms(answer);
  }

  #evaluate(held: HeldDataset, sparql: string): QueryAnswer {
    return evaluate(held.store, sparql, this.#limits.answerBytesMax);
  }

  #extremes(held: HeldDataset, extremes: ExtremesQuery): QueryAnswer {
    const answer = this.#evaluate(held, textOf(extremes.query));
    if (answer.kind !== "solutions") return answer;
    const candidates = extremes.extremes.map((extreme) => {
      const found = this.#evaluate(held, textOf(extreme.candidates));
      return found.kind === "solutions" ? found.rows : [];
    });
    return {
      ...answer,
      variables: extremes.asked(answer.variables),
      rows: extremes.answer(answer.rows, candidates),
    };
  }

  /**
   * Loads the quads that the query needs, in addition to those of the same dataset, or in place of
   * another dataset.
   */
  #hold(query: ParsedQuery, dataset: Snapshot): HeldDataset {
    const known = this.#held;
    if (known?.root === dataset.roots.spog) {
      try {
        this.#load(query, dataset, known);
        return known;
      } catch (error) {
        if (!(error instanceof TooManyQuads)) throw error;
      }
    }
    this.#held = undefined;
    const { quadsMax } = this.#limits;
    const held = new HeldDataset(this.#oxigraph, dataset.roots.spog, quadsMax);
    try {
      this.#load(query, dataset, held);
    } catch (error) {
      throw error instanceof TooManyQuads ? tooManyQuads(quadsMax, dataset.size) : error;
    }
    this.#held = held;
    return held;
  }

  #load(query: ParsedQuery, dataset: Snapshot, held: HeldDataset): void {
    const { quadsMax, wholeQuadsMax } = this.#limits;
    if (dataset.size > Math.min(wholeQuadsMax, quadsMax)) {
      const { syntax, algebra } = query;
      loadQuery(algebra, { dataset, sink: held });
      held.flush();
      if (syntax.subType === "describe") this.#loadDescribed(query, dataset, held);
      return;
    }
    const all = "all";
    if (held.isComplete(all)) return;
    for (const quad of dataset.match()) held.take(quad);
    held.flush();
    held.complete(all);
  }

  /** Loads the descriptions of the resources that a DESCRIBE query names. */
  #loadDescribed(query: ParsedQuery, dataset: Snapshot, held: HeldDataset): void {
    const open = this.#described(query, held);
    const seen = new Set<string>();
    for (let term = open.pop(); term !== undefined; term = open.pop()) {
      const key = `${term.termType} ${term.value}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (const quad of dataset.match({ subject: term })) {
        held.take(quad);
        if (quad.object.termType === "BlankNode") open.push(quad.object);
      }
    }
    held.flush();
  }

  #described({ syntax, algebra }: ParsedQuery, held: HeldDataset): TermLike[] {
    if (syntax.subType !== "describe") return [];
    const named = describedIn(algebra).filter(({ termType }) => termType === "NamedNode");
    const variables = syntax.variables.flatMap((one) =>
      one.type === "term" && one.subType === "namedNode" ? [] : [one],
    );
    if (variables.length === 0) return [...named];
    const select: SelectQuery = { ...syntax, subType: "select", distinct: true, variables };
    const rewriter = new QueryRewriter(select, held.datatypes);
    const answer = this.#evaluate(held, textOf(rewriter.query(select)));
    const rows = answer.kind === "solutions" ? answer.rows : [];
    return [...named, ...rows.flatMap((row) => Object.values(row).flatMap(resourceOf))];
  }
}

/** The terms of a DESCRIBE clause, ignoring solution modifiers. */
function describedIn(algebra: Operation): readonly TermLike[] {
  if (algebra.type === "describe") return algebra.terms;
  return "input" in algebra && "type" in algebra.input ? describedIn(algebra.input) : [];
}

function resourceOf(term: JsonTerm): readonly TermLike[] {
  if (term.type === "uri") return [iri(term.value)];
  return term.type === "bnode" ? [blank(term.value)] : [];
}

function textOf(query: Query): string {
  // Our types cover the used part of the package's types.
  return generator.generate(query as never, {});
}

function tooManyQuads(quadsMax: number, size: number): AppError {
  return new AppError(
    "LIMIT_EXCEEDED",
    `The query's patterns match more than ${quadsMax} of the dataset's ${size} quads, and SPARQL examines no ` +
      "more: name a subject, a predicate or an object in each pattern, or query by patterns instead " +
      "(GET /api/state/at tells how many quads a pattern matches without reading them)",
  );
}
