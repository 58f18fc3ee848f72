// All verbs, in the order of the help. An entry here and a line in cli/verbs/verbs.ts make a verb.
import type { VerbHelp, VerbListing } from './verb-help.ts'

/** What `mcpwire --help` shows, and where the rest is: a command loads the help of its own verb only. */
export const VERB_LIST: readonly VerbListing[] = [
  {
    name: 'init',
    group: 'Build',
    summary: 'Create a project from a template',
    load: async () => (await import('./build-verbs.ts')).init,
  },
  {
    name: 'dev',
    group: 'Build',
    summary: 'Run a server and reload it when its files change',
    load: async () => (await import('./build-verbs.ts')).dev,
  },
  {
    name: 'run',
    group: 'Build',
    summary: 'Run the server in a file',
    load: async () => (await import('./build-verbs.ts')).run,
  },
  {
    name: 'worker',
    group: 'Build',
    summary: 'Run the tasks of a server and serve nobody',
    load: async () => (await import('./build-verbs.ts')).worker,
  },
  {
    name: 'migrate',
    group: 'Build',
    summary: 'Rewrite a program of the official SDK for mcpwire',
    load: async () => (await import('./build-verbs.ts')).migrate,
  },
  {
    name: 'list',
    group: 'Use',
    summary: 'List the tools, resources and prompts of a server',
    load: async () => (await import('./use-verbs.ts')).list,
  },
  {
    name: 'call',
    group: 'Use',
    summary: 'Call a tool and print its result',
    load: async () => (await import('./use-verbs.ts')).call,
  },
  {
    name: 'read',
    group: 'Use',
    summary: 'Read a resource and print it',
    load: async () => (await import('./use-verbs.ts')).read,
  },
  {
    name: 'prompt',
    group: 'Use',
    summary: 'Get a prompt and print its messages',
    load: async () => (await import('./use-verbs.ts')).prompt,
  },
  {
    name: 'listen',
    group: 'Use',
    summary: 'Print changes of a server as they come',
    load: async () => (await import('./use-verbs.ts')).listen,
  },
  {
    name: 'tasks',
    group: 'Use',
    summary: 'List, watch and cancel tasks that this machine has started',
    load: async () => (await import('./use-verbs.ts')).tasks,
  },
  {
    name: 'inspect',
    group: 'Debug',
    summary: 'Open the inspector for a server',
    load: async () => (await import('./debug-verbs.ts')).inspect,
  },
  {
    name: 'doctor',
    group: 'Debug',
    summary: 'Find out what is wrong with a server, or with this machine',
    load: async () => (await import('./debug-verbs.ts')).doctor,
  },
  {
    name: 'install',
    group: 'Connect hosts',
    summary: 'Add a server to the config of one or more hosts',
    load: async () => (await import('./host-verbs.ts')).install,
  },
  {
    name: 'uninstall',
    group: 'Connect hosts',
    summary: 'Remove a server from the config of one or more hosts',
    load: async () => (await import('./host-verbs.ts')).uninstall,
  },
  {
    name: 'servers',
    group: 'Connect hosts',
    summary: 'List the servers that are configured on this machine',
    load: async () => (await import('./host-verbs.ts')).servers,
  },
  {
    name: 'login',
    group: 'Connect hosts',
    summary: 'Log in to a server and keep the tokens for later commands',
    load: async () => (await import('./login-verbs.ts')).login,
  },
  {
    name: 'logout',
    group: 'Connect hosts',
    summary: 'Forget the tokens of a server',
    load: async () => (await import('./login-verbs.ts')).logout,
  },
  {
    name: 'proxy',
    group: 'Ship',
    summary: 'Run a server in front of one or more others',
    load: async () => (await import('./build-verbs.ts')).proxy,
  },
  {
    name: 'openapi',
    group: 'Ship',
    summary: 'Run a server whose tools are the operations of an OpenAPI document',
    load: async () => (await import('./build-verbs.ts')).openapi,
  },
  {
    name: 'conformance',
    group: 'Ship',
    summary: 'Run the official conformance suite against a server',
    load: async () => (await import('./ship-verbs.ts')).conformance,
  },
  {
    name: 'completion',
    group: 'Other',
    summary: 'Print a completion script for a shell',
    load: async () => (await import('./other-verbs.ts')).completion,
  },
  {
    name: 'version',
    group: 'Other',
    summary: 'Print the versions of mcpwire, Node and the protocol',
    load: async () => (await import('./other-verbs.ts')).version,
  },
]

/** A verb with everything about it. */
export async function loadVerb({ load, ...listing }: VerbListing): Promise<VerbHelp> {
  return { ...listing, ...(await load()) }
}

export function loadVerbs(): Promise<readonly VerbHelp[]> {
  return Promise.all(VERB_LIST.map(loadVerb))
}
