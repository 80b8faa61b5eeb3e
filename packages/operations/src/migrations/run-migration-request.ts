import * as z from "zod";
import { digest, MIGRATION_ID, migrationId } from "./migration.js";

/** How a migration is to run: the body of a request for a run. */
export const runMigrationRequest = z
  .strictObject({
    accept_data_loss: z
      .boolean()
      .exactOptional()
      .describe("Whether the migration may delete rows or values"),
    digest: digest
      .exactOptional()
      .describe(
        "Digest of the migration that was reviewed; a different migration is answered with 409. Optional while callers are not authenticated",
      ),
  })
  .meta({
    id: "RunMigrationRequest",
    description: "How a migration is to run",
    examples: [
      {
        accept_data_loss: false,
        digest: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
      },
    ],
  });

/** The input of a run. */
export const migrationRun = z
  .strictObject({ migration_id: migrationId, ...runMigrationRequest.shape })
  .meta({
    examples: [
      {
        migration_id: MIGRATION_ID,
        digest: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
      },
    ],
  });

/** The description of the operations that apply and revert a migration. */
export const RUN_DESCRIPTION =
  "The migration runs only on the schema that it starts from; on another schema the answer " +
  "is 409 and names the differences. Repeating the request changes nothing. The digest names the " +
  "migration that was reviewed: when the migration is a different one now, the answer is 409. Without " +
  "a digest the answer is 400 where callers are authenticated; elsewhere the check is left out.";
