// The verbs that create a project and start its servers.
import { PACKAGE_MANAGERS } from '../init/package-managers.ts'
import { TEMPLATES } from '../init/templates.ts'
import { OUTPUT, SERVER_FILE } from './shared-options.ts'
import type { OptionHelp, VerbDetails } from './verb-help.ts'

const ENV_FILE: OptionHelp = {
  flags: '--env-file <file>',
  text: 'Read environment variables from a file',
  kind: 'file',
}

export const init: VerbDetails = {
  description: `Writes the files and installs the packages. A file that is there is never overwritten. On a terminal mcpwire asks for what the command line leaves out. ${TEMPLATES.map(({ name, summary }) => `The template ${name} is ${summary}.`).join(' ')}`,
  usage: ['init [folder]'],
  arguments: [
    {
      name: '[folder]',
      text: 'Folder of the project (default: my-server, or my- and the kind of the template)',
      kind: 'folder',
    },
  ],
  options: [
    {
      flags: '-t, --template <template>',
      text: 'Template of the project (default: minimal)',
      choices: TEMPLATES.map(({ name }) => name),
    },
    { flags: '-n, --name <name>', text: 'Name in package.json (default: the name of the folder)' },
    {
      flags: '--pm <manager>',
      text: 'Package manager (default: the one that started mcpwire, or npm)',
      choices: PACKAGE_MANAGERS,
    },
    { flags: '--no-install', text: 'Write the files and install nothing' },
    { flags: '--git', text: 'Create a git repository in the folder' },
    { flags: '-y, --yes', text: 'Take the defaults without a question' },
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire init my-server', notRun: 'it installs packages from the registry' },
    { command: 'mcpwire init my-api --template http --no-install --yes' },
    { command: 'mcpwire init my-client --template client --pm pnpm --git', notRun: 'the same' },
  ],
  seeAlso: ['dev', 'run'],
  exitCodes: {
    0: 'created',
    1: 'files are in the way, or the packages could not be installed',
    3: 'the package manager or git was not found',
  },
}

export const dev: VerbDetails = {
  description:
    'Serves over HTTP, or over stdio with --stdio. Clients stay connected across reloads: the port and the pipe stay open, sessions and subscriptions move to the new version, and changed lists are announced. A version that fails to load is reported with file and line, and the version before goes on serving. State in memory starts anew. Words after -- are the arguments of the program.',
  usage: ['dev <file> [-- <args> ...]'],
  takesDashes: true,
  arguments: [SERVER_FILE],
  options: [
    { flags: '--stdio', text: 'Serve over stdio instead of HTTP' },
    { flags: '-p, --port <port>', text: 'Port for HTTP (default: 3000, 0 for any free port)', kind: 'port' },
    { flags: '--host <address>', text: 'Address to listen on for HTTP (default: 127.0.0.1)' },
    { flags: '--path <path>', text: 'Path of the endpoint for HTTP (default: /mcp)' },
    { flags: '--watch <pattern>', text: 'Watch more files, as in "data/**/*.json"', repeats: true },
    { flags: '--poll', text: 'Look for changes instead of waiting for events, for network folders and containers' },
    {
      flags: '--drain <seconds>',
      text: 'Time for running calls to end before a reload (default: 0.5)',
      kind: 'seconds',
    },
    { flags: '--clear', text: 'Clear the terminal at every reload' },
    { flags: '--no-inspector', text: 'Run without the inspector' },
    { flags: '--no-open', text: 'Do not open the inspector in the browser' },
    { flags: '--inspect [address]', text: 'Open the debugger of Node in the server' },
    { flags: '--inspect-brk [address]', text: 'The same, and wait for it before the first line' },
    ENV_FILE,
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire dev server.js', notRun: 'it runs until Ctrl-C' },
    { command: 'mcpwire dev server.js --stdio --env-file .env' },
  ],
  seeAlso: ['run', 'inspect'],
  exitCodes: {
    0: 'the user or the client ended it',
    3: 'the file does not exist, or the port is taken',
  },
}

