// Keywords that combine schemas on one and the same value.
import { closestMisfits } from '../engine/closest.ts'
import type { Seen } from '../engine/evaluate.ts'
import { evaluateInPlace, fits } from '../engine/evaluate.ts'
import { isPlainObject } from '../engine/json-schema.ts'
import type { KeywordChecks, Site } from '../engine/keyword.ts'
import type { Check, SchemaNode } from '../engine/node.ts'
import type { Misfit, Run } from '../engine/run.ts'
import { TURN } from '../engine/steps.ts'
import { isArrayOfStrings } from '../engine/value-rules.ts'
import { checkDependentNames, hasMember, weighNames } from './objects.ts'

export const LOGIC_CHECKS: KeywordChecks = {
  allOf: { weigh: weighList, compile: compileAllOf },
  anyOf: { weigh: weighList, compile: compileAnyOf },
  oneOf: { weigh: weighList, compile: compileOneOf },
  not: { compile: compileNot },
  if: { compile: compileIf },
  dependencies: { weigh: weighNames, compile: compileDependencies },
  dependentSchemas: {
    weigh: weighNames,
    compile: (site) => checkDependentSchemas(site, Object.keys(site.value as object)),
  },
}

function weighList(value: unknown): number {
  return (value as unknown[]).length * TURN
}

function compileAllOf(site: Site): Check {
  const nodes = site.listOfSubschemas()
  return (value, run, seen) => {
    let isFitting = true
    for (const node of nodes) {
      if (evaluateInPlace(node, value, run, seen)) continue
      if (run.stopsEarly) return false
      isFitting = false
    }
    return isFitting
  }
}

function compileAnyOf(site: Site): Check {
  const nodes = site.listOfSubschemas()
  return (value, run, seen) => {
    if (!run.stopsEarly) return explainAnyOf(site, nodes, value, run, seen)
    let isFitting = false
    for (const node of nodes) {
      if (!evaluateInPlace(node, value, run, seen)) continue
      // The other branches may evaluate more members, which only matters to `unevaluated…`.
      if (seen === undefined) return true
      isFitting = true
    }
    return isFitting
  }
}

/** The same with the misfits of each branch kept apart, to name those of the branch that was probably meant. */
function explainAnyOf(site: Site, nodes: SchemaNode[], value: unknown, run: Run, seen: Seen | undefined): boolean {
  const failures = collectFailures(nodes, value, run, seen)
  return failures.length < nodes.length || reportBranches(site, failures, value, run)
}

function compileOneOf(site: Site): Check {
  const nodes = site.listOfSubschemas()
  const rejectSeveral = site.reject(() => 'expected exactly one of the alternatives to fit, but more than one does')
  return (value, run, seen) => {
    if (!run.stopsEarly) {
      const failures = collectFailures(nodes, value, run, seen)
      if (failures.length === nodes.length) return reportBranches(site, failures, value, run)
      return failures.length === nodes.length - 1 || rejectSeveral(value, run)
    }
    let fitting = 0
    for (const node of nodes) {
      if (evaluateInPlace(node, value, run, seen)) fitting += 1
      if (fitting > 1) return false
    }
    return fitting === 1
  }
}

function collectFailures(nodes: SchemaNode[], value: unknown, run: Run, seen: Seen | undefined): Misfit[][] {
  return nodes
    .map((node) => run.collect(() => evaluateInPlace(node, value, run, seen)))
    .filter((failure) => failure !== undefined)
}

function reportBranches(site: Site, branches: readonly Misfit[][], value: unknown, run: Run): false {
  const { text, misfits } = closestMisfits(branches, value, run)
  run.report(site, text)
  run.adopt(misfits)
  return false
}

function compileNot(site: Site): Check {
  const node = site.subschema()
  const reject = site.reject(() => 'expected a value that does not fit the schema under "not"')
  return (value, run) => !fits(node, value, run, undefined) || reject(value, run)
}

function compileIf(site: Site): Check {
  const condition = site.subschema()
  const whenTrue = site.siblingSchema('then')
  const whenFalse = site.siblingSchema('else')
  return (value, run, seen) => {
    const branch = fits(condition, value, run, seen) ? whenTrue : whenFalse
    return branch === undefined || evaluateInPlace(branch, value, run, seen)
  }
}

function compileDependencies(site: Site): Check {
  const entries = Object.entries(site.value as object)
  const namesNeeded = entries.filter((entry): entry is [string, string[]] => isArrayOfStrings(entry[1]))
  const schemaNames = entries.filter(([, needed]) => !Array.isArray(needed)).map(([name]) => name)
  const checkNames = checkDependentNames(site, namesNeeded)
  const checkSchemas = checkDependentSchemas(site, schemaNames)
  return (value, run, seen) => checkNames(value, run, seen) && checkSchemas(value, run, seen)
}

function checkDependentSchemas(site: Site, names: readonly string[]): Check {
  const entries = names.map((name) => [name, site.namedSubschema(name)] as const)
  return (value, run, seen) => {
    if (!isPlainObject(value)) return true
    let isFitting = true
    for (const entry of entries) {
      if (!hasMember(value, entry[0]) || evaluateInPlace(entry[1], value, run, seen)) continue
      if (run.stopsEarly) return false
      isFitting = false
    }
    return isFitting
  }
}
