// Which versions of tools callers see, where several have one name.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { quote } from '../../schema/json-schema.ts'
import { type ServerRequestContext, withVersions } from '../../server/context.ts'
import type { Component, ListMethod, ListPage, Source } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import {
  compareVersions,
  isComponentVersion,
  isInRanges,
  listedVersion,
  type VersionRange,
  versionKey,
  wantedVersion,
} from '../../wire/component-versions.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import type { Transform } from '../sources/transform.ts'
import { unknownName } from '../sources/unknown.ts'
import { Layer } from './layer.ts'
import { MapLayer } from './map-layer.ts'

/** A range of versions for `version()`. */
export interface VersionOptions {
  /** The lowest one (default: any). */
  at?: string | undefined
  /** Lower than this one (default: any). */
  below?: string | undefined
}

export const VERSION_KEYS: KnownKeys<VersionOptions> = { at: true, below: true }

/**
 * Shows one version of each tool: this one, or the highest of a range. VersionOptions outside can't be called. Tools without a version stay.
 *
 * @example
 * ```ts
 * import { version } from 'mcpwire/transforms'
 * server.transform(version({ at: '1', below: '3' }))
 * ```
 */
export function version(wanted: string | VersionOptions): Transform {
  const range = readRange(wanted)
  return (source) =>
    new MapLayer(new VersionLayer(source, range), {
      maps: { 'tools/list': (tool) => (isLeft(tool, range) ? tool : undefined) },
      isPerCaller: false,
      keyOf: (_list, key) => key,
    })
}

function readRange(wanted: string | VersionOptions): VersionRange {
  if (typeof wanted === 'string') {
    const exact = requireVersion('version()', wanted)
    return { key: versionKey(exact), includes: (one) => compareVersions(one, exact) === 0 }
  }
  if (!isPlainObject(wanted)) {
    throw typeError('wrong-argument', "version() takes a version such as '2', or an object with at, below or both.")
  }
  checkKeys('version()', wanted, VERSION_KEYS)
  const { at, below } = wanted as VersionOptions
  const [low, high] = [
    at === undefined ? undefined : requireVersion('at of version()', at),
    below === undefined ? undefined : requireVersion('below of version()', below),
  ]
  if (low !== undefined && high !== undefined && compareVersions(low, high) >= 0) {
    throw rangeError('wrong-option', `No version is at least ${quote(low)} and below ${quote(high)}.`)
  }
  return {
    key: `${low === undefined ? '' : versionKey(low)}-${high === undefined ? '' : versionKey(high)}`,
    includes: (one) =>
      (low === undefined || compareVersions(one, low) >= 0) && (high === undefined || compareVersions(one, high) < 0),
  }
}

function requireVersion(owner: string, value: unknown): string {
  if (isComponentVersion(value)) return value
  const given = typeof value === 'string' ? quote(value) : String(value)
  throw rangeError('wrong-argument', `${owner} takes a version such as '2' or '1.4.0', not ${given}.`)
}

/** A source that knows nothing of ranges lists what it likes. */
function isLeft(tool: Component, range: VersionRange): boolean {
  const listed = listedVersion(tool)
  return listed === undefined || isInRanges(listed, [range])
}

/** Tells what is behind it which versions count, and lets no call name another one. */
class VersionLayer extends Layer {
  readonly #range: VersionRange

  constructor(inner: Source, range: VersionRange) {
    super(inner)
    this.#range = range
  }

  override list(list: ListMethod, request: ServerRequestContext, cursor?: string): MaybePromise<ListPage> {
    return this.inner.list(list, withVersions(request, this.#range), cursor)
  }

  override find(list: ListMethod, key: string, request: ServerRequestContext): MaybePromise<Component | undefined> {
    return super.find(list, key, withVersions(request, this.#range))
  }

  override handle(request: ServerRequestContext, method: string, params: JSONObject): MaybePromise<JSONObject> {
    const wanted = method === 'tools/call' ? wantedVersion(params) : undefined
    if (wanted !== undefined && !isInRanges(wanted, [this.#range])) throw unknownName('tool', params['name'] as string)
    return this.inner.handle(withVersions(request, this.#range), method, params)
  }

  override mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return super.mirrored(tool, withVersions(request, this.#range))
  }
}