export const run: VerbDetails = {
  description:
    "The server is the one that the file runs itself, or an export named default, server, mcp or app, or the only one. Options override the file's own settings. On stdio, whatever the server prints to stdout goes to stderr. Words after -- are the arguments of the program.",
  usage: ['run <file> [-- <args> ...]'],
  takesDashes: true,
  arguments: [SERVER_FILE],
  options: [
    {
      flags: '-t, --transport <transport>',
      text: 'Transport to serve on (default: stdio)',
      choices: ['stdio', 'http'],
    },
    { flags: '--http', text: 'Serve over HTTP, as --transport http' },
    { flags: '-p, --port <port>', text: 'Port for HTTP (default: 3000, 0 for any free port)', kind: 'port' },
    { flags: '--host <address>', text: 'Address to listen on for HTTP (default: 127.0.0.1)' },
    { flags: '--path <path>', text: 'Path of the endpoint for HTTP (default: /mcp)' },
    ENV_FILE,
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire run server.js' },
    { command: 'mcpwire run server.js --http --port 3000', runsUntilSignal: 'Listening on' },
    { command: 'mcpwire run server.js:server --env-file .env -- --level debug' },
  ],
  seeAlso: ['worker', 'call'],
  exitCodes: {
    0: 'the client ended the server',
    1: 'the server failed while it ran',
    3: 'the file cannot be loaded, has no server, or the port is taken',
  },
}

export const worker: VerbDetails = {
  description:
    'The server has tasks() among its extensions and a backend that other processes share. At SIGINT or SIGTERM the worker takes no new tasks, gives running ones the time of --drain, and gives back those that may be run again. A second signal ends it at once.',
  usage: ['worker <file> [-- <args> ...]'],
  takesDashes: true,
  arguments: [SERVER_FILE],
  options: [
    {
      flags: '-c, --concurrency <count>',
      text: 'Tasks to run at once (default: workers of tasks(), or 16)',
      kind: 'count',
    },
    { flags: '-w, --workers <count>', text: 'Tasks to run at once', kind: 'count', isHidden: true },
    { flags: '--only <tool>', text: 'Run the tasks of this tool only', repeats: true },
    { flags: '--drain <seconds>', text: 'Time for running tasks to end after a signal (default: 5)', kind: 'seconds' },
    ENV_FILE,
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire worker worker.js', notRun: 'it needs a backend, and runs until a signal' },
    { command: 'mcpwire worker worker.js --concurrency 4 --only report --drain 30', notRun: 'the same' },
  ],
  seeAlso: ['run', 'tasks'],
  exitCodes: {
    0: 'drained after a signal',
    3: 'the file or the engine cannot be opened, or the server has no backend',
  },
}

export const migrate: VerbDetails = {
  description:
    'Reads TypeScript and JavaScript that uses @modelcontextprotocol/sdk (v1) or @modelcontextprotocol/server and client (v2), servers and clients. What cannot be decided gets a comment that begins with mcpwire-migrate. Changes package.json too. Needs ts-morph in the project: npm install --save-dev ts-morph@28.',
  usage: ['migrate [path ...]'],
  arguments: [{ name: '[paths...]', text: 'Files or folders (default: this folder)', kind: 'file' }],
  options: [
    { flags: '--from <version>', text: 'Version of the SDK (default: by the imports)', choices: ['v1', 'v2'] },
    { flags: '--dry-run', text: 'Print a diff and change nothing' },
    { flags: '--force', text: 'Change files that have uncommitted changes' },
  ],
  sharedOptions: [OUTPUT],
  examples: [{ command: 'mcpwire migrate --dry-run' }, { command: 'mcpwire migrate old-server.js --dry-run --json' }],
  seeAlso: ['run', 'dev'],
  exitCodes: {
    0: 'everything was rewritten',
    1: 'marks are left',
    3: 'ts-morph is missing, or a file cannot be parsed',
  },
}

