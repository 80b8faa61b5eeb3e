import {
  acceptDriftRequestSchema,
  acceptedDriftSchema,
  dataOf,
  migrationProofSchema,
  migrationProposalSchema,
  migrationSchema,
  type RunMigrationRequest,
  runMigrationRequestSchema,
  schemaDiffQuerySchema,
  schemaDiffSchema,
  schemaDriftSchema,
  schemaDumpQuerySchema,
  schemaDumpSchema,
  unchangedSchemaSchema,
} from "@steward/protocol/rest";
import * as z from "zod";
import { PROPOSAL_BYTES_MAX } from "../../limits.js";
import type { MigrationService, RunOptions } from "@steward/schema";
import { errors, json } from "../described-replies.js";
import {
  changeMessage,
  driftMessage,
  migrationMessage,
  proofMessage,
} from "./migration-messages.js";
import type { RestApp } from "../rest-app.js";
import { present } from "../../present.js";

const tags = ["State"];
const PATH = "/api/state/migrations";
const params: z.ZodObject<{ migration_id: z.ZodString }> = z.object({
  migration_id: z.string().describe("Id of the migration"),
});
const unchanged = dataOf(unchangedSchemaSchema);
const one = { 200: json("The migration", dataOf(migrationSchema)) };

/** Migrations, from proposal to commit. */
export function addMigrationRoutes(app: RestApp, migrations: MigrationService): void {
  addProposals(app, migrations);
  addRuns(app, migrations);
  addDrift(app, migrations);
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
      201: json("It is proven", dataOf(migrationSchema)),
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
  const list = {
    operationId: "listMigrations",
    summary: "List the migrations, the newest first",
    description: "All migrations of your organization, in every status.",
    tags,
    response: {
      200: json("The migrations", dataOf(z.array(migrationSchema).readonly())),
      ...errors(403),
    },
  };
  app.get(PATH, { schema: list }, async ({ context }) => ({
    data: (await migrations.list(context)).map((each) => migrationMessage(each)),
  }));
  const show = {
    operationId: "getMigration",
    summary: "Show a migration",
    description:
      "The migration with its statements, its findings and, if a run has begun and not ended, that run.",
    tags,
    params,
    response: { ...one, ...errors(403, 404) },
  };
  app.get(`${PATH}/:migration_id`, { schema: show }, async ({ params, context }) => {
    const migration = await migrations.show(context, params.migration_id);
    const run = await migrations.unfinishedRun(context, params.migration_id);
    return { data: migrationMessage(migration, run) };
  });
}

