import type { KnownSource } from "../snapshots.js";
import { similarities } from "./table-vectors.js";
import type { VisibleColumns } from "../visible-parts.js";
import type { WordMatch } from "./word-index.js";

/** A search for tables. */
export interface TableQuestion {
  readonly words: readonly string[];
  /** Absent when the provider cannot be asked now. */
  readonly vector?: Float32Array;
  /** For each data source, how well earlier statements about a table match, by its number. */
  readonly earlier: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** A table that a search found. */
export interface RankedTable {
  readonly source: KnownSource;
  /** Number of the table in its snapshot. */
  readonly number: number;
  readonly score: number;
  /** Columns that match, the best first. */
  readonly columns: readonly string[];
  readonly visible: NonNullable<VisibleColumns>;
}

/** Similarity of the vectors counts about as much as a match of a rare word. */
const VECTOR_WEIGHT = 0.5;
/** Earlier statements only decide between tables that match about equally well. */
const EARLIER_WEIGHT = 0.2;

interface Candidate {
  readonly source: KnownSource;
  readonly number: number;
  readonly words: number;
  readonly similarity: number;
  readonly earlier: number;
  /** Factor of the score, at most 1. */
  readonly share: number;
  readonly columns: readonly string[];
}

/** Which columns of a table the caller may read. */
export type VisibleOf = (source: KnownSource, number: number) => Promise<VisibleColumns>;

/**
 * The tables that match a question best. Columns that the caller may not read do not count: a table
 * is first ranked by all its columns, which gives an upper bound of its score, and scored again by
 * the visible ones. The walk ends when no other table's bound exceeds the scores found.
 */
export async function bestTables(
  sources: readonly KnownSource[],
  question: TableQuestion,
  limit: number,
  visibleOf: VisibleOf,
): Promise<readonly RankedTable[]> {
  const candidates = sources.flatMap((source) => candidatesIn(source, question));
  candidates.sort((a, b) => scoreOf(b) - scoreOf(a) || compareNames(a, b));
  const best: RankedTable[] = [];
  for (const candidate of candidates) {
    const worst = best[limit - 1];
    if (worst !== undefined && worst.score >= scoreOf(candidate)) break;
    const visible = await visibleOf(candidate.source, candidate.number);
    if (visible === undefined) continue;
    const ranked = rankedBy(candidate, question, visible);
    if (ranked === undefined) continue;
    best.push(ranked);
    // The sort is stable, so that equal scores keep the order of the candidates.
    best.sort((a, b) => b.score - a.score);
    best.length = Math.min(best.length, limit);
  }
  return best;
}

function candidatesIn(source: KnownSource, question: TableQuestion): readonly Candidate[] {
  const { snapshot, vectors, dataSource } = source;
  const matches = new Map(snapshot.words.match(question.words).map((each) => [each.table, each]));
  const bound = snapshot.words.scoreMax(question.words);
  const similar =
    question.vector === undefined ? [] : similarities(snapshot.tables, vectors, question.vector);
  const earlier = question.earlier.get(dataSource);
  return snapshot.tables.flatMap((_table, number): readonly Candidate[] => {
    const match = matches.get(number);
    const candidate = {
      ...{ source, number },
      words: share(match, bound),
      similarity: Math.max(similar[number] ?? 0, 0),
      earlier: earlier?.get(number) ?? 0,
      share: snapshot.words.shareOf(number, question.words),
      columns: match?.columns ?? [],
    };
    return scoreOf(candidate) > 0 ? [candidate] : [];
  });
}

/** The candidate as a caller sees it who may read these columns; undefined when nothing of it matches. */
function rankedBy(
  candidate: Candidate,
  { words }: TableQuestion,
  visible: NonNullable<VisibleColumns>,
): RankedTable | undefined {
  const { source, number } = candidate;
  const { snapshot } = source;
  const isWhole = visible.size === snapshot.tables[number]?.columns.length;
  if (isWhole) {
    return { source, number, score: scoreOf(candidate), columns: candidate.columns, visible };
  }
  const match = snapshot.words.matchIn(number, words, (column) => visible.has(column));
  // The table's vector was made of all columns, the hidden ones too.
  const seen = {
    ...candidate,
    words: share(match, snapshot.words.scoreMax(words)),
    similarity: 0,
  };
  const score = scoreOf(seen);
  return score > 0 ? { source, number, score, columns: match.columns, visible } : undefined;
}

function share(match: WordMatch | undefined, bound: number): number {
  return match === undefined || bound === 0 ? 0 : match.score / bound;
}

function scoreOf({
  words,
  similarity,
  earlier,
  share: counted,
}: Pick<Candidate, "words" | "similarity" | "earlier" | "share">): number {
  return counted * (words + VECTOR_WEIGHT * similarity + EARLIER_WEIGHT * earlier);
}

function compareNames(a: Candidate, b: Candidate): number {
  const name = ({ source, number }: Candidate): string =>
    `${source.dataSource} ${source.snapshot.tables[number]?.name ?? ""}`;
  return name(a) < name(b) ? -1 : 1;
}