export const proxy: VerbDetails = {
  description:
    'With one target it stands in front of that server: every tool, resource and prompt, in both eras. With several, or with --config, each has a name, which stands before the names of its tools and prompts; --only and --hide take the whole names. With --config and @names, these servers of the file are the targets, and no others of it. Servers that a file has disabled are left out. Serves over stdio, or over HTTP with --http.',
  usage: ['proxy <target> ...', 'proxy --config <file>', 'proxy -- <command> [args ...]'],
  takesDashes: true,
  arguments: [
    { name: '[targets...]', text: 'URLs, files with a server, or @names of configured servers', kind: 'target' },
  ],
  options: [
    { flags: '--as <name=target>', text: 'Target with the name that its tools get', repeats: true },
    { flags: '--config <file>', text: 'Config file whose servers are the targets', kind: 'file' },
    { flags: '--only <name>', text: 'Show this tool or prompt only; * stands for any letters', repeats: true },
    { flags: '--hide <name>', text: 'Hide this tool or prompt; * stands for any letters', repeats: true },
    { flags: '--mode <mode>', text: 'Era or revision at the back: auto, modern, legacy, 2025-11-25 … (default: auto)' },
    { flags: '--http', text: 'Serve over HTTP instead of stdio' },
    { flags: '-p, --port <port>', text: 'Port for HTTP (default: 3000, 0 for any free port)', kind: 'port' },
    { flags: '--host <address>', text: 'Address to listen on for HTTP (default: 127.0.0.1)' },
    { flags: '--path <path>', text: 'Path of the endpoint for HTTP (default: /mcp)' },
    { flags: '-y, --yes', text: 'Start the commands of project files without a question' },
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire proxy server.js' },
    {
      command: 'mcpwire proxy --as shop=server.js --as math=server.js --http --port 0',
      runsUntilSignal: 'Listening on',
    },
    { command: 'mcpwire proxy https://example.com/mcp --only "search*"', notRun: 'it needs a server on the network' },
  ],
  seeAlso: ['run', 'list'],
  exitCodes: {
    0: 'the client ended it',
    3: 'a target does not exist, or the port is taken',
  },
}

export const openapi: VerbDetails = {
  description:
    'The document is a file or a URL: OpenAPI 3.0, 3.1 or 3.2, as JSON or YAML. Each operation is a tool; above 40 of them, a search takes the place of the list. --include and --exclude name operations by tag:name, by path as in "/pets/**", by method and path as in "GET /pets/*", or by operation id. Credentials are read from environment variables. Serves over stdio, or over HTTP with --http.',
  usage: ['openapi <document>'],
  arguments: [{ name: '<document>', text: 'Path or URL of the OpenAPI document', kind: 'file' }],
  options: [
    { flags: '--base-url <url>', text: 'Address of the API (default: the first server of the document)' },
    { flags: '--include <operation>', text: 'Serve this operation; all others are left out', repeats: true },
    { flags: '--exclude <operation>', text: 'Leave this operation out', repeats: true },
    {
      flags: '--auth <scheme=variable>',
      text: 'Environment variable with the key, token or user:password of a security scheme',
      repeats: true,
    },
    {
      flags: '--auth-origin <origin>',
      text: 'Send credentials to this origin of the document, too',
      repeats: true,
    },
    { flags: '--http', text: 'Serve over HTTP instead of stdio' },
    { flags: '-p, --port <port>', text: 'Port for HTTP (default: 3000, 0 for any free port)', kind: 'port' },
    { flags: '--host <address>', text: 'Address to listen on for HTTP (default: 127.0.0.1)' },
    { flags: '--path <path>', text: 'Path of the endpoint for HTTP (default: /mcp)' },
  ],
  sharedOptions: [OUTPUT],
  examples: [
    { command: 'mcpwire openapi petstore.yaml' },
    {
      command: 'mcpwire openapi petstore.yaml --exclude tag:admin --http --port 3000',
      runsUntilSignal: 'Listening on',
    },
    {
      command:
        'mcpwire openapi https://api.example.com/openapi.json --include "GET /pets/**" --auth bearerAuth=API_TOKEN',
      notRun: 'it needs a server on the network',
    },
  ],
  seeAlso: ['proxy', 'run'],
  exitCodes: {
    0: 'the client ended it',
    3: 'the document cannot be read or is not an OpenAPI 3 document, its server must not be called, or the port is taken',
  },
}