function addRuns(app: RestApp, migrations: MigrationService): void {
  const verify = {
    operationId: "verifyMigration",
    summary: "Try a migration on a scratch database, up and down",
    description:
      "Proves the migration once more on a temporary database. The real database is not touched.",
    tags,
    params,
    response: {
      200: json("The result", dataOf(migrationProofSchema)),
      ...errors(403, 404),
    },
  };
  app.post(`${PATH}/:migration_id/verify`, { schema: verify }, async ({ params, context }) => ({
    data: proofMessage(await migrations.verify(context, params.migration_id)),
  }));
  const run = (
    operationId: string,
    summary: string,
    description = "The migration runs only on the schema that it starts from; on another schema the answer " +
      "is 409 and names the differences. Repeating the request changes nothing. The digest names the " +
      "migration that was reviewed: when the migration is a different one now, the answer is 409. Without " +
      "a digest the answer is 400 where callers are authenticated; elsewhere the check is left out.",
  ) => ({
    operationId,
    summary,
    description,
    tags,
    params,
    body: runMigrationRequestSchema,
    response: { ...one, ...errors(403, 404, 409) },
  });
  const apply = run("applyMigration", "Apply a migration");
  app.post(`${PATH}/:migration_id/apply`, { schema: apply }, async ({ params, body, context }) => {
    const done = await migrations.apply(context, params.migration_id, runOptionsOf(body));
    return { data: migrationMessage(done) };
  });
  const revert = run("revertMigration", "Revert an applied migration");
  app.post(
    `${PATH}/:migration_id/revert`,
    { schema: revert },
    async ({ params, body, context }) => {
      const done = await migrations.revert(context, params.migration_id, runOptionsOf(body));
      return { data: migrationMessage(done) };
    },
  );
  const resume = run(
    "resumeMigration",
    "Resume a run that stopped half way",
    "The run's journal in the database says which parts have taken effect. The answer is 409 when there is " +
      "no such run, or when others have changed its objects.",
  );
  app.post(
    `${PATH}/:migration_id/resume`,
    { schema: resume },
    async ({ params, body, context }) => {
      const done = await migrations.resume(context, params.migration_id, runOptionsOf(body));
      return { data: migrationMessage(done) };
    },
  );
  const undo = run(
    "undoMigration",
    "Undo the changes of a run that stopped half way",
    "Undoes only the changes that the run's journal lists. When that would lose rows or values that were " +
      "written meanwhile, the loss must be accepted.",
  );
  app.post(`${PATH}/:migration_id/undo`, { schema: undo }, async ({ params, body, context }) => {
    const done = await migrations.undo(context, params.migration_id, runOptionsOf(body));
    return { data: migrationMessage(done) };
  });
}

function runOptionsOf({
  accept_data_loss: acceptDataLoss,
  digest,
}: RunMigrationRequest): RunOptions {
  return {
    ...present({ acceptDataLoss, digest }),
  };
}

function addDrift(app: RestApp, migrations: MigrationService): void {
  const diff = {
    operationId: "compareSchemas",
    summary: "Compare the schemas of two commits",
    description:
      "The operation on each object, and the statements in both directions. They are not proven on a scratch database.",
    tags,
    querystring: schemaDiffQuerySchema,
    response: { 200: json("What leads there", dataOf(schemaDiffSchema)), ...errors(403, 404) },
  };
  app.get("/api/state/schema-diff", { schema: diff }, async ({ query: { from, to }, context }) => ({
    data: changeMessage(await migrations.compare(context, from, to)),
  }));
  const dump = {
    operationId: "dumpSchema",
    summary: "Read the present schema of a database as SQL",
    description:
      "The same schema has the same text. Proposing the text results in no migration. The database may be " +
      "left out when there is only one.",
    tags,
    querystring: schemaDumpQuerySchema,
    response: { 200: json("The schema", dataOf(schemaDumpSchema)), ...errors(403, 404) },
  };
  app.get("/api/state/schema", { schema: dump }, async ({ query: { database }, context }) => ({
    data: await migrations.dump(context, database),
  }));
  const drift = {
    operationId: "getSchemaDrift",
    summary: "Compare a database with its recorded schema",
    description: "The changes of the schema since the last recorded commit that no migration made.",
    tags,
    querystring: z.strictObject({ database: z.string().describe("Name of the data source") }),
    response: { 200: json("How it is", dataOf(schemaDriftSchema)), ...errors(403, 404) },
  };
  app.get("/api/state/drift", { schema: drift }, async ({ query: { database }, context }) => ({
    data: driftMessage(database, await migrations.drift(context, database)),
  }));
  const accept = {
    operationId: "acceptSchemaDrift",
    summary: "Accept the present schema of a database",
    description:
      "Records the present schema as a commit, so that the next migration starts from it. The database is not changed.",
    tags,
    body: acceptDriftRequestSchema,
    response: {
      200: json("It is recorded", dataOf(acceptedDriftSchema)),
      ...errors(403, 404, 409),
    },
  };
  app.post("/api/state/drift", { schema: accept }, async ({ body, context }) => {
    const commit = await migrations.acceptDrift(context, body.database, body.message);
    return { data: { database: body.database, ...present({ commit }) } };
  });
}
