// The hosts: where each keeps its list of servers, and the form of an entry.
import { join } from 'node:path'
import { type AgentConfig, agents, type McpServerConfig } from '../packages/add-mcp.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import type { FormatName } from './formats/config-format.ts'
import { maskEntry } from './formats/secrets.ts'
import type { ServerEntry } from './server-entry.ts'

export interface HostScope {
  /** The host's file in a project instead of the user's own. */
  project?: boolean
  /** The project (default: the working directory). */
  cwd?: string
}

/** A host whose file can be edited here. */
export interface Host {
  readonly name: string
  readonly displayName: string
  readonly format: FormatName
  /** The property of the file that lists the servers. */
  serversKey(scope: HostScope): string
  configPath(scope: HostScope): string
  /** The server in the form of this host. Fails if the host supports no such server in its file. */
  render(name: string, entry: ServerEntry, scope: HostScope): Record<string, unknown>
}

/** Its servers stand directly in `mcp` or in `mcp.servers`, by a rule that depends on what else is there. */
const TWO_LAYOUTS = 'opencode'

/** The common form, for files that belong to no host we know. */
export const COMMON_HOST = 'claude-code'

const table = new Map<string, AgentConfig>(Object.entries(agents))

export function hostNames(): string[] {
  return [...table.keys()].sort()
}

/** The hosts that seem to be installed for this user. */
export async function findHosts(): Promise<string[]> {
  const found = await Promise.all(
    hostNames().map(async (name) =>
      (await table
        .get(name)
        ?.detectGlobalInstall()
        .catch(() => false))
        ? [name]
        : [],
    ),
  )
  return found.flat()
}

/** Fails for names that are not known, and for hosts whose files are not edited here, with what to write there by hand. */
export function findHost(name: string, server?: { name: string; entry: ServerEntry }): Host {
  const agent = table.get(name)
  if (agent === undefined) {
    const suggestion = suggest(name, hostNames())
    throw usageFailure(`Unknown host "${showLine(name)}".${suggestion}`, `Known hosts: ${hostNames().join(', ')}.`)
  }
  if (name === TWO_LAYOUTS) throw byHand(agent, server)
  return {
    name,
    displayName: agent.displayName,
    format: agent.format,
    serversKey: ({ project }) => (project ? (agent.localConfigKey ?? agent.configKey) : agent.configKey),
    configPath: (scope) => configPath(agent, scope),
    render: (serverName, entry, scope) => renderEntry(agent, serverName, entry, scope),
  }
}

function configPath(agent: AgentConfig, { project = false, cwd = process.cwd() }: HostScope): string {
  if (project && agent.localConfigPath === undefined) {
    throw usageFailure(`${agent.displayName} has no configuration for projects.`, 'Leave out --project.')
  }
  if (agent.resolveConfigPath) return agent.resolveConfigPath(agent, { local: project, cwd })
  return project && agent.localConfigPath !== undefined ? join(cwd, agent.localConfigPath) : agent.configPath
}

function renderEntry(
  agent: AgentConfig,
  name: string,
  entry: ServerEntry,
  { project = false }: HostScope,
): Record<string, unknown> {
  const transport = 'url' in entry ? (entry.type ?? 'http') : 'stdio'
  if (!agent.supportedTransports.includes(transport)) {
    const hint = agent.unsupportedTransportMessage
    const what = transport === 'stdio' ? 'a command' : 'a URL'
    throw new Failure(`${agent.displayName} does not take a server with ${what} from its configuration file.`, {
      ...(hint !== undefined && { hint }),
    })
  }
  if ('command' in entry && entry.cwd !== undefined) {
    throw new Failure(`The config of ${agent.displayName} has no working directory for a server.`)
  }
  const rendered = transform(agent, name, entry, project)
  if (!isPlainObject(rendered)) throw new Failure(`The config of ${agent.displayName} has no form for this server.`)
  // As it will be read back: the table leaves members that are undefined.
  return JSON.parse(JSON.stringify(rendered)) as Record<string, unknown>
}

function transform(agent: AgentConfig, name: string, entry: ServerEntry, local: boolean): unknown {
  const config: McpServerConfig =
    'url' in entry
      ? { type: entry.type ?? 'http', url: entry.url, headers: entry.headers }
      : { command: entry.command, args: entry.args, env: entry.env }
  try {
    return agent.transformConfig(name, config, { local })
  } catch (error) {
    // fx, for one, refuses an Authorization header.
    throw new Failure(`${agent.displayName} does not take this server: ${showLine((error as Error).message)}`)
  }
}

function byHand(agent: AgentConfig, server: { name: string; entry: ServerEntry } | undefined): Failure {
  const message = `The configuration of ${agent.displayName} has two layouts, which this command does not edit: ${configPath(agent, {})}`
  if (server === undefined)
    return new Failure(message, { hint: `Edit the servers under '${agent.configKey}' yourself.` })
  const value = maskEntry(renderEntry(agent, server.name, server.entry, {}))
  const snippet = showJSON({ [agent.configKey]: Object.fromEntries([[server.name, value]]) })
  return new Failure(message, { hint: `Add this to the file, with your values in place of ***:\n\n${snippet}` })
}

/** What messages call a host. */
export function displayNameOf(name: string): string {
  return table.get(name)?.displayName ?? name
}
