/** The data source of a newcomer's first plan. */
export { createSampleDatabase } from "./sample-database.js";
