import type { Correction, ReadStatement } from "./correction.js";
import { missingConditions } from "./failures/missing-condition.js";
import { bareColumns } from "./warnings/bare-column.js";
import { joinsOffKey } from "./warnings/join-off-key.js";
import { oneRowTaken } from "./warnings/one-row-taken.js";
import { selfComparisons } from "./warnings/self-comparison.js";
import { repeatedSums } from "./warnings/silent/fan-out.js";
import { integerDivisions } from "./warnings/silent/integer-division.js";
import { nullComparisons } from "./warnings/silent/null-comparison.js";
import { lostOuterRows } from "./warnings/silent/outer-join.js";
import { swallowedColumns } from "./warnings/silent/swallowed-column.js";
import { addedTexts, subtractedTexts } from "./warnings/silent/text-arithmetic.js";
import { jsonTruthAsText, secondsAsDays } from "./warnings/silent/time-functions.js";
import { cutLastDays } from "./warnings/silent/time-range.js";
import { textsAsNumbers } from "./warnings/text-as-number.js";
import { excludedLiterals } from "./warnings/unheld-literal.js";

/** Warnings, from the schema alone, about statements whose result is probably not what was meant. */
export function schemaWarnings(statement: ReadStatement): readonly Correction[] {
  return [
    ...joinsOffKey(statement),
    ...missingConditions(statement.scopes, statement.tables, "conditions"),
    ...bareColumns(statement),
    ...textsAsNumbers(statement),
    ...selfComparisons(statement),
    ...oneRowTaken(statement),
    ...excludedLiterals(statement),
    ...integerDivisions(statement),
    ...nullComparisons(statement),
    ...repeatedSums(statement),
    ...lostOuterRows(statement),
    ...addedTexts(statement),
    ...subtractedTexts(statement),
    ...cutLastDays(statement),
    ...secondsAsDays(statement),
    ...jsonTruthAsText(statement),
    ...swallowedColumns(statement),
  ];
}
