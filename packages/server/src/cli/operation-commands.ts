import type { StewardClient } from "@steward/client";
import type { Command as CommandSpec, CommandOption } from "@steward/operations";
import { type Command, Option } from "commander";
import { usageError } from "./cli-error.js";
import type { CliContext } from "./context.js";
import {
  clientCommand,
  connect,
  withRole,
  type ClientOptions,
} from "./connection/server-connection.js";
import type { Terminal } from "./terminal/terminal.js";

/** The commands of a group of operations, by the operations' names. */
export type Commands = Readonly<Record<string, CommandSpec>>;

/** The commands to add to one of the program's commands. */
export interface OperationCommands {
  /** The client's group that makes the calls. */
  readonly group: keyof StewardClient;
  readonly commands: Commands;
  /** Lines that are more than members of the answer, by the operation's name. */
  readonly lines?: Readonly<Record<string, (answer: never) => string>>;
  /** The rows of tables whose cells are more than members, by the operation's name. */
  readonly rows?: Readonly<Record<string, (row: never) => Fields>>;
}

/** Adds the commands that make one call each: those of `budget …` to the command `budget`. */
export function addOperationCommands(
  parent: Command,
  { env, terminal }: CliContext,
  { group, commands, lines = {}, rows = {} }: OperationCommands,
): Command {
  for (const [operation, spec] of Object.entries(commands)) {
    const [first, name = ""] = spec.command.split(" ");
    if (first !== parent.name()) continue;
    const command = commandOf(name, spec).action(async () => {
      const options = command.optsWithGlobals<ClientOptions & Fields>();
      const call = callOf(connect(options, env)[group], operation);
      const answer = await call(inputOf(spec, command.args, options));
      if (options.json === true) terminal.printJson(answer);
      else showAnswer(answer, { terminal, spec, line: lines[operation], row: rows[operation] });
    });
    parent.addCommand(command);
  }
  return parent;
}

type Fields = Readonly<Record<string, unknown>>;

function commandOf(name: string, spec: CommandSpec): Command {
  const { summary, role, arguments: args = [], options = [] } = spec;
  const command = clientCommand(name, summary);
  if (role !== undefined) withRole(command, role);
  for (const { member, name: shown = member, description, optional = false } of args) {
    command.argument(optional ? `[${shown}]` : `<${shown}>`, description);
  }
  for (const { flags, description, choices, default: preset, role: implied } of options) {
    const option = new Option(flags, description);
    if (choices !== undefined) option.choices(choices);
    if (preset !== undefined) option.default(preset);
    if (implied !== undefined) option.implies({ role: implied });
    command.addOption(option);
  }
  return command;
}

/** The method of the client. */
function callOf(group: object, operation: string): (input: Fields) => Promise<unknown> {
  // The client's methods are written from the same table as the commands.
  return Reflect.get(group, operation) as (input: Fields) => Promise<unknown>;
}

function inputOf(spec: CommandSpec, args: readonly string[], options: Fields): Fields {
  const { arguments: named = [], options: flags = [] } = spec;
  const members = [
    ...named.map(({ member }, index) => [member, args[index]]),
    ...flags.map((flag) => [flag.member, valueOf(flag, options)]),
  ];
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as Fields;
}

/** @throws CliError for a text that is no number. */
function valueOf({ flags, isNumber }: CommandOption, options: Fields): unknown {
  const value = options[new Option(flags).attributeName()];
  if (isNumber === undefined || typeof value !== "string") return value;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const [flag = ""] = flags.split(" ");
  throw usageError(`${flag} ${value} is not a whole number`, `give ${flag} a whole number`);
}

/** How an answer is shown. */
interface Shown {
  readonly terminal: Terminal;
  readonly spec: CommandSpec;
  readonly line?: ((answer: never) => string) | undefined;
  readonly row?: ((row: never) => Fields) | undefined;
}

/** Prints the answer of a command, as a table or a line. */
export function showAnswer(answer: unknown, { terminal, spec, line, row }: Shown): void {
  const { columns, rows: member, empty, print = "" } = spec;
  // The operation has declared its answer: a list, an object with one, or an object.
  const members = answer as Fields;
  if (columns === undefined) {
    terminal.print(line === undefined ? filled(print, members) : line(answer as never));
    return;
  }
  const list = (member === undefined ? answer : members[member]) as readonly Fields[];
  const shown = row === undefined ? list : list.map((each) => row(each as never));
  terminal.printTable(
    columns,
    shown.map((each) => columns.map((column) => text(each[column.member]))),
  );
  if (list.length === 0 && empty !== undefined) terminal.note(empty);
  const cursor = members["next_cursor"];
  if (cursor !== undefined) terminal.note(`more: --cursor ${text(cursor)}`);
}

function filled(template: string, answer: Fields): string {
  return template.replace(/\{(\w+)\}/g, (_braces, member: string) => text(answer[member]));
}

/** A member as a cell; an absent one is empty. */
function text(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
