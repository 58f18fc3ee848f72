// The servers that a file of the common form lists: `{ "mcpServers": { … } }`, or `servers` as VS Code calls them.
import { isOpenToOthers, readConfigFile } from './config-file.ts'
import { brokenAt, type ConfigDocument, keysOf, memberOf, type Node, toValue } from './config-text.ts'
import { Failure } from './failure.ts'
import { checkServerEntry, holdsSecrets, type ServerEntry } from './server-entry.ts'
import { showLine } from './terminal-text.ts'

interface ServersFile {
  path: string
  servers: Node | undefined
  warnings: string[]
}

/** All servers of a file, in its order. One that is wrong fails the whole. */
export async function readServers(path: string): Promise<{ servers: Map<string, ServerEntry>; warnings: string[] }> {
  const file = await openServers(path)
  const servers = new Map<string, ServerEntry>()
  for (const name of keysOf(file.servers)) servers.set(name, takeEntry(file, name))
  return { servers, warnings: file.warnings }
}

/** One server of a file; what is wrong with the others does not matter. */
export async function readServer(path: string, name: string): Promise<{ entry: ServerEntry; warnings: string[] }> {
  const file = await openServers(path)
  const names = keysOf(file.servers)
  if (!names.includes(name)) {
    const hint =
      names.length === 0 ? 'It lists no servers.' : `It lists ${names.map((one) => `'${showLine(one)}'`).join(', ')}.`
    throw new Failure(`There is no server '${showLine(name)}' in ${file.path}.`, { hint })
  }
  return { entry: takeEntry(file, name), warnings: file.warnings }
}

/** The key under which a file of the common form lists its servers. */
export function serversKeyOf({ root }: ConfigDocument): string {
  return memberOf(root, 'mcpServers') === undefined && memberOf(root, 'servers')?.type === 'object'
    ? 'servers'
    : 'mcpServers'
}

/** The object under a key, if there is one; anything else there fails. */
export function serversUnder(document: ConfigDocument, key: string): Node | undefined {
  const servers = memberOf(document.root, key)
  if (servers === undefined || servers.type === 'object') return servers
  throw brokenAt(document, servers.offset, `'${key}' is not an object`)
}

/** The values of all entries, whatever they are. */
export function entriesOf(servers: Node | undefined): unknown[] {
  return servers === undefined ? [] : Object.values(toValue(servers) as object)
}

async function openServers(path: string): Promise<ServersFile> {
  const { document, mode, path: real } = await readConfigFile(path)
  if (mode === undefined) throw new Failure(`The file ${path} does not exist.`)
  const servers = serversUnder(document, serversKeyOf(document))
  const warnings: string[] = []
  if (servers === undefined) warnings.push(`${real} has neither 'mcpServers' nor 'servers'.`)
  else if (isOpenToOthers(mode) && holdsSecrets(entriesOf(servers))) {
    warnings.push(`${real} holds environment variables or headers, and others can read it: chmod 600 keeps them out.`)
  }
  return { path: real, servers, warnings }
}

function takeEntry({ path, servers, warnings }: ServersFile, name: string): ServerEntry {
  const node = memberOf(servers, name)
  const checked = checkServerEntry(node && toValue(node), { file: path, server: name })
  warnings.push(...checked.warnings)
  return checked.entry
}
