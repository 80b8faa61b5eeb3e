import type { Pausing } from "@steward/kernel/concurrency/pausing.js";
import { type CatalogTable, columnsOfMetric } from "../catalog-table.js";
import { relatedWords, wordsOf } from "./words.js";

/** An occurrence of a word in the texts about a table or about one of its columns. */
interface Posting {
  readonly table: number;
  /** Name of the column; undefined for the table as a whole. */
  readonly column: string | undefined;
  readonly weight: number;
}

/** Weight of a word by its place. A table's name says most about the table. */
const WEIGHTS = {
  name: 3,
  question: 2.5,
  description: 2,
  columnName: 1.5,
  columnDescription: 1,
  target: 0.6,
  value: 1,
} as const;
/** A synonym counts for less than the word itself. */
const SYNONYM_WEIGHT = 0.6;
/** Share of the score for how much of the table's name the question names. */
const NAME_COVERAGE = 0.5;

/**
 * Share of the score of a table that belongs to another one, such as `orders_history`, when the
 * question does not name what distinguishes it.
 */
const SATELLITE_SHARE = 0.6;

/** A table that matches words of a question. */
export interface WordMatch {
  readonly table: number;
  readonly score: number;
  /** Columns in which words were found, the best first. */
  readonly columns: readonly string[];
}

/** Decides which columns of a table count; undefined: the table does not count either. */
export type ColumnFilter = (column: string) => boolean;

/** Finds tables by the words of names, descriptions and values, as BM25 weighs them. */
export class WordIndex {
  readonly #postings = new Map<string, Posting[]>();
  /** By table, the words of its name. */
  readonly #names: (readonly string[])[] = [];
  /** By table, the words by which its name is longer than the name of another table. */
  readonly #satellites = new Map<number, readonly string[]>();
  /** In how many tables a word occurs. */
  readonly #tableCounts = new Map<string, Set<number>>();

  /** Builds the index of tables, whose numbers are their places in the list. */
  static *of(tables: readonly CatalogTable[]): Pausing<WordIndex> {
    const index = new WordIndex();
    for (const [number, table] of tables.entries()) {
      yield;
      index.#addTable(number, table);
    }
    index.#findSatellites();
    return index;
  }

  /**
   * Adds values that were read from a column's rows. They make no word more frequent: the scores of
   * callers who may not read the column would tell of them.
   */
  addValues(table: number, column: string, values: readonly string[]): void {
    for (const value of values) this.#add(value, { table, column, weight: WEIGHTS.value }, false);
  }

  /** Every table that matches one of the words, with its score over all its columns. */
  match(words: readonly string[]): readonly WordMatch[] {
    const found = new Map<number, Map<string, Posting[]>>();
    for (const word of words) {
      for (const posting of this.#postingsOf(word)) {
        const byWord = found.get(posting.table) ?? new Map<string, Posting[]>();
        found.set(posting.table, byWord);
        const same = byWord.get(word);
        if (same === undefined) byWord.set(word, [posting]);
        else same.push(posting);
      }
    }
    return [...found].map(([table, byWord]) => this.#scored(table, byWord));
  }

  /** The match of one table when only some of its columns count. */
  matchIn(table: number, words: readonly string[], counts: ColumnFilter): WordMatch {
    const byWord = new Map<string, Posting[]>();
    for (const word of words) {
      const postings = this.#postingsOf(word).filter(
        (posting) =>
          posting.table === table && (posting.column === undefined || counts(posting.column)),
      );
      if (postings.length > 0) byWord.set(word, postings);
    }
    return this.#scored(table, byWord);
  }

  /**
   * Factor of a table's score. It is below 1 for a table that belongs to another table, which
   * should come first.
   */
  shareOf(table: number, words: readonly string[]): number {
    const own = this.#satellites.get(table);
    const isNamed = own?.some(
      (word) => words.includes(word) || relatedWords(word).some((each) => words.includes(each)),
    );
    return isNamed === false ? SATELLITE_SHARE : 1;
  }

