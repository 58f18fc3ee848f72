// Tools of which several versions have one name.
import { rangeError } from '../../primitives/help.ts'
import { quote } from '../../schema/json-schema.ts'
import { type ServerRequestContext, versionsOf } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import {
  compareVersions,
  isComponentVersion,
  isInRanges,
  versionKey,
  wantedVersion,
} from '../../wire/component-versions.ts'
import type { Choice } from '../lists/listing.ts'
import type { Registry, Slot } from '../lists/registry.ts'
import type { CompiledTool } from './tool.ts'

export class ToolVersions {
  readonly #registry: Registry<CompiledTool>
  readonly #isShown: (tool: CompiledTool, request: ServerRequestContext) => boolean
  #hasAny = false
  #enabled: readonly Slot<CompiledTool>[] = []
  #byName: ReadonlyMap<string, readonly CompiledTool[]> = new Map()

  constructor(
    registry: Registry<CompiledTool>,
    isShown: (tool: CompiledTool, request: ServerRequestContext) => boolean,
  ) {
    this.#registry = registry
    this.#isShown = isShown
  }

  /** The key of a version; throws where the name has tools with and without one. */
  claim(name: string, version: string | undefined): string | undefined {
    if (version === undefined && !this.#hasAny) return undefined
    if (this.#registry.has(name, version === undefined ? 'versioned' : 'unversioned')) {
      throw rangeError(
        'duplicate-name',
        `A tool ${quote(name)} ${version === undefined ? 'with' : 'without'} a version is already registered. Give each of them a version, or none.`,
      )
    }
    // What is no version is refused with the rest of the definition.
    if (!isComponentVersion(version)) return undefined
    this.#hasAny = true
    return versionKey(version)
  }

  /** The highest version of a name, whoever may see it. */
  highest(name: string): CompiledTool | undefined {
    return this.#hasAny ? this.#versions().get(name)?.[0] : undefined
  }

  /** The version that a caller means: the one it names, else the highest that it sees; within what transforms leave. */
  find(name: string, request: ServerRequestContext, params: JSONObject | undefined): CompiledTool | undefined {
    if (!this.#hasAny) return undefined
    const wanted = wantedVersion(params)
    const isWanted = ({ version }: CompiledTool) =>
      isInRanges(version, versionsOf(request)) &&
      (wanted === undefined || (isComponentVersion(wanted) && compareVersions(version ?? '', wanted) === 0))
    const fitting = this.#versions().get(name)?.filter(isWanted) ?? []
    return fitting.find((tool) => this.#isShown(tool, request)) ?? fitting[0]
  }

  /** `undefined` where no tool has a version. */
  choose(request: ServerRequestContext): Choice<CompiledTool> | undefined {
    if (!this.#hasAny) return undefined
    const ranges = versionsOf(request)
    return {
      key: `\n${ranges.map(({ key }) => key).join(' ')}`,
      from: (slots) => {
        const best = new Map<string, Slot<CompiledTool>>()
        for (const slot of slots) {
          if (slot.item.version === undefined || !isInRanges(slot.item.version, ranges)) continue
          const other = best.get(slot.key)
          if (other === undefined || isHigher(slot.item, other.item)) best.set(slot.key, slot)
        }
        return slots.filter((slot) => slot.item.version === undefined || best.get(slot.key) === slot)
      },
    }
  }

  /** By name, the highest first. */
  #versions(): ReadonlyMap<string, readonly CompiledTool[]> {
    const { enabled } = this.#registry
    if (enabled === this.#enabled) return this.#byName
    const byName = new Map<string, CompiledTool[]>()
    for (const { key, item } of enabled) {
      if (item.version === undefined) continue
      const known = byName.get(key)
      if (known === undefined) byName.set(key, [item])
      else known.push(item)
    }
    for (const tools of byName.values()) tools.sort((a, b) => compareVersions(b.version ?? '', a.version ?? ''))
    this.#enabled = enabled
    this.#byName = byName
    return byName
  }
}

function isHigher(tool: CompiledTool, other: CompiledTool): boolean {
  return compareVersions(tool.version ?? '', other.version ?? '') > 0
}
