// Where a server is installed: a file, its format, and the key of its list.
import { usageFailure } from '../terminal/failure.ts'
import type { ConfigFormat, Members, ParsedConfig } from './formats/config-format.ts'
import { loadFormat } from './formats/load-format.ts'
import { COMMON_HOST, findHost, findHosts, type Host, type HostScope, hostNames } from './hosts.ts'
import type { ServerEntry } from './server-entry.ts'
import { readTextFile, type TextFile } from './text-file.ts'

export interface PlaceOptions extends HostScope {
  host?: string
  /** A file instead of the host's own; in the host's form if there is a host, in the common form otherwise. */
  config?: string
}

export interface Place {
  readonly host: Host
  readonly path: string
  /** As messages call it. */
  readonly label: string
  /** The host, where one was named. */
  readonly hostName: string | undefined
  readonly format: ConfigFormat
  keyIn(config: ParsedConfig): string
}

export async function findPlace(options: PlaceOptions, server?: { name: string; entry: ServerEntry }): Promise<Place> {
  const { host: hostName, config, project } = options
  if (config !== undefined && project) throw usageFailure('--config and --project exclude each other.')
  if (hostName === undefined && config === undefined) throw await hostMissing()
  const host = findHost(hostName ?? COMMON_HOST, server)
  return {
    host,
    hostName,
    path: config ?? host.configPath(options),
    label: hostName === undefined ? 'the file' : host.displayName,
    format: await loadFormat(host.format),
    keyIn: ({ value }) => (hostName === undefined ? commonKeyOf(value) : host.serversKey(options)),
  }
}

export interface OpenedPlace extends TextFile {
  readonly config: ParsedConfig
}

export async function readPlace(place: Place): Promise<OpenedPlace> {
  return parsePlace(place, await readTextFile(place.path))
}

export function parsePlace({ format }: Place, file: TextFile): OpenedPlace {
  return { ...file, config: format.parse(file.path, file.text) }
}

async function hostMissing(): Promise<Error> {
  const found = await findHosts()
  return usageFailure(
    'The host is missing.',
    `Use --to or --config. Hosts on this machine: ${found.join(', ') || 'none'}. Known hosts: ${hostNames().join(', ')}.`,
  )
}

/** The key under which a file of the common form lists its servers. */
export function commonKeyOf(value: Members): string {
  const { mcpServers, servers } = value
  return mcpServers === undefined && typeof servers === 'object' && servers !== null && !Array.isArray(servers)
    ? 'servers'
    : 'mcpServers'
}
