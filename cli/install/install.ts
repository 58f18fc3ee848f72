// `mcpwire install` and `mcpwire uninstall`: add a server to the configs of hosts, and remove it.
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import type { EntryChange } from './formats/config-format.ts'
import { holdsSecrets } from './formats/secrets.ts'
import { type InstallPlan, planInstall } from './install-plan.ts'
import { type Changed, printChanged, printPlanned, printUnchanged } from './install-report.ts'
import { findPlace, type OpenedPlace, type Place, type PlaceOptions, parsePlace, readPlace } from './place.ts'
import type { ServerEntry } from './server-entry.ts'
import { assertListed, warningOfReaders } from './servers-file.ts'
import { type ConfigChange, changeTextFile } from './text-file.ts'

export interface UninstallOptions extends PlaceOptions {
  /** The name of the server in the file. */
  name: string
  /** Several hosts at once, instead of `host`. */
  hosts?: readonly string[]
  /** Print the change and write nothing. */
  dryRun?: boolean
}

export interface InstallOptions extends UninstallOptions {
  entry: ServerEntry
  /** Replace an entry of that name. */
  force?: boolean
  /** Throws where the entry cannot work; asked before anything is written. */
  check?: () => Promise<void>
}

const MAX_NAME_LENGTH = 128

/** All files are read and planned, and the server is tried, before the first of them is written. */
export async function install(options: InstallOptions, output: Output): Promise<Changed[]> {
  const { name, entry, dryRun = false } = options
  checkName(name)
  const places = await findPlaces(options, { name, entry })
  const plan = (place: Place, { config }: OpenedPlace) =>
    planInstall(config, { ...options, host: place.host, serversKey: place.keyIn(config) })
  const planned = await Promise.all(
    places.map(async (place) => {
      const opened = await readPlace(place)
      const made = plan(place, opened)
      // Edited here too, so that a dry run fails where the real one would, and nothing is written where one of them would fail.
      if (made.edits.length > 0) opened.config.change(made)
      return { place, opened, made }
    }),
  )
  if (dryRun) return planned.map(({ place, opened, made }) => printPlanned(place, opened, made, output))
  if (planned.some(({ made }) => made.edits.length > 0)) await options.check?.()
  const changed: Changed[] = []
  for (const place of places) changed.push(await installAt(place, (opened) => plan(place, opened), output))
  return changed
}

async function installAt(place: Place, plan: (opened: OpenedPlace) => InstallPlan, output: Output): Promise<Changed> {
  let made: InstallPlan | undefined
  const outcome = await changeTextFile(place.path, (file) => {
    const opened = parsePlace(place, file)
    made = plan(opened)
    return made.edits.length === 0 ? undefined : toChange(opened, made)
  })
  if (outcome.isChanged && made !== undefined) return printChanged(place, outcome, made, output)
  const changed = printUnchanged(place, outcome, made?.name ?? '', output)
  const { path, mode, config } = await readPlace(place)
  const warning = warningOfReaders(path, mode, Object.values(config.serversUnder(place.keyIn(config)) ?? {}))
  if (warning !== undefined) output.note(warning)
  return changed
}

export async function uninstall(options: UninstallOptions, output: Output): Promise<Changed[]> {
  const { name, dryRun = false } = options
  const places = await findPlaces(options)
  // Looked up before anything is locked, so that nothing is made where there is no file.
  const planned = await Promise.all(
    places.map(async (place) => {
      const opened = await readPlace(place)
      const removal = planRemoval(place, opened, name)
      opened.config.change(removal)
      return { place, opened, removal }
    }),
  )
  if (dryRun) return planned.map(({ place, opened, removal }) => printPlanned(place, opened, removal, output))
  const changed: Changed[] = []
  for (const { place, removal } of planned) {
    const outcome = await changeTextFile(place.path, (file) => {
      const opened = parsePlace(place, file)
      return toChange(opened, planRemoval(place, opened, name))
    })
    changed.push(printChanged(place, outcome, removal, output))
  }
  return changed
}

function planRemoval(place: Place, { config, path, mode }: OpenedPlace, name: string): EntryChange {
  if (mode === undefined) {
    throw new Failure(`${path} does not exist, so that it lists no server.`, {
      hint: 'Run mcpwire servers to see what is configured.',
    })
  }
  const serversKey = place.keyIn(config)
  assertListed(Object.keys(config.serversUnder(serversKey) ?? {}), name, path)
  return { serversKey, name, next: undefined, edits: [{ path: [serversKey, name], value: undefined }] }
}

async function findPlaces(
  options: UninstallOptions,
  server?: { name: string; entry: ServerEntry },
): Promise<readonly Place[]> {
  const { hosts = [], config } = options
  if (hosts.length === 0) return [await findPlace(options, server)]
  if (hosts.length > 1 && config !== undefined) throw usageFailure('--config takes one --to at most.')
  const places = await Promise.all([...new Set(hosts)].map((host) => findPlace({ ...options, host }, server)))
  // Two hosts may share a file, such as .mcp.json of a project.
  return places.filter(({ path }, index) => places.findIndex((other) => other.path === path) === index)
}

function checkName(name: string): void {
  const hint = 'Use --name to give another name.'
  if (name.trim() === '') throw usageFailure('The name of the server is empty.', hint)
  if (name.length > MAX_NAME_LENGTH) throw usageFailure(`The name is longer than ${MAX_NAME_LENGTH} characters.`, hint)
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) throw usageFailure('The name has invisible characters.', hint)
  // Many hosts assign it to an object, where it would set the prototype.
  if (name === '__proto__') throw usageFailure(`'__proto__' cannot be the name of a server.`, hint)
}

function toChange({ config }: OpenedPlace, change: EntryChange): ConfigChange {
  const edited = config.change(change)
  const lists = [config, edited].map((each) => Object.values(each.serversUnder(change.serversKey) ?? {}))
  return { text: edited.text, isPrivate: lists.some(holdsSecrets) }
}
