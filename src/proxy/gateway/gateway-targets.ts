// The sources of a gateway as their author gives them.
import { isDisabled, readConfiguredServers, type ServerEntries } from '../../client/group/configured-servers.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ProxyOptions } from '../base/options.ts'
import { type CheckedTarget, checkEntry, checkTarget, type ProxyTarget } from '../base/targets.ts'

/** One source of a gateway with options of its own. */
export interface GatewaySource extends ProxyOptions {
  /** Where it is. */
  target: ProxyTarget
  /** The namespace of its components (default: its name in the gateway; `''` for none). */
  as?: string | undefined
  /**
   * `true`: the gateway does without it, whatever `onFailure` says. Lists leave it out when it fails, and an eager start goes on. With
   * `false` (default) lists do as `onFailure` says, and an eager start fails.
   */
  optional?: boolean | undefined
}

/** The sources of a gateway: by name, or as configurations of hosts have them, or the path of such a file. */
export type GatewayTargets =
  | Readonly<Record<string, ProxyTarget | GatewaySource>>
  | ReadonlyMap<string, ProxyTarget | GatewaySource>
  | ServerEntries
  | string

export type NamedTargets = Iterable<readonly [name: string, target: ProxyTarget | GatewaySource]>

/** Throws `TypeError` for what holds no targets. */
export function readTargets(targets: Exclude<GatewayTargets, string>): NamedTargets {
  if (targets instanceof Map) return targets as NamedTargets & typeof targets
  if (!isPlainObject(targets)) {
    throw typeError(
      'bad-target',
      'createGateway() takes an object of targets by name, an mcpServers object or the path of a file.',
    )
  }
  const given = targets as Record<string, unknown>
  const { mcpServers, servers } = given
  const entries = isPlainObject(mcpServers) ? mcpServers : isList(servers) ? servers : given
  return Object.entries(entries) as [string, ProxyTarget][]
}

/** The list of VS Code, and not a target that has its name. */
function isList(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && !('target' in value) && Object.values(value).every(isEntry)
}

/** The sources that a file has, and what of it was ignored. */
export async function readTargetFile(
  path: string,
): Promise<{ readonly targets: NamedTargets; readonly warnings: readonly string[] }> {
  const { servers, warnings } = await readConfiguredServers(path)
  const targets = servers.map(({ label, target, options: { headers } }) => {
    const source: GatewaySource = { target, ...(headers !== undefined && { client: { headers } }) }
    return [label, source] as const
  })
  return { targets, warnings }
}

/** Whether something is to be open before the first client comes. */
export function startsEagerly(targets: GatewayTargets, { start }: ProxyOptions): boolean {
  if (start === 'eager' || typeof targets === 'string') return start === 'eager'
  return [...readTargets(targets)].some(([, target]) => asSource(target).start === 'eager')
}

export function asSource(target: ProxyTarget | GatewaySource): GatewaySource {
  return isSource(target) ? target : { target }
}

function isSource(target: ProxyTarget | GatewaySource): target is GatewaySource {
  return (
    isPlainObject(target) &&
    (target as { target?: unknown }).target !== undefined &&
    !('connectInProcess' in target) &&
    !('open' in target)
  )
}

export function checkSource(target: ProxyTarget, name: string): CheckedTarget {
  return isEntry(target) ? checkEntry(target, name) : checkTarget(target, name)
}

/** Whether the configuration that it stands in has switched it off. */
export function isSwitchedOff(target: ProxyTarget | GatewaySource): boolean {
  return isEntry(target) && isDisabled(target)
}

function isEntry(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && ('url' in value || typeof value['command'] === 'string')
}
