/**
 * SQLite databases that agents work on.
 *
 * Glossary. **Child**: a process that runs statements, a **reader** or the **writer**. **Job**: a
 * statement on its way to its result. **Marker**: the row that a write leaves beside what it did.
 * **Guard**: what has the engine refuse whatever an intent does not cover.
 */
export { SqliteTarget, type SqliteTargetOptions } from "./sqlite-target.js";
