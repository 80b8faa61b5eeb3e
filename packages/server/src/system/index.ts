/**
 * System: the server as its operator sees it, over all organizations.
 *
 * Glossary. **Node**: a process that works on the store; several share one on PostgreSQL. **Queue**:
 * work that was accepted and is under way. **Lag**: records of the audit log that a receiver of its
 * export does not have yet.
 */
export { SystemService, type SystemStatus } from "./system-service.js";
export type { NodeStatus, QueueStatus, ShownSetting } from "./ports.js";
