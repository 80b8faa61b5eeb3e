import { AppError } from "@steward/kernel/errors.js";
import type { EmbeddingModel } from "../memory/ports.js";

/** Why a store that has vectors of one model is not opened for another, and what to do. */
export function otherModel(stored: EmbeddingModel, wanted: EmbeddingModel): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `The stored vectors come from ${stored.name} with ${stored.dimension} components, but ` +
      `${wanted.name} with ${wanted.dimension} is configured: set ` +
      "the SERVICE_EMBEDDING_ settings back, or run steward memory reembed",
  );
}
