/** Classes of errors in statements, by which the score is reported. */
export type Mistake =
  | "unknown column"
  | "unknown table"
  | "ambiguous column"
  | "wrong join"
  | "GROUP BY"
  | "types"
  | "syntax"
  | "constraint"
  | "permission"
  | "policy"
  | "time-out"
  | "too many rows"
  | "unheld literal"
  | "join off the key"
  | "bare column"
  | "text and number";

/** A statement as an agent might write it, with one mistake, and the correct statement. */
export interface WrongStatement {
  readonly mistake: Mistake;
  readonly wrong: string;
  readonly right: string;
}
