// mcpwire install and uninstall: a target becomes an entry in the configs of hosts.
import { chooseHosts } from '../install/choose-hosts.ts'
import { type InstallOptions as Installation, install, uninstall } from '../install/install.ts'
import type { Changed } from '../install/install-report.ts'
import type { ServerEntry } from '../install/server-entry.ts'
import { tryEntry } from '../install/try-entry.ts'
import type { InstallEntryOptions } from '../target/install-entry.ts'
import { findStartProblems, nameTarget, parseInstallTarget, type TargetOptions } from '../target/install-target.ts'
import { ownFileOf } from '../target/target.ts'
import { candidatesOf } from '../target/url-words.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { startSpinner } from '../terminal/progress.ts'
import { showJSON } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'

interface PlaceOptions {
  to?: readonly string[]
  /** The old spelling of `--to`. */
  host?: readonly string[]
  config?: string
  project?: boolean
  dryRun?: boolean
}

interface InstallOptions extends TargetOptions, PlaceOptions, Omit<InstallEntryOptions, 'args'> {
  name?: string
  force?: boolean
  check?: boolean
}

export async function installVerb(invocation: Invocation<InstallOptions>): Promise<number> {
  const { words, afterDashes, options, output, interruption } = invocation
  const [word] = words
  if (options.portable === true && options.dev === true) throw usageFailure('--portable and --dev exclude each other.')
  const typed = await parseInstallTarget({ word, after: afterDashes }, options)
  const { name = nameTarget(word === undefined ? (afterDashes ?? []) : [word]), force } = options
  let needsLogin = false
  const tryOut = async (entry: ServerEntry) => {
    const stopSpinner = startSpinner(output, 'Starting the server as a host would')
    try {
      needsLogin = (await tryEntry(entry, interruption, ownFileOf(entry))).needsLogin
    } finally {
      stopSpinner()
    }
  }
  const entry = options.check === false ? typed : await withPath(typed, tryOut)
  // A URL that was completed has been tried.
  const check = async () => (entry === typed ? tryOut(entry) : undefined)
  const places = await findPlaces(options, `Add ${name} to which hosts?`)
  const request: Installation = { name, entry, ...places, ...given({ force }) }
  const changed = await install({ ...request, ...(options.check !== false && { check }) }, output)
  printJSON(changed, output)
  if (needsLogin) output.note('The server requires a login. The host logs in when it connects.')
  for (const problem of findStartProblems(entry)) output.note(problem)
  return EXIT.done
}

/** A URL without a path may be the server, or its host: the first one that answers as a server counts. */
async function withPath(entry: ServerEntry, tryOut: (entry: ServerEntry) => Promise<void>): Promise<ServerEntry> {
  const candidates = 'url' in entry ? candidatesOf(entry.url) : []
  let first: unknown
  for (const url of candidates.length > 1 ? candidates : []) {
    try {
      const candidate = { ...entry, url } as ServerEntry
      await tryOut(candidate)
      return candidate
    } catch (error) {
      first ??= error
      if (!(error instanceof Failure) || error.slug !== 'not-an-mcp-server') break
    }
  }
  if (first !== undefined) throw first
  return entry
}

export async function uninstallVerb({ words, options, output }: Invocation<PlaceOptions>): Promise<number> {
  const [name = ''] = words
  const places = await findPlaces(options, `Remove ${name} from which hosts?`)
  printJSON(await uninstall({ name, ...places }, output), output)
  return EXIT.done
}

async function findPlaces({ to = [], host = [], config, project, dryRun }: PlaceOptions, question: string) {
  const named = [...to, ...host].flatMap((names) => names.split(',')).filter((name) => name !== '')
  const asks = named.length === 0 && config === undefined
  const hosts = (asks ? await chooseHosts(question) : undefined) ?? named
  return { hosts, ...given({ config, project, dryRun }) }
}

function printJSON(changed: readonly Changed[], output: Output): void {
  if (output.isJSON) output.print(showJSON({ servers: changed }))
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function given<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>
}
