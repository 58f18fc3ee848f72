// The templates of `mcpwire init`. Their files are in cli/templates, one folder each, and are projects as they stand.

export interface Template {
  readonly name: string
  /** For the help and the list to choose from. */
  readonly summary: string
  /** The folder where none is named. */
  readonly folder: string
  /** A command that shows what the project does, in the words of npm. */
  readonly firstCommand: string
  /** Those that need it, each in a terminal of its own (default: `npm run dev`, which needs nothing). */
  readonly moreCommands?: readonly string[]
}

export const TEMPLATES: readonly Template[] = [
  {
    name: 'minimal',
    summary: 'a server over stdio, with a tool, a resource and a prompt',
    folder: 'my-server',
    firstCommand: 'npx mcpwire call . add a=1 b=2',
  },
  {
    name: 'http',
    summary: 'a server over HTTP, with a Dockerfile and a health check',
    folder: 'my-server',
    firstCommand: 'npx mcpwire call . temperature city=Rome',
  },
  {
    name: 'auth',
    summary: 'a server over HTTP with a login, and an authorization server to try it',
    folder: 'my-server',
    firstCommand: 'npm run authorization',
    moreCommands: ['npm start', 'npx mcpwire call http://127.0.0.1:3000/mcp read'],
  },
  {
    name: 'client',
    summary: 'a program that uses a server',
    folder: 'my-client',
    firstCommand: 'npm start',
  },
  {
    name: 'host',
    summary: 'a program that uses several servers and answers their questions',
    folder: 'my-host',
    firstCommand: 'npm start',
  },
  {
    name: 'app',
    summary: 'a server with a tool that has a view',
    folder: 'my-app',
    firstCommand: 'npx mcpwire call . roll sides=6',
  },
  {
    name: 'worker',
    summary: 'a server as a fetch handler, for Cloudflare Workers',
    folder: 'my-worker',
    firstCommand: 'npx mcpwire call . hash text=abc',
  },
]

export const DEFAULT_TEMPLATE = 'minimal'

/** What template files call the project. It is replaced by the name that the user chose. */
export const PLACEHOLDER_NAME = 'my-server'

export function findTemplate(name: string): Template {
  const template = TEMPLATES.find((one) => one.name === name)
  if (template === undefined) throw new Error(`There is no template '${name}'.`)
  return template
}
