/** What two databases may differ in, and in nothing else. */
export interface SchemaDifference {
  readonly title: string;
  /** Definitions of both databases. `§` stands for the name of a schema of its own, which they are in. */
  readonly both?: string;
  readonly one?: string;
  readonly other: string;
  /** The first version of PostgreSQL that has it, as in `18`. */
  readonly since?: number;
}

/** A table that is in both databases. */
export const TABLE: string = "CREATE TABLE t (a int, b text, c int NOT NULL);";
/** A function for triggers. */
export const TRIGGER: string =
  "CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';";
