// Keywords about objects. Only own members count, and a member that is `undefined` is absent, as it is in JSON text.

import { evaluateMember, fits } from '../engine/evaluate.ts'
import { count, list, quote } from '../engine/issue.ts'
import type { JSONObject } from '../engine/json-schema.ts'
import { isPlainObject } from '../engine/json-schema.ts'
import type { KeywordChecks, Site } from '../engine/keyword.ts'
import type { Check, SchemaNode } from '../engine/node.ts'
import type { Run } from '../engine/run.ts'
import { LOOKUP, lookupSteps, memberSteps, TURN } from '../engine/steps.ts'
import type { GuardedPattern } from '../patterns/patterns.ts'

export const OBJECT_CHECKS: KeywordChecks = {
  required: { weigh: weighNames, compile: compileRequired },
  minProperties: { compile: compileMinProperties },
  maxProperties: { compile: compileMaxProperties },
  dependentRequired: { weigh: weighNames, compile: compileDependentRequired },
  properties: { weigh: weighNames, compile: compileProperties },
  patternProperties: { compile: compilePatternProperties },
  additionalProperties: { compile: compileAdditionalProperties },
  propertyNames: { compile: compilePropertyNames },
}

/** Each name of a list or a map is looked for. */
export function weighNames(value: unknown): number {
  return lookupSteps((Array.isArray(value) ? value : Object.keys(value as object)).length)
}

/** Whether the object has the member itself, not by its prototype. */
export function hasMember(object: JSONObject, name: string): boolean {
  return object[name] !== undefined && Object.hasOwn(object, name)
}

function compileRequired(site: Site): Check {
  const names = site.value as string[]
  const reject = site.reject((_, name) => `missing required property ${quote(name)}`)
  return (value, run) => {
    if (!isPlainObject(value)) return true
    let isFitting = true
    for (const name of names) {
      if (hasMember(value, name)) continue
      isFitting = reject(value, run, name)
      if (run.stopsEarly) return false
    }
    return isFitting
  }
}

function compileMinProperties(site: Site): Check {
  const min = site.value as number
  const reject = site.reject((_, size) => `expected at least ${propertiesText(min)}, got ${size}`)
  return (value, run) => {
    if (!isPlainObject(value)) return true
    const size = countMembers(value, run)
    return size >= min || reject(value, run, String(size))
  }
}

function compileMaxProperties(site: Site): Check {
  const max = site.value as number
  const reject = site.reject((_, size) => `expected at most ${propertiesText(max)}, got ${size}`)
  return (value, run) => {
    if (!isPlainObject(value)) return true
    const size = countMembers(value, run)
    return size <= max || reject(value, run, String(size))
  }
}

function countMembers(object: JSONObject, run: Run): number {
  let size = 0
  for (const name of run.namesOf(object)) if (object[name] !== undefined) size += 1
  return size
}

function propertiesText(amount: number): string {
  return count(amount, 'property', 'properties')
}

function compileDependentRequired(site: Site): Check {
  const entries = Object.entries(site.value as Record<string, string[]>)
  return checkDependentNames(site, entries)
}

/** Shared with `dependencies` of draft-07, whose arrays mean the same. */
export function checkDependentNames(site: Site, entries: readonly (readonly [string, readonly string[]])[]): Check {
  const reject = site.reject((_, detail) => detail)
  return (value, run) => {
    if (!isPlainObject(value)) return true
    for (const entry of entries) {
      const name = entry[0]
      if (!hasMember(value, name)) continue
      const needed = entry[1]
      run.spend(lookupSteps(needed.length))
      const missing = needed.find((other) => !hasMember(value, other))
      if (missing === undefined) continue
      return reject(value, run, `missing property ${quote(missing)}, which ${quote(name)} requires`)
    }
    return true
  }
}

