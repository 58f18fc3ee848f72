// `mcpwire install` and `mcpwire uninstall`: add a server to a host's config, and remove it.

import { usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import { editConfig } from './config-edit.ts'
import {
  type ConfigChange,
  type ConfigFile,
  type ConfigOutcome,
  changeConfigFile,
  readConfigFile,
} from './config-file.ts'
import type { Node } from './config-text.ts'
import { COMMON_HOST, findHost, findHosts, type Host, type HostScope, hostNames } from './hosts.ts'
import { type InstallPlan, planInstall } from './install-plan.ts'
import { holdsSecrets, maskEntry } from './secrets.ts'
import type { ServerEntry } from './server-entry.ts'
import { assertListed, entriesOf, serversKeyOf, serversUnder, warningOfReaders } from './servers-file.ts'

export interface UninstallOptions extends HostScope {
  /** The name of the server in the file. */
  name: string
  host?: string
  /** A file instead of the host's own; in the host's form if there is a host, in the common form otherwise. */
  config?: string
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

/** Which file, in which form. */
interface Target {
  host: Host
  path: string
  /** As messages call it. */
  label: string
  keyIn(file: ConfigFile): string
}

const MAX_NAME_LENGTH = 128

export async function install(options: InstallOptions, output: Output): Promise<void> {
  const { name, entry, dryRun = false } = options
  checkName(name)
  const target = await findPlace(options, { name, entry })
  const plan = (file: ConfigFile) =>
    planInstall(file, { ...options, host: target.host, serversKey: target.keyIn(file) })
  if (dryRun) {
    const file = await readConfigFile(target.path)
    showPlan(plan(file), file, target, options, output)
    return
  }
  // Tried before anything is made beside a file, or the folder for it.
  plan(await readConfigFile(target.path))
  await options.check?.()
  let made: InstallPlan | undefined
  const outcome = await changeConfigFile(target.path, (file) => {
    made = plan(file)
    return made.edits.length === 0 ? undefined : toChange(file, target, made.edits)
  })
  printInstalled(made, outcome, options, target, output)
  if (!outcome.isChanged) await warnOfReaders(target, output)
}

export async function uninstall(options: UninstallOptions, output: Output): Promise<void> {
  const { name, dryRun = false } = options
  const target = await findPlace(options)
  // Looked up before anything is locked, so that nothing is made where there is no file.
  const found = await readConfigFile(target.path)
  assertListed(serversIn(found, target), name, found.path)
  if (dryRun) {
    output.print(`Would remove the server '${showLine(name)}' from ${target.label}: ${showLine(found.path)}`)
    return
  }
  const outcome = await changeConfigFile(target.path, (file) => {
    assertListed(serversIn(file, target), name, file.path)
    return toChange(file, target, [{ path: [target.keyIn(file), name], value: undefined }])
  })
  output.print(`Removed the server '${showLine(name)}' from ${target.label}: ${showLine(outcome.path)}`)
  noteNarrowed(outcome, output)
}

async function findPlace(options: UninstallOptions, server?: { name: string; entry: ServerEntry }): Promise<Target> {
  const { host: hostName, config, project } = options
  if (config !== undefined && project) throw usageFailure('--config and --project exclude each other.')
  if (hostName === undefined && config === undefined) {
    const found = await findHosts()
    throw usageFailure(
      'The host is missing.',
      `Use --host or --config. Hosts on this machine: ${found.join(', ') || 'none'}. Known hosts: ${hostNames().join(', ')}.`,
    )
  }
  const host = findHost(hostName ?? COMMON_HOST, server)
  return {
    host,
    path: config ?? host.configPath(options),
    label: hostName === undefined ? 'the file' : host.displayName,
    keyIn: ({ document }) => (hostName === undefined ? serversKeyOf(document) : host.serversKey(options)),
  }
}

function checkName(name: string): void {
  const hint = 'Use --name to give another name.'
  if (name.trim() === '') throw usageFailure('The name of the server is empty.', hint)
  if (name.length > MAX_NAME_LENGTH) throw usageFailure(`The name is longer than ${MAX_NAME_LENGTH} characters.`, hint)
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) throw usageFailure('The name has invisible characters.', hint)
  // Many hosts assign it to an object, where it would set the prototype.
  if (name === '__proto__') throw usageFailure(`'__proto__' cannot be the name of a server.`, hint)
}

function serversIn(file: ConfigFile, target: Target): Node | undefined {
  return serversUnder(file.document, target.keyIn(file))
}

function toChange(file: ConfigFile, target: Target, edits: InstallPlan['edits']): ConfigChange {
  const edited = editConfig(file.document, edits)
  const lists = [file.document, edited].map((document) => entriesOf(serversUnder(document, target.keyIn(file))))
  return { text: edited.text, isPrivate: lists.some(holdsSecrets) }
}

function showPlan(
  { edits, next, replaces }: InstallPlan,
  file: ConfigFile,
  target: Target,
  { name }: InstallOptions,
  output: Output,
): void {
  const place = `${target.label}: ${showLine(file.path)}`
  if (edits.length === 0) {
    output.print(`The server '${showLine(name)}' is already in ${place}. Nothing would change.`)
    return
  }
  // Edited here too, so that a dry run fails where the real one would.
  editConfig(file.document, edits)
  output.print(`Would ${replaces ? 'replace' : 'add'} the server '${showLine(name)}' in ${place}`)
  output.print(showJSON({ [target.keyIn(file)]: Object.fromEntries([[name, maskEntry(next)]]) }))
}

function printInstalled(
  plan: InstallPlan | undefined,
  outcome: ConfigOutcome,
  { name }: InstallOptions,
  { label }: Target,
  output: Output,
): void {
  const place = `${label}: ${showLine(outcome.path)}`
  if (!outcome.isChanged) {
    output.print(`The server '${showLine(name)}' is already in ${place}. Nothing was changed.`)
    return
  }
  output.print(`${plan?.replaces ? 'Replaced' : 'Added'} the server '${showLine(name)}' in ${place}`)
  if (plan !== undefined && plan.kept.length > 0) {
    output.note(`Kept from the entry that was there: ${plan.kept.map(showLine).join(', ')}`)
  }
  noteNarrowed(outcome, output)
}

function noteNarrowed({ path, narrowedFrom }: ConfigOutcome, output: Output): void {
  if (narrowedFrom === undefined) return
  const bits = narrowedFrom.toString(8).padStart(3, '0')
  output.note(
    `${showLine(path)} holds environment variables, headers or keys, and other users could read it (mode ${bits}). Its mode is 600 now.`,
  )
}

async function warnOfReaders(target: Target, output: Output): Promise<void> {
  const file = await readConfigFile(target.path)
  const warning = warningOfReaders(file, target.keyIn(file))
  if (warning !== undefined) output.note(showLine(warning))
}
