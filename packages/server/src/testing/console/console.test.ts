import { describeConsole } from "./every-page.js";

describeConsole("in turn");
