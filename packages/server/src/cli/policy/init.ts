import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { CatalogTable, StewardClient } from "@steward/client";
import { stringify } from "yaml";
import { POLICY_TEXT_BYTES_MAX } from "../../policies/limits.js";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { EXIT } from "../exit-code.js";
import { policyAdminCommand } from "./policy-command.js";
import { starterPolicies, type SchemaToProtect } from "./starter-policies.js";

/** `steward policy init`: writes safe policies for the tables that there are, and tests of them. */
export function initCommand({ env, terminal }: CliContext): Command {
  return policyAdminCommand(
    "init",
    "Writes policies that let agents read and that put their changes under approval, and tests of them.",
  )
    .argument("[file]", "File to write; its tests go beside it.", "policies.cedar")
    .action(async (file: string, options: ClientOptions) => {
      const schemas = await schemasOf(connect(options, env));
      const { text, cases, denied, leftOut } = starterPolicies(schemas, POLICY_TEXT_BYTES_MAX);
      const casesFile = `${file.replace(/\.cedar$/, "")}.cases.yaml`;
      await writeNew(file, text);
      await writeNew(casesFile, stringify(cases));
      if (options.json) {
        terminal.printJson({ policies: file, cases: casesFile, denied, left_out: leftOut });
        return;
      }
      const { yellow } = terminal.errorColors;
      terminal.print(`${file} lets agents read without ${counted(denied.length)}, and`);
      terminal.print("has each of their changes wait for the approval of a person. Read it, then:");
      terminal.print("");
      terminal.print(`  steward policy test ${casesFile} --policies ${file}`);
      terminal.print(`  steward policy put ${file}`);
      if (leftOut.length === 0) return;
      terminal.note(
        yellow(
          `warning: the file cannot name ${counted(leftOut.length)} more, which agents may read: ` +
            `${leftOut.slice(0, NAMED_MAX).map(visible).join(", ")}${leftOut.length > NAMED_MAX ? "…" : ""}; forbid their tables instead`,
        ),
      );
    });
}

/** Columns that a warning names. */
const NAMED_MAX = 20;
/** Tables of a page of the catalog. */
const PAGE = 500;

/** A name without what a terminal would obey. */
function visible(name: string): string {
  return name.replace(/[^\p{L}\p{N} -~]/gu, "\uFFFD");
}

function counted(columns: number): string {
  return `${String(columns)} sensitive column${columns === 1 ? "" : "s"}`;
}

async function schemasOf({ catalog }: StewardClient): Promise<readonly SchemaToProtect[]> {
  const { data_sources: sources } = await catalog.listCatalog();
  const schemas: SchemaToProtect[] = [];
  for (const { name: dataSource } of sources) {
    const tables: CatalogTable[] = [];
    let cursor: string | undefined;
    do {
      const query = { data_source: dataSource, limit: PAGE };
      const page = await catalog.listTables({
        ...query,
        ...(cursor === undefined ? {} : { cursor }),
      });
      tables.push(...page.tables);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    schemas.push({ dataSource, tables });
  }
  if (schemas.length > 0) return schemas;
  throw new CliError("The server has no data source that you may read", {
    ...{ exitCode: EXIT.usage, code: "CONFIGURATION" },
    fix: "set SERVICE_DATA_SOURCES, and ask as an admin",
  });
}

/** @throws CliError when the file exists: what somebody has written stays. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw usageError(`${file} exists already`, "name another file");
    throw usageError(`Cannot write ${file}: ${message}`, "name a file in a writable folder");
  }
}
