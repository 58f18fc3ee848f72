// Keywords that name schemas and refer to them. Where references lead was settled before anything is compiled.
import { evaluateInPlace } from '../engine/evaluate.ts'
import type { KeywordChecks, Site } from '../engine/keyword.ts'
import type { Check, DynamicTarget, Resource, SchemaNode } from '../engine/node.ts'
import type { Scope } from '../engine/run.ts'
import { LOOKUP, TURN } from '../engine/steps.ts'

export const REFERENCE_CHECKS: KeywordChecks = {
  $ref: { compile: compileReference },
  $dynamicRef: { compile: compileDynamicReference },
}

function compileReference(site: Site): Check {
  const { target } = site.node
  if (target === undefined) throw new TypeError(`${site.schemaPath} was never resolved`)
  return (value, run, seen) => evaluateInPlace(target, value, run, seen)
}

function compileDynamicReference(site: Site): Check {
  const { dynamicTarget } = site.node
  if (dynamicTarget === undefined) throw new TypeError(`${site.schemaPath} was never resolved`)
  return (value, run, seen) => {
    run.spend((run.scope?.size ?? 0) * LOOKUP)
    return evaluateInPlace(resolveInScope(dynamicTarget, run.scope), value, run, seen)
  }
}

/** JSON Schema Core 8.2.3.2: the outermost schema resource in scope that has the dynamic anchor wins. */
function resolveInScope({ node, anchor }: DynamicTarget, scope: Scope | undefined): SchemaNode {
  if (anchor === undefined) return node
  let outermost = node
  for (let level = scope; level !== undefined; level = level.outer) {
    outermost = level.resource.dynamicAnchors.get(anchor) ?? outermost
  }
  return outermost
}

/** The check inside the dynamic scope of its resource, which only resources with dynamic anchors need. */
export function keepScope(check: Check, resource: Resource): Check {
  return (value, run, seen) => {
    const { scope } = run
    run.spend((scope?.size ?? 0) * TURN)
    run.scope = extendScope(scope, resource)
    const fits = check(value, run, seen)
    run.scope = scope
    return fits
  }
}

/** Only the first entry of a resource matters to the outermost-first rule, so the scope stays short in recursions. */
function extendScope(scope: Scope | undefined, resource: Resource): Scope {
  for (let level = scope; level !== undefined; level = level.outer) {
    if (level.resource === resource) return scope as Scope
  }
  return { resource, outer: scope, size: (scope?.size ?? 0) + 1 }
}