  /** The highest score that a table can have for these words. */
  scoreMax(words: readonly string[]): number {
    const rarities = words.map((word) => this.#rarityOf(word));
    return rarities.reduce((sum, rarity) => sum + rarity, 0) * WEIGHTS.name * (1 + NAME_COVERAGE);
  }

  #findSatellites(): void {
    const names = new Set(this.#names.map((words) => words.join(" ")));
    for (const [number, words] of this.#names.entries()) {
      for (let length = words.length - 1; length > 0; length -= 1) {
        if (!names.has(words.slice(0, length).join(" "))) continue;
        this.#satellites.set(number, words.slice(length));
        break;
      }
    }
  }

  #addTable(number: number, table: CatalogTable): void {
    const at = (weight: number, column?: string): Posting => ({ table: number, column, weight });
    this.#names[number] = [...new Set(wordsOf(table.name))];
    this.#add(table.name, at(WEIGHTS.name));
    this.#add(table.description ?? "", at(WEIGHTS.description));
    for (const question of table.questions) this.#add(question, at(WEIGHTS.question));
    for (const metric of table.metrics ?? []) {
      // The metric is hidden together with its first column.
      const [column] = columnsOfMetric(metric, table);
      this.#add(`${metric.name} ${metric.description ?? ""}`, at(WEIGHTS.question, column));
    }
    for (const { name, description = "", enumValues = [] } of table.columns) {
      this.#add(name, at(WEIGHTS.columnName, name));
      this.#add(description, at(WEIGHTS.columnDescription, name));
      this.addValues(number, name, enumValues);
    }
    for (const { target, columns } of table.foreignKeys) {
      // The key is hidden together with its first column.
      this.#add(target, at(WEIGHTS.target, columns[0]));
    }
  }

  #add(text: string, posting: Posting, isCounted = true): void {
    for (const word of new Set(wordsOf(text))) {
      const postings = this.#postings.get(word);
      if (postings === undefined) this.#postings.set(word, [posting]);
      else postings.push(posting);
      if (!isCounted) continue;
      const tables = this.#tableCounts.get(word) ?? new Set();
      this.#tableCounts.set(word, tables.add(posting.table));
    }
  }

  /** Postings of a word and, with less weight, of its synonyms. */
  #postingsOf(word: string): readonly Posting[] {
    const own = this.#postings.get(word) ?? [];
    const related = relatedWords(word).flatMap((other) =>
      (this.#postings.get(other) ?? []).map((posting) => {
        return { ...posting, weight: posting.weight * SYNONYM_WEIGHT };
      }),
    );
    return related.length === 0 ? own : [...own, ...related];
  }

  #scored(table: number, byWord: ReadonlyMap<string, readonly Posting[]>): WordMatch {
    const columns = new Map<string, number>();
    let score = 0;
    let nameScore = 0;
    for (const [word, postings] of byWord) {
      const rarity = this.#rarityOf(word);
      // The best place counts, so that a wide table does not win by repeating a word.
      score += rarity * Math.max(...postings.map(({ weight }) => weight));
      if (this.#isInName(table, word)) nameScore += 1;
      for (const { column, weight } of postings) {
        if (column === undefined) continue;
        columns.set(column, Math.max(columns.get(column) ?? 0, rarity * weight));
      }
    }
    const nameWords = this.#names[table]?.length ?? 0;
    const coverage = nameWords === 0 ? 0 : Math.min(nameScore / nameWords, 1);
    return {
      table,
      score: score * (1 + NAME_COVERAGE * coverage),
      columns: [...columns].sort(([, a], [, b]) => b - a).map(([name]) => name),
    };
  }

  #isInName(table: number, word: string): boolean {
    const names = this.#names[table] ?? [];
    return names.includes(word) || relatedWords(word).some((other) => names.includes(other));
  }

  /** Inverse document frequency, as in BM25. */
  #rarityOf(word: string): number {
    const tables = this.#names.length;
    const withWord = Math.max(
      ...[word, ...relatedWords(word)].map((each) => this.#tableCounts.get(each)?.size ?? 0),
    );
    return Math.log(1 + (tables - withWord + 0.5) / (withWord + 0.5));
  }
}
