import { AppError } from "@steward/kernel/errors.js";
import type { EmbeddingModel } from "../memory/ports.js";

/** The error for opening a store that has vectors of another model, with the remedy. */
export function otherModel(stored: EmbeddingModel, wanted: EmbeddingModel): AppError {
  return new AppError(
    "INVALID_ARGUMENT",
    `The stored vectors come from ${stored.name} with ${stored.dimension} components, but ` +
      `${wanted.name} with ${wanted.dimension} is configured: set ` +
      "the SERVICE_EMBEDDING_ settings back, or run steward memory reembed",
  );
}
