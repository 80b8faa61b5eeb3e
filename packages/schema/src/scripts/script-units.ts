import { createHash } from "node:crypto";
import { canonicalJson } from "@steward/kernel/canonical-json.js";
import type { Phase, RowCheck, Script, ScriptText } from "../ports.js";

/**
 * The smallest part of a script that takes effect separately: a transaction, or a statement outside
 * of transactions.
 */
export interface Unit {
  readonly statements: readonly string[];
  readonly commands: Phase["commands"];
  /** Checks of the existing rows, which run in the unit's transaction. */
  readonly checks?: readonly RowCheck[];
  /**
   * The index, qualified and quoted, that the unit builds or drops outside of transactions.
   * Undefined for a transaction.
   */
  readonly concurrentIndex?: string;
}

export function unitsOf(script: Script): readonly Unit[] {
  return script.flatMap(({ isAtomic, statements, commands, checks = [] }): readonly Unit[] => {
    if (isAtomic) return [{ statements, commands, checks }];
    return commands.map((command, index) => ({
      statements: statements.slice(index, index + 1),
      commands: [command],
      ...("index" in command ? { concurrentIndex: command.index } : {}),
    }));
  });
}

/** Whether a unit drops an index outside of transactions. */
export function isConcurrentDrop({ commands }: Unit): boolean {
  return commands[0]?.command === "drop_index_concurrently";
}

/** Builds a script from units. */
export function scriptOfUnits(units: readonly Unit[]): Script {
  return units.map(({ statements, commands, concurrentIndex }) => ({
    isAtomic: concurrentIndex === undefined,
    statements,
    commands,
  }));
}

/**
 * The digest that identifies a script in the journal: SHA-256 of its canonical JSON, in
 * hexadecimal. It covers the statements and not what is known about them, so that a run can be
 * resumed by a later version.
 */
export function digestOf(script: ScriptText): string {
  const said = script.map(({ isAtomic, statements }) => ({
    isAtomic,
    statements: [...statements],
  }));
  return createHash("sha256").update(canonicalJson(said)).digest("hex");
}
