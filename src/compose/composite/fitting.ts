// Which components of a page clients of a revision can read: one that is broken must not take those of all other sources along.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { adaptContent } from '../../server/results/older-revisions.ts'
import type { Component, ListPage } from '../../server/source.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion, type ProtocolVersion } from '../../types/protocol/versions.ts'
import { checkResult, sieveResult } from '../../wire/check.ts'
import { type ComponentList, factsOf, itemsOf } from '../sources/lists.ts'

/** Of a page that holds one component, for this check. */
const OWN_PLACE = /^Invalid result of \S+ \w+(?:\[0\])?\.?/

/** By version, what was found for pages that are handed out again. */
const known = new WeakMap<ListPage, Map<ProtocolVersion, ListPage>>()

/** The page without what does not fit. `onMisfit` gets each of those, with what is wrong; of pages that stay as they are, once. */
export function fittingPage(
  list: ComponentList,
  page: ListPage,
  version: ProtocolVersion,
  onMisfit: (item: Component, problem: string) => void,
): ListPage {
  const kept = known.get(page)?.get(version)
  if (kept !== undefined) return kept
  const fitting = withoutMisfits(list, page, version, onMisfit)
  if (!Object.isFrozen(page)) return fitting
  const forms = known.get(page) ?? new Map<ProtocolVersion, ListPage>()
  known.set(page, forms.set(version, fitting))
  return fitting
}

function withoutMisfits(
  list: ComponentList,
  page: ListPage,
  version: ProtocolVersion,
  onMisfit: (item: Component, problem: string) => void,
): ListPage {
  const { member } = factsOf(list)
  const { _meta, nextCursor, ...rest } = page as unknown as JSONObject
  const items = itemsOf(list, page)
  const hasMeta = _meta === undefined || isPlainObject(_meta)
  if (hasMeta && problemOf(list, version, items) === undefined) return page
  const fitting = items.filter((item) => {
    const problem = problemOf(list, version, [item])
    if (problem !== undefined) onMisfit(item, problem)
    return problem === undefined
  })
  const others = { ...(hasMeta && _meta !== undefined && { _meta }), ...(nextCursor !== undefined && { nextCursor }) }
  return { ...rest, ...others, [member]: fitting } as unknown as ListPage
}

/** What is wrong once everything is taken out that the revision lacks. */
function problemOf(list: ComponentList, version: ProtocolVersion, items: readonly Component[]): string | undefined {
  const result: JSONObject = { [factsOf(list).member]: items }
  try {
    const adapted = isModernVersion(version) ? result : adaptContent(list, version, result)
    checkResult(list, version, sieveResult(list, version, adapted))
    return undefined
  } catch (error) {
    if (error instanceof InvalidResultError) return error.message.replace(OWN_PLACE, '')
    throw error
  }
}
