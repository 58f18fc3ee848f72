// `rename` and `namespace`: other names for tools and prompts.
import { rangeError } from '../../primitives/help.ts'
import { Once } from '../../primitives/once.ts'
import { checkKeys, checkKind, type KnownKeys } from '../../primitives/options.ts'
import { quoteShort } from '../../primitives/quote.ts'
import { serverOfRequest } from '../../server/context.ts'
import type { Source } from '../../server/source.ts'
import { isPromptName, isToolName, MAX_PROMPT_NAME, TOOL_NAME_RULE } from '../../wire/component-names.ts'
import { checkNamespace, cutName, joinName, type NamingOptions, readNaming } from '../composite/names.ts'
import { type ComponentList, factsOf, NAMED_LISTS } from '../sources/lists.ts'
import type { Transform } from '../sources/transform.ts'
import { type ExpectedNames, expectNames } from './expected-names.ts'
import type { ComponentMap } from './layer-maps.ts'
import { MapLayer } from './map-layer.ts'

/** Options of `rename()`. */
export interface RenameOptions {
  /** Lets callers use the old names too; only the new ones are listed (default: `false`). */
  keepOld?: boolean | undefined
}

export const RENAME_KEYS: KnownKeys<RenameOptions> = { keepOld: 'boolean' }

type ToNew = (name: string, list: ComponentList) => string

/**
 * Renames tools and prompts: by a record from old to new names, or by a function of the old name. The old name is unknown afterwards.
 * Throws `RangeError` for what no tool can be named; what a function makes such a name of keeps its own.
 */
export function rename(
  names: Readonly<Record<string, string>> | ((name: string) => string),
  options: RenameOptions = {},
): Transform {
  checkKeys('rename()', options, RENAME_KEYS)
  const keepsOld = options.keepOld === true
  if (typeof names === 'function') {
    const toNew: ToNew = (name, list) => {
      const made: unknown = names(name)
      return isNameIn(list, made) ? made : name
    }
    return (source) => renameLayer(source, toNew, { keepsOld, report: reporting(names) })
  }
  if (typeof names !== 'object' || names === null) checkKind('The argument of rename()', names, 'function')
  const record = new Map(Object.entries(names))
  for (const name of record.values()) if (!isPromptName(name)) throw badName(name, false)
  return (source) => {
    const expected = expectNames('rename()', source, [...record.keys()])
    const tools = source.keys?.('tools/list')
    for (const [old, name] of record) {
      const mayBeTool = tools === undefined || tools.includes(old)
      if (mayBeTool && !isToolName(name)) throw badName(name, true)
    }
    return renameLayer(source, (name) => record.get(name) ?? name, { keepsOld, expected })
  }
}

function isNameIn(list: ComponentList, name: unknown): name is string {
  return list === 'tools/list' ? isToolName(name) : isPromptName(name)
}

function badName(name: unknown, isTool: boolean): RangeError {
  const rule = isTool ? TOOL_NAME_RULE : `Use 1 to ${MAX_PROMPT_NAME} printable characters.`
  const shown = typeof name === 'string' ? quoteShort(name) : String(name)
  return rangeError('bad-name', `rename() can't name a ${isTool ? 'tool' : 'prompt'} ${shown}. ${rule}`)
}

type Report = (list: ComponentList, old: string, request: Parameters<ComponentMap>[1]) => void

/** Tells once of each component that keeps its name, since the function gave none that it can have. */
function reporting(names: (name: string) => unknown): Report {
  const once = new Once()
  return (list, old, request) => {
    const made = names(old)
    if (isNameIn(list, made) || made === old || !once.isNew(`${list} ${old}`)) return
    const { message } = badName(made, list === 'tools/list')
    const kept = `The ${factsOf(list).kind} ${quoteShort(old)} keeps its name.`
    serverOfRequest(request).faults.report({ kind: 'configuration-warning', message: `${message} ${kept}` })
  }
}

interface RenameSettings {
  readonly keepsOld?: boolean
  readonly expected?: ExpectedNames | undefined
  readonly report?: Report
}

function renameLayer(source: Source, toNew: ToNew, { keepsOld, expected, report }: RenameSettings = {}): Source {
  const mapOf =
    (list: ComponentList): ComponentMap =>
    (item, request) => {
      report?.(list, item.name, request)
      const name = toNew(item.name, list)
      return name === item.name ? item : { ...item, name }
    }
  return new MapLayer(source, {
    maps: Object.fromEntries(NAMED_LISTS.map((list) => [list, mapOf(list)])),
    isPerCaller: false,
    keyOf: (list, key) => toNew(key, list),
    isDecidedByKey: true,
    keepsOld,
    expected,
  })
}

/** Puts a namespace in front of the names of tools and prompts, as `mount` does. */
export function namespace(name: string, options: Pick<NamingOptions, 'separator' | 'maxLength'> = {}): Transform {
  checkNamespace('namespace()', name)
  const naming = readNaming('namespace()', options)
  return (source) => renameLayer(source, (own) => cutName(joinName(name, own, naming), naming.maxLength))
}
