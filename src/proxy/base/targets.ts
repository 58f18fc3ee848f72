// What a proxy can stand in front of: any target of a client, a choice by caller, or an entry of a configuration.
import { isDisabled } from '../../client/group/configured-servers.ts'
import { type ClientTarget, parseTarget } from '../../client/opening/targets.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ProxyCaller } from './caller.ts'

/** Chooses the target of a caller. Called when a connection is opened for it. */
export type TargetChoice = (caller: ProxyCaller) => MaybePromise<ClientTarget>

/** An `mcpServers` object with one entry. */
export interface ConfiguredTarget {
  /** The one server, by its name. Use `createGateway()` for several. */
  readonly mcpServers: Readonly<Record<string, ConfiguredEntry>>
}

/** A server as configurations of hosts describe it. Other keys belong to the host. */
export interface ConfiguredEntry {
  /** The program to start. Use either `command` or `url`. */
  readonly command?: string | undefined
  /** The arguments of `command`. */
  readonly args?: readonly string[] | undefined
  /** Environment variables of `command`. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** The working directory of `command`. */
  readonly cwd?: string | undefined
  /** The address of an HTTP server. */
  readonly url?: string | undefined
  /** Headers of every request to `url`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly [foreign: string]: unknown
}

/** What `createProxy()` takes. */
export type ProxyTarget = ClientTarget | TargetChoice | ConfiguredTarget

/** A target that was checked. Nothing is open yet. */
export interface CheckedTarget {
  /** For messages: the key of its entry, or `source`. */
  readonly name: string
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Names of keys that belong to other hosts and are ignored. */
  readonly foreign: readonly string[]
  /** Whether a function of the author chooses. */
  readonly isChosen: boolean
  choose(caller: ProxyCaller): MaybePromise<ClientTarget>
}

const KNOWN_KEYS: ReadonlySet<string> = new Set(['type', 'command', 'args', 'env', 'cwd', 'url', 'headers'])

/** Throws `TypeError` for what is no target. Opens nothing. */
export function checkTarget(target: ProxyTarget, name = 'source'): CheckedTarget {
  if (typeof target === 'function') return { name, headers: undefined, foreign: [], isChosen: true, choose: target }
  if (isPlainObject(target) && isPlainObject((target as Record<string, unknown>)['mcpServers'])) {
    const entries = Object.entries((target as ConfiguredTarget).mcpServers)
    const [first] = entries
    if (first === undefined || entries.length > 1) {
      const count = entries.length === 0 ? 'no server' : `${entries.length} servers`
      throw typeError(
        'bad-target',
        `mcpServers has ${count}. Pass one to createProxy(), or all of them to createGateway().`,
      )
    }
    return checkEntry(first[1], first[0])
  }
  parseTarget(target as ClientTarget)
  return { name, headers: undefined, foreign: [], isChosen: false, choose: () => target as ClientTarget }
}

/** A target, or an entry with `command` or `url`. */
export function checkEntry(entry: unknown, name: string): CheckedTarget {
  if (!isPlainObject(entry))
    throw typeError('bad-target', `The server '${name}' must be an object with command or url.`)
  if (isDisabled(entry))
    throw typeError('bad-target', `The server '${name}' is disabled. Enable it, or take it out of the targets.`)
  const { command, args, env, cwd, url, headers } = entry as ConfiguredEntry
  const foreign = Object.keys(entry).filter((key) => !KNOWN_KEYS.has(key))
  if ((command === undefined) === (url === undefined)) {
    throw typeError('bad-target', `The server '${name}' must have either command or url.`)
  }
  const target: ClientTarget = url ?? {
    command: command as string,
    ...(args && { args }),
    ...(env && { env }),
    ...(cwd && { cwd }),
  }
  parseTarget(target, headers === undefined ? {} : { headers })
  return { name, headers, foreign, isChosen: false, choose: () => target }
}

/** Keys of an entry that only its host knows are no error. */
export function reportForeignKeys({ name, foreign }: CheckedTarget, faults: FaultReporter): void {
  if (foreign.length === 0) return
  const keys = foreign.map((key) => `'${key.slice(0, 64)}'`).join(', ')
  faults.report({
    kind: 'configuration-warning',
    message: `mcpServers: '${name}' has ${keys}, which mcpwire ignores`,
  })
}
