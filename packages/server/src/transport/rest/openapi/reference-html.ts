import type {
  ApiDescription,
  Operation,
  Parameter,
  Response,
  Schema,
  Schemas,
} from "./api-document.js";
import { html, type Html } from "../system/html.js";
import { pageOf } from "../system/page.js";

interface Endpoint extends Operation {
  readonly method: string;
  readonly path: string;
}

/** The whole description as one page. */
export function referenceHtml({ info, paths, components }: ApiDescription): string {
  const { schemas, parameters } = components;
  const endpoints = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Endpoint => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
  return pageOf(
    `${info.title} API`,
    html`
      <h1>${info.title} API <small>${info.version}</small></h1>
      <p class="about">${info.description}</p>
      <p>For tools: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
      <nav>
        <ul>
          ${endpoints.map((endpoint) => html`<li>${linkTo(endpoint)} ${endpoint.summary}</li>`)}
        </ul>
      </nav>
      <h2>Endpoints</h2>
      ${endpoints.map((endpoint) => endpointSection(endpoint, schemas))}
      <h2 id="identity-headers">Identity headers</h2>
      ${table(Object.values(parameters).map(parameterRow))}
      <h2>Schemas</h2>
      ${Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema))}
    `,
  );
}

function linkTo({ operationId, method, path }: Endpoint): Html {
  return html`<a href="#${operationId}"
    ><code><span class="method">${method}</span>${path}</code></a
  >`;
}

function endpointSection(endpoint: Endpoint, schemas: Schemas): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = endpoint;
  const body = requestBody?.content["application/json"]?.schema;
  const own = parameters.filter((parameter) => "name" in parameter);
  return html`<section id="${operationId}">
    <h3>${summary}</h3>
    <p>
      <code><span class="method">${endpoint.method}</span>${endpoint.path}</code>
    </p>
    <p>${description}</p>
    ${own.length === 0 ? [] : table(own.map(parameterRow))}
    ${
      own.length === parameters.length
        ? []
        : html`<p>Takes the <a href="#identity-headers">identity headers</a>.</p>`
    }
    ${body === undefined ? [] : html`<p>Body: ${typeOf(body)}</p>`}
    <pre>${curlOf(endpoint, body && exampleOf(body, schemas))}</pre>
    ${table(Object.entries(responses).map((response) => responseRow(...response)))}
  </section>`;
}

function parameterRow({ name, in: place, required, description, schema }: Parameter): Html {
  const kind = `${place}${required ? ", required" : ""}`;
  return row(html`<code>${name}</code> <small>${kind}</small>`, typeOf(schema), description);
}

function responseRow(status: string, { description, content = {} }: Response): Html {
  const types = Object.values(content).map(({ schema }) => typeOf(schema));
  return row(html`<code>${status}</code>`, types, description);
}

function schemaSection(name: string, schema: Schema): Html {
  const { description, properties = {}, required = [], examples = [] } = schema;
  const rows = Object.entries(properties).map(([member, type]) =>
    row(
      html`<code>${member}</code
        >${required.includes(member) ? [] : html` <small>optional</small>`}`,
      typeOf(type),
      type.description,
    ),
  );
  return html`<section id="schema-${name}">
    <h3>${name}</h3>
    <p>${description}</p>
    ${table(rows)} ${examples.map((example) => html`<pre>${jsonText(example)}</pre>`)}
  </section>`;
}

function table(rows: readonly Html[]): Html {
  return html`<table>
    ${rows}
  </table>`;
}

function row(name: Html, type: Html | readonly Html[], description: string | undefined): Html {
  return html`<tr>
    <td>${name}</td>
    <td>${type}</td>
    <td>${description}</td>
  </tr> `;
}

/** A schema in a word or two; a named schema is a link. */
function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items, properties, additionalProperties, type = "any", format } = schema;
  if ($ref !== undefined) return html`<a href="#schema-${nameOf($ref)}">${nameOf($ref)}</a>`;
  if (schema.enum !== undefined) return html`${schema.enum.join(" | ")}`;
  if (schema.const !== undefined) return html`"${schema.const}"`;
  if (anyOf !== undefined) {
    return html`${anyOf.map((choice, index) => html`${index === 0 ? "" : " | "}${typeOf(choice)}`)}`;
  }
  if (items !== undefined) return html`array of ${typeOf(items)}`;
  if (additionalProperties !== undefined) return html`map of ${typeOf(additionalProperties)}`;
  if (properties !== undefined) {
    const members = Object.entries(properties).map(
      ([key, value]) => html`${key}: ${typeOf(value)}`,
    );
    return html`{ ${members} }`;
  }
  return html`${format ?? type}`;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function exampleOf({ $ref, items, examples }: Schema, schemas: Schemas): unknown {
  if (items !== undefined) return [exampleOf(items, schemas)];
  return $ref === undefined ? examples?.[0] : schemas[nameOf($ref)]?.examples?.[0];
}

/** A command to try the endpoint; path parameters become shell variables. */
function curlOf({ method, path }: Endpoint, body: unknown): string {
  const flag = method === "GET" ? "" : `-X ${method} `;
  const url = `"$STEWARD${path.replace(/\{(\w+)\}/g, (_all, name: string) => `$${name.toUpperCase()}`)}"`;
  if (body === undefined) return `curl ${flag}${url}`;
  const json = jsonText(body).replaceAll("'", "'\\''");
  return `curl ${flag}${url} -H 'content-type: application/json' -d '${json}'`;
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
