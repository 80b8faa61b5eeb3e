import { operationTable } from "../operation.js";
import { acceptSchemaDrift } from "./accept-schema-drift.js";
import { applyMigration } from "./apply-migration.js";
import { compareSchemas } from "./compare-schemas.js";
import { dumpSchema } from "./dump-schema.js";
import { getMigration } from "./get-migration.js";
import { getSchemaDrift } from "./get-schema-drift.js";
import { listMigrations } from "./list-migrations.js";
import { resumeMigration } from "./resume-migration.js";
import { revertMigration } from "./revert-migration.js";
import { undoMigration } from "./undo-migration.js";
import { verifyMigration } from "./verify-migration.js";

/** Migrations of schemas, once they are proposed. */
export const migrations = operationTable({
  listMigrations,
  getMigration,
  verifyMigration,
  applyMigration,
  revertMigration,
  resumeMigration,
  undoMigration,
  compareSchemas,
  dumpSchema,
  getSchemaDrift,
  acceptSchemaDrift,
});
