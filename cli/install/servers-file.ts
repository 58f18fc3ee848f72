// The servers that a file of the common form lists: `{ "mcpServers": { … } }`, or `servers` as VS Code calls them.

import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { isDisabled } from './common-form.ts'
import { isOpenToOthers, readConfigFile } from './config-file.ts'
import { type ConfigDocument, keysOf, memberOf, type Node, serversUnder, toValue } from './formats/config-text.ts'
import { holdsSecrets } from './formats/secrets.ts'
import { checkServerEntry, type ServerEntry } from './server-entry.ts'

interface ServersFile {
  path: string
  servers: Node | undefined
  warnings: string[]
}

export interface ReadServers {
  servers: Map<string, ServerEntry>
  /** The names of those that the file switches off. Nothing starts them. */
  disabled: string[]
  warnings: string[]
}

/** All servers of a file, in its order. One that is wrong fails the whole. */
export async function readServers(path: string): Promise<ReadServers> {
  const file = await openServers(path)
  const read: ReadServers = { servers: new Map(), disabled: [], warnings: file.warnings }
  for (const name of keysOf(file.servers)) {
    if (isDisabled(readEntry(file, name))) read.disabled.push(name)
    else read.servers.set(name, takeEntry(file, name))
  }
  return read
}

/** One server of a file; what is wrong with the others does not matter. */
export async function readServer(path: string, name: string): Promise<{ entry: ServerEntry; warnings: string[] }> {
  const file = await openServers(path)
  assertListed(keysOf(file.servers), name, file.path)
  if (isDisabled(readEntry(file, name))) throw disabledServer(name, file.path)
  return { entry: takeEntry(file, name), warnings: file.warnings }
}

/** Whoever switches a server off does not expect that anything starts it. */
export function disabledServer(name: string, path: string): Failure {
  return new Failure(`The server '${showLine(name)}' is disabled in ${showLine(path)}.`, {
    slug: 'bad-target',
    exitCode: EXIT.usage,
    hint: 'Enable it in that file, then run the command again.',
  })
}

/** Fails where a list has no such server, with those that it has. */
export function assertListed(names: readonly string[], name: string, path: string): void {
  if (names.includes(name)) return
  throw new Failure(`${path} lists no server '${showLine(name)}'.`, {
    hint:
      names.length === 0 ? 'It lists no servers.' : `It lists ${names.map((one) => `'${showLine(one)}'`).join(', ')}.`,
  })
}

/** A warning for a file with secrets that other users can read. */
export function warningOfReaders(
  path: string,
  mode: number | undefined,
  entries: readonly unknown[],
): string | undefined {
  if (mode === undefined || !isOpenToOthers(mode) || !holdsSecrets(entries)) return undefined
  return `${path} holds environment variables, headers or keys, and other users can read it. Run chmod 600 on it.`
}

/** The key under which a file of the common form lists its servers. */
export function serversKeyOf({ root }: ConfigDocument): string {
  return memberOf(root, 'mcpServers') === undefined && memberOf(root, 'servers')?.type === 'object'
    ? 'servers'
    : 'mcpServers'
}

/** The values of all entries, whatever they are. */
export function entriesOf(servers: Node | undefined): unknown[] {
  return servers === undefined ? [] : Object.values(toValue(servers) as object)
}

async function openServers(path: string): Promise<ServersFile> {
  const file = await readConfigFile(path)
  if (file.mode === undefined) throw new Failure(`The file ${path} does not exist.`, { exitCode: EXIT.noConnection })
  const key = serversKeyOf(file.document)
  const servers = serversUnder(file.document, key)
  const warning =
    servers === undefined
      ? `${file.path} has neither 'mcpServers' nor 'servers'.`
      : warningOfReaders(file.path, file.mode, entriesOf(servers))
  return { path: file.path, servers, warnings: warning === undefined ? [] : [warning] }
}

function takeEntry(file: ServersFile, name: string): ServerEntry {
  const checked = checkServerEntry(readEntry(file, name), { file: file.path, server: name })
  file.warnings.push(...checked.warnings)
  return checked.entry
}

function readEntry({ servers }: ServersFile, name: string): unknown {
  const node = memberOf(servers, name)
  return node && toValue(node)
}
