// mcpwire servers: the servers that are configured on this machine, by file, with their state.
import { existsSync } from 'node:fs'
import { maskEntry } from '../install/formats/secrets.ts'
import { displayNameOf, findHost } from '../install/hosts.ts'
import { allFiles, hostFiles, type ListedFile, listEntries } from '../install/listed-files.ts'
import { findState, type ServerState, type StateReport } from '../install/server-state.ts'
import { prepareWidths, twoColumns } from '../terminal/columns.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { startSpinner } from '../terminal/progress.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'

interface ServersOptions {
  of?: string
  /** Only this file; in the form of the host if there is one, in the common form otherwise. */
  config?: string
  /** `false` with `--no-check`. */
  check?: boolean
  /** Also start what files of the project list. */
  yes?: boolean
}

interface ListedServer extends Partial<Omit<StateReport, 'state'>> {
  readonly name: string
  /** Without secrets. */
  readonly entry: unknown
  readonly state: ServerState | 'not checked'
}

interface ListedServers {
  readonly file: string
  readonly host: string | undefined
  readonly servers: readonly ListedServer[]
  /** Why the file cannot be read. */
  readonly problem?: string
}

/** Each takes a process. */
const AT_ONCE = 4

export async function serversVerb({ options, output, interruption }: Invocation<ServersOptions>): Promise<number> {
  const { of: host } = options
  // Fails for names that are not known.
  if (host !== undefined) findHost(host)
  const files = filesOf(options)
  const found = files.filter(
    ({ file }, index) => existsSync(file) && files.findIndex((each) => each.file === file) === index,
  )
  const stopSpinner = startSpinner(output, 'Starting the configured servers')
  let lists: ListedServers[]
  try {
    const limit = createLimit(AT_ONCE)
    lists = await Promise.all(found.map((file) => readFile(file, options, limit, interruption)))
  } finally {
    stopSpinner()
  }
  const shown = lists.filter(({ servers, problem }) => servers.length > 0 || problem !== undefined)
  if (output.isJSON) output.print(showJSON({ files: shown }))
  else await printLists(shown, options.config, output)
  return EXIT.done
}

function filesOf({ of: host, config }: ServersOptions): readonly ListedFile[] {
  if (config === undefined) return host === undefined ? allFiles() : hostFiles([host])
  if (!existsSync(config)) {
    const [slug, exitCode] = ['file-not-found', EXIT.noConnection] as const
    throw new Failure(`${showLine(config)} does not exist.`, { slug, exitCode, hint: 'Check the path of --config.' })
  }
  const [ofHost] = host === undefined ? [] : hostFiles([host])
  // Whoever names a file may start what stands in it.
  return [ofHost === undefined ? { file: config, format: 'json' } : { ...ofHost, file: config }]
}

type Limit = <T>(work: () => Promise<T>) => Promise<T>

async function readFile(
  file: ListedFile,
  options: ServersOptions,
  limit: Limit,
  signal: AbortSignal,
): Promise<ListedServers> {
  const listed = { file: file.file, host: file.host }
  try {
    const entries = await listEntries(file)
    const servers = Object.entries(entries).map(async ([name, value]): Promise<ListedServer> => {
      const shown = { name, entry: maskEntry(value) }
      // A file that came with a project may start anything.
      const isTried = options.check !== false && (file.project === undefined || options.yes === true)
      if (!isTried) return { ...shown, state: 'not checked' }
      return { ...shown, ...(await limit(() => findState(value, { file: file.file, server: name }, signal))) }
    })
    return { ...listed, servers: await Promise.all(servers) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...listed, servers: [], problem: error.message }
  }
}

const WORDS: Readonly<Record<ListedServer['state'], string>> = {
  starts: 'starts',
  reachable: 'reachable',
  login: 'requires a login',
  disabled: 'disabled',
  fails: 'cannot start',
  invalid: 'is not valid',
  'not checked': 'not checked',
}

async function printLists(lists: readonly ListedServers[], config: string | undefined, output: Output): Promise<void> {
  if (lists.length === 0) {
    output.print(config === undefined ? 'No config file on this machine lists a server.' : 'The file lists no server.')
    return
  }
  await prepareWidths(...lists.flatMap(({ servers }) => servers.map(({ name }) => showLine(name))))
  const { paint } = output
  for (const [index, { file, host, servers, problem }] of lists.entries()) {
    if (index > 0) output.print('')
    output.print(paint.bold(titleOf(host, config, file)))
    if (problem !== undefined) output.print(`  ${paint.red('error')} ${showLine(problem)}`)
    const rows = servers.map(({ name, state, reason }) => {
      const words = `${WORDS[state]}${reason === undefined ? '' : `: ${reason}`}`
      return [showLine(name), words] as [string, string]
    })
    for (const line of twoColumns(rows, { width: output.isTerminal ? output.width : undefined })) output.print(line)
  }
}

function titleOf(host: string | undefined, config: string | undefined, file: string): string {
  if (host !== undefined) return `${displayNameOf(host)} · ${showLine(file)}`
  return config === undefined ? `Project · ${showLine(file)}` : showLine(file)
}

/** At most so many at once, in their order. */
function createLimit(most: number): Limit {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await work()
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
}
