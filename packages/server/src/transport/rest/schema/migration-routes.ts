import { migrations as operations } from "@steward/operations";
import { dataOf, migrationProposalSchema, unchangedSchemaSchema } from "@steward/protocol/rest";
import { PROPOSAL_BYTES_MAX } from "../../limits.js";
import type { MigrationService } from "@steward/schema";
import { errors, json } from "../described-replies.js";
import { migrationMessage } from "../../operations/migration-messages.js";
import { migrationOperations } from "../../operations/migrations.js";
import { addOperationRoutes } from "../../operations/wires/rest-routes.js";
import type { RestApp } from "../rest-app.js";
import { present } from "../../../kernel/present.js";

const tags = ["State"];
const PATH = "/api/state/migrations";
const unchanged = dataOf(unchangedSchemaSchema);

/** Migrations, from proposal to commit. */
export function addMigrationRoutes(app: RestApp, migrations: MigrationService): void {
  addProposals(app, migrations);
  addOperationRoutes(app, migrationOperations(migrations));
}

function addProposals(app: RestApp, migrations: MigrationService): void {
  const propose = {
    operationId: "proposeMigration",
    summary: "Propose a schema for a database",
    description:
      "The server derives the migration and its reverse, tries both on a scratch database, and stores them " +
      "when the resulting roots are the expected ones. The database itself is not changed. The proposed " +
      "schema has at most 16 MiB.",
    tags,
    body: migrationProposalSchema,
    response: {
      200: json("The database already has this schema: there is nothing to change", unchanged),
      201: json("It is proven", dataOf(operations.getMigration.output)),
      ...errors(403, 404, 409),
    },
  };
  // The limit of this route is larger, because only permitted callers reach it.
  const tooLargeFix =
    "leave out rows and what else is no definition (pg_dump --schema-only, sqlite3 FILE .schema)";
  const options = {
    schema: propose,
    bodyLimit: PROPOSAL_BYTES_MAX,
    config: { tooLargeFix },
  };
  app.post(PATH, options, async ({ body, context }, reply) => {
    const { hints = [], ...proposal } = body;
    const outcome = await migrations.propose(context, {
      ...proposal,
      hints: hints.map(({ from_schema: fromSchema, ...hint }) => ({
        ...hint,
        ...present({ fromSchema }),
      })),
    });
    if (outcome.status === "unchanged") return { data: outcome };
    void reply.code(201);
    return { data: migrationMessage(outcome) };
  });
}
