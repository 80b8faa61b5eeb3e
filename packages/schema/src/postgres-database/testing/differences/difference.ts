/** The only difference between two databases. */
export interface SchemaDifference {
  readonly title: string;
  /** Definitions in both databases. `§` is replaced by the name of the difference's schema. */
  readonly both?: string;
  readonly one?: string;
  readonly other: string;
  /** The first version of PostgreSQL with this feature, as in `18`. */
  readonly since?: number;
}

/** A table in both databases. */
export const TABLE: string = "CREATE TABLE t (a int, b text, c int NOT NULL);";
/** A trigger function. */
export const TRIGGER: string =
  "CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';";
