import { Command, CommanderError } from "commander";
import { AppError } from "@steward/kernel/errors.js";
import { proveTouched } from "../migrations/proof.js";
import { operationLine, scriptText } from "./change-text.js";
import { compareDatabases, type ComparedDatabases } from "./compared-databases.js";
import { databaseAt, type OpenDatabase } from "./database-address.js";

/** Where a command writes: results to `print`, everything else to `note`. */
export interface Output {
  readonly print: (text: string) => void;
  readonly note: (text: string) => void;
}

/** Exit codes. A script that compares two databases tells a difference from a wrong argument. */
const EXIT = { ok: 0, differs: 1, failed: 1, usage: 2 };

const DATABASE = "A URL of PostgreSQL (postgres://…), or the path of an SQLite file.";

/** A command: compares two databases, prints the result, and returns the exit code. */
interface SchemaCommand {
  readonly name: string;
  readonly summary: string;
  readonly run: (compared: ComparedDatabases, output: Output) => number | Promise<number>;
}

const COMMANDS: readonly SchemaCommand[] = [
  {
    name: "diff",
    summary:
      "Lists what differs between the schemas of two databases. Exits with 1 if anything does.",
    run: diff,
  },
  {
    name: "propose",
    summary: "Prints the script that gives the first database the schema of the second.",
    run: propose,
  },
  {
    name: "verify",
    summary:
      "Proves that script, and the way back, in a scratch database. The two databases stay as they are.",
    run: verify,
  },
];

/**
 * Runs `steward-schema` with its arguments.
 * @returns the exit code.
 */
export async function runSchemaCommand(args: readonly string[], output: Output): Promise<number> {
  let code = EXIT.ok;
  const program = new Command("steward-schema")
    .description("Compares the schemas of two databases, and leads from one to the other.")
    .exitOverride()
    .configureOutput({ writeOut: output.print, writeErr: output.note })
    .showHelpAfterError("Run steward-schema --help for the commands and their arguments.");
  for (const { name, summary, run } of COMMANDS) {
    const command = program
      .command(name)
      .description(summary)
      .argument("<from>", DATABASE, databaseAt)
      .argument("<to>", DATABASE, databaseAt)
      .action(async (openFrom: OpenDatabase, openTo: OpenDatabase) => {
        const [from, to] = [await openFrom(), await openTo()];
        if (from.dialect !== to.dialect) {
          command.error(
            "error: The databases must be of one engine, both SQLite or both PostgreSQL.",
          );
        }
        code = await run(await compareDatabases(from, to), output);
      });
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    // Commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { code: kind, message } = AppError.from(error);
    output.note(`error: ${message}\n`);
    if (kind === "STORE_UNAVAILABLE") output.note(UNAVAILABLE);
    return EXIT.failed;
  }
}

function diff({ change }: ComparedDatabases, { print, note }: Output): number {
  if (!isChange(change)) {
    note("The schemas are the same.\n");
    return EXIT.ok;
  }
  for (const operation of change.operations) print(`${operationLine(operation)}\n`);
  return EXIT.differs;
}

function propose({ change, from }: ComparedDatabases, { print, note }: Output): number {
  if (!isChange(change)) note("The schemas are the same: there is nothing to do.\n");
  else print(scriptText(change, from.dialect));
  return EXIT.ok;
}

async function verify(
  { from, base, target, change }: ComparedDatabases,
  { print, note }: Output,
): Promise<number> {
  const { up, down } = change;
  const { isProven, stretches } = await proveTouched(from, { base, target, up, down });
  for (const { name, expected, reached, missing } of stretches) {
    print(`${expected === reached ? "ok" : "failed"}  ${SCRIPT_PURPOSES[name]}\n`);
    for (const operation of missing) print(`  missing: ${operationLine(operation)}\n`);
  }
  if (isProven) return EXIT.ok;
  note(
    "The script does not lead to the wanted schema. Run what is missing by hand, then compare again.\n",
  );
  return EXIT.failed;
}

const UNAVAILABLE =
  "Check the address, and that the server runs and accepts the role and its password, or that the file is an SQLite database.\n";

/** The purpose of each script of a proof. */
const SCRIPT_PURPOSES = {
  base: "a scratch database was given the schema of the first database",
  up: "the script gave it the schema of the second",
  down: "the script of the way back gave it the first schema again",
};

function isChange({ baseRoot, targetRoot, up }: ComparedDatabases["change"]): boolean {
  return baseRoot !== targetRoot || up.length > 0;
}
