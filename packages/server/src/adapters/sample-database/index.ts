export { createSampleDatabase } from "./sample-database.js";