function compileProperties(site: Site): Check {
  const names = Object.keys(site.value as JSONObject)
  const nodes = names.map((name) => site.namedSubschema(name))
  return (value, run, seen) => {
    if (!isPlainObject(value)) return true
    let isFitting = true
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string
      const member = value[name]
      if (member === undefined || !Object.hasOwn(value, name)) continue
      seen?.addProperty(name, run)
      if (evaluateMember(nodes[index] as SchemaNode, member, name, run)) continue
      if (run.stopsEarly) return false
      isFitting = false
    }
    return isFitting
  }
}

function compilePatternProperties(site: Site): Check {
  const rules = Object.keys(site.value as JSONObject).map((source) => ({
    pattern: site.program.patterns.get(source, site.schemaPath),
    node: site.namedSubschema(source),
  }))
  return (value, run, seen) => {
    if (!isPlainObject(value)) return true
    let isFitting = true
    for (const name of run.namesOf(value)) {
      if (value[name] === undefined) continue
      run.spend(rules.length * TURN)
      for (const { pattern, node } of rules) {
        if (!pattern.matches(name, run)) continue
        seen?.addProperty(name, run)
        if (evaluateMember(node, value[name], name, run)) continue
        if (run.stopsEarly) return false
        isFitting = false
      }
    }
    return isFitting
  }
}

function patternsOf(site: Site, patternProperties: unknown): GuardedPattern[] {
  if (!isPlainObject(patternProperties)) return []
  return Object.keys(patternProperties).map((source) => site.program.patterns.get(source, site.schemaPath))
}

function compileAdditionalProperties(site: Site): Check {
  const properties = site.sibling('properties')
  const names = new Set(isPlainObject(properties) ? Object.keys(properties) : [])
  const patterns = patternsOf(site, site.sibling('patternProperties'))
  const hasPatterns = patterns.length > 0
  const apply = site.value === false ? forbid(site, [...names]) : applyTo(site.subschema())
  const admits = (value: JSONObject, name: string, run: Run) =>
    names.has(name) ||
    (hasPatterns && matchesAny(patterns, name, run)) ||
    !hasMember(value, name) ||
    apply(value, name, run)
  return (value, run, seen) => {
    if (!isPlainObject(value)) return true
    if (seen !== undefined) seen.hasAllProperties = true
    let isFitting = true
    let met = 0
    const listed = run.listedNamesOf(value)
    if (listed !== undefined) {
      met = listed.length
      for (const name of listed) {
        if (admits(value, name, run)) continue
        isFitting = false
        if (run.stopsEarly) break
      }
    } else {
      // Small objects are gone through faster without a list of their names.
      for (const name in value) {
        met += 1
        if (admits(value, name, run)) continue
        isFitting = false
        if (run.stopsEarly) break
      }
    }
    // The engine has looked at all names before it gave the first one.
    run.spend(isFitting ? memberSteps(met) + met * LOOKUP : run.namesOf(value).length * LOOKUP)
    return isFitting
  }
}

function matchesAny(patterns: readonly GuardedPattern[], name: string, run: Run): boolean {
  run.spend(patterns.length * TURN)
  for (const pattern of patterns) if (pattern.matches(name, run)) return true
  return false
}

type ApplyToMember = (object: JSONObject, name: string, run: Run) => boolean

function applyTo(node: SchemaNode): ApplyToMember {
  return (object, name, run) => evaluateMember(node, object[name], name, run)
}

function forbid(site: Site, known: readonly string[]): ApplyToMember {
  const hint = known.length === 0 ? 'none is allowed' : `known are ${list(known)}`
  const reject = site.reject((_, name) => `unknown property ${quote(name)}; ${hint}`)
  return (object, name, run) => reject(object, run, name)
}

function compilePropertyNames(site: Site): Check {
  const node = site.subschema()
  const reject = site.reject((_, name) => `property name ${quote(name)} is not allowed`)
  return (value, run) => {
    if (!isPlainObject(value)) return true
    let isFitting = true
    for (const name of run.namesOf(value)) {
      run.spend(TURN)
      if (value[name] === undefined || fits(node, name, run, undefined)) continue
      isFitting = reject(value, run, name)
      if (run.stopsEarly) return false
    }
    return isFitting
  }
}
