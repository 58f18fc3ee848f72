// The config files that may list servers: those of the project, from the working directory upwards, and those of the user's hosts.
import { dirname, join } from 'node:path'
import type { FormatName, Members } from './formats/config-format.ts'
import { loadFormat } from './formats/load-format.ts'
import { findHost, hostNames } from './hosts.ts'
import { commonKeyOf } from './place.ts'
import { readTextFile } from './text-file.ts'

export interface ListedFile {
  readonly file: string
  /** The folder of the project, where the file belongs to one and not to the user. */
  readonly project?: string
  readonly host?: string
  readonly format: FormatName
  /** The key of the list; the usual ones where there is none. */
  readonly key?: string
}

const PROJECT_FILES = ['mcp.json', '.mcp.json', join('.vscode', 'mcp.json'), join('.cursor', 'mcp.json')]
const MAX_FOLDERS = 64

function projectFiles(): ListedFile[] {
  const files: ListedFile[] = []
  let folder = process.cwd()
  for (let depth = 0; depth < MAX_FOLDERS; depth += 1) {
    for (const name of PROJECT_FILES) files.push({ file: join(folder, name), project: folder, format: 'json' })
    const parent = dirname(folder)
    if (parent === folder) break
    folder = parent
  }
  return files
}

/** Those of the project first. A file of a host is the user's own, also where the working directory is the user's home. */
export function allFiles(): ListedFile[] {
  const ofHosts = hostFiles(hostNames())
  const own = new Set(ofHosts.map(({ file }) => file))
  return [...projectFiles().filter(({ file }) => !own.has(file)), ...ofHosts]
}

/** Hosts whose files are not read here are left out. */
export function hostFiles(names: readonly string[]): ListedFile[] {
  return names.flatMap((name) => {
    try {
      const host = findHost(name)
      return [{ file: host.configPath({}), host: name, format: host.format, key: host.serversKey({}) }]
    } catch {
      return []
    }
  })
}

/** The entries of a file, whatever they are. Fails where the file is broken. */
export async function listEntries({ file, format, key }: ListedFile): Promise<Members> {
  const [{ path, text }, { parse }] = await Promise.all([readTextFile(file), loadFormat(format)])
  const config = parse(path, text)
  return config.serversUnder(key ?? commonKeyOf(config.value)) ?? {}
}
