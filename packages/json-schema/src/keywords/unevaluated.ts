// Keywords about the members that no other keyword has looked at.
import { evaluateMember } from '../engine/evaluate.ts'
import { quote } from '../engine/issue.ts'
import { isPlainObject } from '../engine/json-schema.ts'
import type { KeywordChecks, Site } from '../engine/keyword.ts'
import type { Check } from '../engine/node.ts'
import { LOOKUP } from '../engine/steps.ts'

export const UNEVALUATED_CHECKS: KeywordChecks = {
  unevaluatedProperties: { compile: compileUnevaluatedProperties },
  unevaluatedItems: { compile: compileUnevaluatedItems },
}

function compileUnevaluatedProperties(site: Site): Check {
  const node = site.subschema()
  const reject = site.reject((_, name) => `unknown property ${quote(name)}`)
  return (value, run, seen) => {
    if (!isPlainObject(value) || seen === undefined) return true
    let isFitting = true
    for (const name of run.namesOf(value)) {
      run.spend(LOOKUP)
      if (seen.hasProperty(name) || value[name] === undefined) continue
      if (site.value === false ? reject(value, run, name) : evaluateMember(node, value[name], name, run)) continue
      if (run.stopsEarly) return false
      isFitting = false
    }
    seen.hasAllProperties = true
    return isFitting
  }
}

function compileUnevaluatedItems(site: Site): Check {
  const node = site.subschema()
  const reject = site.reject((_, index) => `item ${index} is not allowed`)
  return (value, run, seen) => {
    if (!Array.isArray(value) || seen === undefined) return true
    let isFitting = true
    for (let index = 0; index < value.length; index++) {
      run.spend(LOOKUP)
      if (seen.hasItem(index)) continue
      if (site.value === false) return reject(value, run, String(index))
      if (evaluateMember(node, value[index], index, run)) continue
      if (run.stopsEarly) return false
      isFitting = false
    }
    seen.hasAllItems = true
    return isFitting
  }
}
