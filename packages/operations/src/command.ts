/**
 * A command that makes one call and prints its answer. It is data only: the command line has a copy without the
 * schemas, so that a command starts without loading them.
 */
export interface Command<Member extends string = string, Shown extends string = string> {
  /** `budget set`. */
  readonly command: `${string} ${string}`;
  /** Its line in the help. */
  readonly summary: string;
  /** The role in which it acts unless `--role` says another; absent: it has no such option. */
  readonly role?: string;
  readonly arguments?: readonly CommandArgument<Member>[];
  readonly options?: readonly CommandOption<Member>[];
  /** The member of the answer that is the list to show; absent: the answer is. */
  readonly rows?: Shown;
  /** The table of a list. */
  readonly columns?: readonly CommandColumn<Shown>[];
  /** Said in place of an empty table, on standard error. */
  readonly empty?: string;
  /** The line that is printed, with members of the answer in braces: `{budget_id}`. */
  readonly print?: string;
}

/** A positional argument of a command; it sets a member of the operation's input. */
export interface CommandArgument<Member extends string = string> {
  readonly member: Member;
  /** As the help shows it; default: the member's own name. */
  readonly name?: string;
  readonly description: string;
  readonly optional?: true;
}

/** An option whose text is a member of the input. */
export interface CommandOption<Member extends string = string> {
  readonly member: Member;
  /** `--scope <scope>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Sent as a number; another text is refused. */
  readonly isNumber?: true;
  /** The role that the option implies. */
  readonly role?: string;
}

/** A column that shows a member of each row. */
export interface CommandColumn<Member extends string = string> {
  readonly title: string;
  readonly member: Member;
  readonly align?: "right";
  /** Never truncated. */
  readonly whole?: true;
}

/** A command of an operation with these parameters and this payload. */
export type CommandOf<Input, Output> = Command<keyof Input & string, ShownOf<Output>>;

/** The members of the rows of a list, of an answer, or of the lists in an answer. */
type ShownOf<Output> = string &
  (Output extends readonly (infer Row)[]
    ? keyof Row
    : keyof Output | { [Name in keyof Output]: RowMember<Output[Name]> }[keyof Output]);

type RowMember<List> = List extends readonly (infer Row)[] ? keyof Row : never;
