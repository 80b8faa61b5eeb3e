/**
 * Hints: what to write instead, when a statement failed or probably means something else.
 *
 * Glossary. **Correction**: one sentence that says what to write, with the names that it tells.
 * **Scope**: one query of a statement, with its tables. **Rule**: the corrections of one class of
 * failures. **Warning**: a correction of a statement that ran. Read first: `step-hints.ts`,
 * `failure-corrections.ts`, `schema-warnings.ts`, `correction.ts`, `statement/scope.ts`.
 */
export { StepHints, type StepHintsParts } from "./step-hints.js";
