// Mistakes in the definition of a server or a client. All of them are thrown before anything is sent.
import type { CatalogueEntry } from './entry.ts'

export const DEFINE = {
  'input-not-a-schema': {
    class: 'SchemaError',
    message: 'expected a Standard Schema or a JSON Schema that is an object',
    cause: '`input` or `output` is neither a schema of a library such as zod, valibot or arktype, nor a JSON Schema.',
    fix: ["Pass `z.object({ … })`, or a JSON Schema such as `{ type: 'object', properties: { … } }`."],
  },
  'raw-shape': {
    class: 'SchemaError',
    message: 'this is a map of <kind>, which would check nothing: wrap it, as in <example>',
    cause: '`input` is a plain object of schemas. As a JSON Schema it would accept everything.',
    fix: ['Wrap the shape: `input: z.object({ a: z.number() })`.'],
  },
  'schema-cannot-describe-itself': {
    class: 'SchemaError',
    message: 'the <library> schema <problem>; pass a JSON Schema beside it, as <option>',
    cause:
      'Clients read schemas as JSON Schema, and the library cannot write this one: it has a date, a transform or another part without a JSON form, or the library needs a helper package.',
    fix: [
      'Use types that JSON has, such as `z.iso.datetime()` in place of `z.date()`.',
      'Or pass the JSON Schema yourself, as `inputJsonSchema` or `outputJsonSchema`.',
    ],
  },
  'bad-json-schema': {
    class: 'SchemaError',
    message: 'Unusable JSON Schema at <place>: <problem>',
    cause: 'The JSON Schema itself is wrong: an unknown type, an invalid pattern, or a reference that leads nowhere.',
    fix: ['Correct the schema at the place that the message names. `error.schemaPath` has it too.'],
  },
  'duplicate-name': {
    class: 'RangeError',
    message: "A <kind> <name> is already registered. Choose another name, or set onDuplicate to 'replace'.",
    cause: 'Two tools, resources or prompts have the same name. The second would hide the first.',
    fix: ['Choose another name.', "Or set `onDuplicate: 'replace'` in the options of the server."],
  },
  'bad-name': {
    class: 'RangeError',
    message: "A <kind> can't be named <name>. Use <characters>.",
    cause: 'Hosts accept only some characters in the names of tools and prompts.',
    fix: ['Use letters, digits, `_`, `-` and `.`. Put words for people into `title`.'],
  },
  'bad-uri': {
    class: 'RangeError',
    message: 'A resource can\'t have the uri <uri>. Use an absolute uri, as in "notes://today".',
    cause: 'The URI of a resource has no scheme.',
    fix: ['Begin it with a scheme: `notes://today`, or `file:///home/ada/today.txt`.'],
  },
  'bad-uri-template': {
    class: 'UriTemplateError',
    message: 'Invalid URI template at position <n>: <problem>',
    cause: 'The text is not a template of RFC 6570, or can never expand to an absolute URI.',
    fix: ['Close every brace, and write variables as in `notes://{id}`.'],
  },
  'unknown-option': {
    class: 'TypeError',
    message: 'Unknown option <name> for <owner>.',
    cause: 'The option is misspelled, was renamed, or belongs to another function.',
    fix: ['Use the option that the message names.'],
  },
  'wrong-option': {
    class: 'RangeError',
    message: '<option> is <value>. Use <values>.',
    cause:
      'The value of an option has the wrong kind or is out of range. Often it comes from an environment variable that is not set.',
    fix: ['Pass a value as the message says. Times are in milliseconds, sizes in bytes.'],
  },
  'not-a-function': {
    class: 'TypeError',
    message: 'The <part> of <owner> must be a function',
    cause: 'A tool, resource or prompt is registered without a handler, or with the handler in the wrong place.',
    fix: ['Pass the handler last: `server.tool(name, options, handler)`.'],
  },
  'server-name-missing': {
    class: 'TypeError',
    message: 'The first argument of <class> is the name of the server, a string, not <kind>',
    cause: 'Other SDKs take an object with name and version. Here the name comes first.',
    fix: ["Write `new MCPServer('calculator', { version: '1.0.0' })`."],
  },
  'extension-missing': {
    class: 'TypeError',
    message: '<call> needs an extension. Add <extension> to the option extensions of the <side>.',
    cause: 'Tasks, skills and apps are extensions. A client or server without the extension does not load its code.',
    fix: ['Add the extension that the message names to `extensions`.'],
  },
  'bad-definition': {
    class: 'RangeError',
    message: 'The <kind> <name> has no argument <argument> to complete.',
    cause: 'The options of a tool, resource or prompt contradict each other, or do not fit its schema or its URI.',
    fix: ['Change the option that the message names, or the schema or URI that it belongs to.'],
  },
  'bad-extension': {
    class: 'TypeError',
    message: '<place> is a function that creates an extension. Call it',
    cause: 'An entry of `extensions` is not an extension, lacks a part, or claims what belongs to somebody else.',
    fix: [
      'Call the function: `extensions: [tasks()]`.',
      'For your own extension, correct the part that the message names.',
    ],
  },
  'bad-backend': {
    class: 'TypeError',
    message: '<engine>() takes <values>, not <value>.',
    cause:
      'An engine got a URL or a client that it cannot use. Often the URL comes from an environment variable that is not set.',
    fix: ['Pass a URL of the form that the message shows, or a client of a supported package.'],
  },
  'package-missing': {
    class: 'Error',
    message: '<function> needs the package <name>. Run: npm install <name>',
    cause:
      'A part of mcpwire works with a package that is not installed with it, since few programs need it. The backends throw a `BackendError`.',
    fix: ['Run the command of the message in your project, and start the program again.'],
    also: [
      'codeMode() needs the packages <names>. Run: npm install <names>',
      'No client of Postgres is installed. Run npm install pg@8, or npm install postgres@3.',
      'The package <name> does not load. Install it again with npm install <name>.',
      'This Node (<version>) has no node:sqlite, and no package for SQLite is installed. Run npm install libsql@0.5, or use Node 22.13 or later.',
    ],
  },
  'bad-secret': {
    class: 'RangeError',
    message: '<secret> must have at least <n> bytes.',
    cause: 'A secret is empty, too short or given twice. Often it comes from an environment variable that is not set.',
    fix: [
      `Create one: \`node -p "require('node:crypto').randomBytes(32).toString('base64')"\`.`,
      'Check that the environment variable is set.',
    ],
  },
  'bad-openapi': {
    class: 'OpenAPIError',
    message: 'The document is Swagger <version>.',
    cause:
      'An OpenAPI document cannot be read, has another version, is over a limit, or names a server that may not be called.',
    fix: [
      'Correct the place that `error.pointer` names. OpenAPI 3.0, 3.1 and 3.2 are supported; convert Swagger 2.0 first.',
      'Set `baseUrl` where the document names no server, or one in a private network.',
      'Set `baseUrl`, or list an origin in `authOrigins`, where the document names a server that nobody confirmed for credentials.',
    ],
  },
  'bad-skill': {
    class: 'TypeError',
    message: '<skill> has no SKILL.md.',
    cause: 'The files of a skill do not follow the format of skills, or one of them cannot be served.',
    fix: [
      'Correct the file that the message names. A skill has a `SKILL.md` with `name` and `description` at its head.',
    ],
  },
  'bad-view': {
    class: 'TypeError',
    message: '<option> is <value>. Use a uri that begins with ui://',
    cause:
      'An app, or the option `ui` of a tool, cannot be shown by a host, or a view that a server sent is not valid.',
    fix: [
      'Pass a whole HTML document and a URI that begins with `ui://` to `server.app()`.',
      'Pass what it returns as `ui`.',
    ],
  },
} as const satisfies Record<string, CatalogueEntry>
