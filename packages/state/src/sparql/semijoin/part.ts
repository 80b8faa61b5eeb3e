import type { Quad } from "../../index.js";
import type { Domains } from "./domains.js";

/**
 * A part of a query that every solution of its group has to match. It loads the quads that its solutions can
 * consist of: all of those whose variables are within the domains, and perhaps more.
 */
export interface Part {
  /** The variables that each of its solutions binds. */
  readonly variables: ReadonlySet<string>;
  /** Whether it has no solution in a graph without quads. */
  readonly needsQuad: boolean;
  /** Estimated number of quads to examine. */
  cost(domains: Domains): number;
  /** Loads the quads. @returns the possible values of its variables. */
  load(domains: Domains): Domains;
}

/** The limit of loaded quads is exceeded. */
export class TooManyQuads extends Error {}

/** Receives the quads to load. */
export interface QuadSink {
  /** Number of quads that may still be loaded. */
  readonly room: number;
  /**
   * Loads a quad. Loading it again has no effect.
   * @throws TooManyQuads.
   */
  take(quad: Quad): void;
  /** Whether all quads of a pattern, known by its key, were loaded before. */
  isComplete(pattern: string): boolean;
  /** Remembers that all of a pattern's quads are loaded. */
  complete(pattern: string): void;
}
