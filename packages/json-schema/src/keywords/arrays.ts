// Keywords about arrays: how many items, which items, and whether any are alike.
import { DistinctValues } from '../engine/equality.ts'
import { evaluateMember, fits } from '../engine/evaluate.ts'
import { count } from '../engine/issue.ts'
import type { KeywordChecks, Site } from '../engine/keyword.ts'
import type { Check, SchemaNode } from '../engine/node.ts'
import type { Run } from '../engine/run.ts'
import { ENTRY, TURN } from '../engine/steps.ts'

export const ARRAY_CHECKS: KeywordChecks = {
  minItems: { compile: compileMinItems },
  maxItems: { compile: compileMaxItems },
  uniqueItems: { compile: compileUniqueItems },
}

export const ITEMS_CHECKS_2020_12: KeywordChecks = {
  prefixItems: { compile: compileTuple },
  items: { compile: compileItemsAfterPrefix },
  contains: { compile: compileContains },
}

export const ITEMS_CHECKS_DRAFT_07: KeywordChecks = {
  items: { compile: compileItemsDraft07 },
  additionalItems: { compile: compileAdditionalItems },
  contains: { compile: compileContains },
}

function compileMinItems(site: Site): Check {
  const min = site.value as number
  const reject = site.reject((value) => `expected at least ${count(min, 'item')}, got ${(value as unknown[]).length}`)
  return (value, run) => !Array.isArray(value) || value.length >= min || reject(value, run)
}

function compileMaxItems(site: Site): Check {
  const max = site.value as number
  const reject = site.reject((value) => `expected at most ${count(max, 'item')}, got ${(value as unknown[]).length}`)
  return (value, run) => !Array.isArray(value) || value.length <= max || reject(value, run)
}

function compileUniqueItems(site: Site): Check | undefined {
  if (site.value === false) return undefined
  const reject = site.reject(() => 'expected items that are all different, got the same one twice')
  return (value, run) => !Array.isArray(value) || value.length < 2 || areUnique(value, run) || reject(value, run)
}

function areUnique(items: unknown[], run: Run): boolean {
  run.spend(ENTRY)
  const known = new DistinctValues()
  for (const item of items) {
    run.spend(ENTRY)
    if (known.add(item, run)) return false
  }
  return true
}

function compileTuple(site: Site): Check {
  const nodes = site.listOfSubschemas()
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    const length = Math.min(nodes.length, value.length)
    run.spend(length * TURN)
    if (seen !== undefined) seen.leadingItems = Math.max(seen.leadingItems, length)
    let isFitting = true
    for (let index = 0; index < length; index++) {
      if (evaluateMember(nodes[index] as SchemaNode, value[index], index, run)) continue
      if (run.stopsEarly) return false
      isFitting = false
    }
    return isFitting
  }
}

function compileItemsAfterPrefix(site: Site): Check {
  const prefix = site.sibling('prefixItems')
  return compileItemsFrom(site, Array.isArray(prefix) ? prefix.length : 0)
}

function compileItemsDraft07(site: Site): Check {
  return Array.isArray(site.value) ? compileTuple(site) : compileItemsFrom(site, 0)
}

function compileAdditionalItems(site: Site): Check | undefined {
  const items = site.sibling('items')
  return Array.isArray(items) ? compileItemsFrom(site, items.length) : undefined
}

function compileItemsFrom(site: Site, start: number): Check {
  if (site.value === false) return forbidItemsFrom(site, start)
  const node = site.subschema()
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    if (seen !== undefined) seen.hasAllItems = true
    let isFitting = true
    run.spend(value.length * TURN)
    for (let index = start; index < value.length; index++) {
      if (evaluateMember(node, value[index], index, run)) continue
      if (run.stopsEarly) return false
      isFitting = false
    }
    return isFitting
  }
}

function forbidItemsFrom(site: Site, max: number): Check {
  const reject = site.reject((value) => `expected at most ${count(max, 'item')}, got ${(value as unknown[]).length}`)
  return (value, run) => !Array.isArray(value) || value.length <= max || reject(value, run)
}

function compileContains(site: Site): Check {
  const node = site.subschema()
  const min = (site.sibling('minContains') as number | undefined) ?? 1
  const max = (site.sibling('maxContains') as number | undefined) ?? Number.POSITIVE_INFINITY
  const reject = site.reject((_, found) => `expected ${rangeText(min, max)} of a certain kind, got ${found}`)
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true
    let found = 0
    for (let index = 0; index < value.length; index++) {
      run.spend(TURN)
      if (!fits(node, value[index], run, undefined)) continue
      found += 1
      seen?.addItem(index, run)
      if (found > max) break
      if (found >= min && max === Number.POSITIVE_INFINITY && seen === undefined) return true
    }
    return (found >= min && found <= max) || reject(value, run, String(found))
  }
}

function rangeText(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return `at least ${count(min, 'item')}`
  if (min === max) return `exactly ${count(min, 'item')}`
  return min === 0 ? `at most ${count(max, 'item')}` : `${min} to ${count(max, 'item')}`
}
