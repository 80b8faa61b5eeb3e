import { assert } from "@steward/kernel/assert.js";
import { NIL_ORG_ID } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { EmbeddingModel } from "../../../memory/ports.js";
import { otherModel } from "../../other-model.js";
import type { Connection } from "../database.js";

/** The model whose vectors are stored and searched. */
export interface ActiveModel extends EmbeddingModel {
  readonly modelId: number;
}

/** `undefined` until the first node has set it. */
export async function activeModel(connection: Connection): Promise<ActiveModel | undefined> {
  const [row] = await connection.query<ActiveModel>(
    `SELECT model_id AS "modelId", name, dimension FROM memory_models
     WHERE org_id = $1 AND is_active`,
    [NIL_ORG_ID],
  );
  return row;
}

/**
 * Prevents a change of the active model until the transaction ends. It locks the table, because a
 * row lock would write. Plain readers, including a dump, are not blocked.
 * @throws AppError `STORE_UNAVAILABLE` when another model is active.
 */
export async function holdModel(connection: Connection, modelId: number): Promise<void> {
  await connection.query("LOCK TABLE memory_models IN ROW SHARE MODE");
  const active = await activeModel(connection);
  if (active?.modelId !== modelId) throw changedModel(active);
}

/**
 * Until the transaction ends, nobody else can add vectors of the active model or change the models.
 */
export async function lockModels(connection: Connection): Promise<void> {
  await connection.query("LOCK TABLE memory_models IN EXCLUSIVE MODE");
}

/**
 * The id of a model that becomes the active one, unless there are vectors of another.
 * @throws AppError `INVALID_ARGUMENT` with the fix when there are.
 */
export async function adoptModel(connection: Connection, model: EmbeddingModel): Promise<number> {
  await lockModels(connection);
  const active = await activeModel(connection);
  if (active?.name === model.name && active.dimension === model.dimension) return active.modelId;
  if (active !== undefined && (await hasVectors(connection, active.modelId))) {
    throw otherModel(active, model);
  }
  const modelId = await knownModel(connection, model);
  await switchModel(connection, modelId);
  return modelId;
}

/** The id of a model, which is added if it is new. The caller must have locked the models. */
export async function knownModel(
  connection: Connection,
  { name, dimension }: EmbeddingModel,
): Promise<number> {
  await connection.query(
    `INSERT INTO memory_models (org_id, name, model_id, dimension, is_active)
     SELECT $1, $2, 1 + coalesce(max(model_id), 0), $3, false FROM memory_models WHERE org_id = $1
     ON CONFLICT (org_id, name) DO UPDATE SET dimension = excluded.dimension`,
    [NIL_ORG_ID, name, dimension],
  );
  return modelIdOf(connection, { name });
}

/** The id of a model that the store has. */
export async function modelIdOf(
  connection: Connection,
  { name }: Pick<EmbeddingModel, "name">,
): Promise<number> {
  const [row] = await connection.query<{ readonly model_id: number }>(
    "SELECT model_id FROM memory_models WHERE org_id = $1 AND name = $2",
    [NIL_ORG_ID, name],
  );
  assert(row !== undefined, "a model is made known before it is asked for");
  return row.model_id;
}

/**
 * Makes a model the active one, whose vectors are stored and searched from now on. The caller must
 * have locked the models.
 */
export async function switchModel(connection: Connection, modelId: number): Promise<void> {
  for (const isActive of [false, true]) {
    await connection.query(
      `UPDATE memory_models SET is_active = $3
       WHERE org_id = $1 AND is_active <> $3 AND (model_id = $2) = $3`,
      [NIL_ORG_ID, modelId, isActive],
    );
  }
}

/**
 * The error of a node that was started with another model's settings and so may neither search nor
 * add.
 */
export function changedModel(active: EmbeddingModel | undefined): AppError {
  const stored =
    active === undefined ? "no model" : `${active.name} with ${active.dimension} components`;
  return new AppError(
    "STORE_UNAVAILABLE",
    `The stored vectors come from ${stored} now: start this server again, ` +
      "with the SERVICE_EMBEDDING_ settings of that model",
  );
}

async function hasVectors(connection: Connection, modelId: number): Promise<boolean> {
  const sql = "SELECT FROM memory_entry_vectors WHERE model_id = $1 LIMIT 1";
  return (await connection.query(sql, [modelId])).length > 0;
}
