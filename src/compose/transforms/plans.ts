// Calls that take the same way each time: through layers that change the same component alike for every caller.
import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component, Source } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ComponentList, factsOf } from '../sources/lists.ts'
import { renameError, renameResult } from '../sources/unknown.ts'
import { findComponent } from '../sources/whole-list.ts'
import type { CallMap, LayerMaps, Resolved } from './layer-maps.ts'

/** A layer that has found what a name stands for. */
export interface PlannedLayer {
  /** Its maps, what is behind it, and the layer there that was asked for `found`. */
  step(found: Resolved): {
    readonly maps: LayerMaps
    readonly source: Source
    readonly next: PlannedLayer | undefined
  }
}

interface Plan {
  /** What is behind the layers, and what it has. */
  readonly base: Source
  readonly item: Component
  readonly key: string
  /** From the outermost layer in: the name behind it, and what runs around its calls. */
  readonly steps: readonly { readonly old: string; readonly item: Component; readonly call: CallMap }[]
}

const MAX_PLANS = 10_000

export class Plans {
  /** By list and name in front. */
  readonly #plans = new Map<ComponentList, Map<string, Plan | 'none'>>()

  /** Keeps the way to what was found, if it is the same for every caller. */
  keep(list: ComponentList, key: string, layer: PlannedLayer, found: Resolved): void {
    const plans = this.#plans.get(list) ?? new Map<string, Plan | 'none'>()
    this.#plans.set(list, plans)
    if (plans.get(key) === 'none') return
    plans.delete(key)
    const plan = planOf(layer, found)
    if (plan === undefined) return
    if (plans.size >= MAX_PLANS) plans.clear()
    plans.set(key, plan)
  }

  /** `undefined` where no plan fits: the component is another one for this caller, or by now, or its source has to be waited for. */
  run(
    list: ComponentList,
    key: string,
    request: ServerRequestContext,
    method: string,
    params: JSONObject,
    member: 'name' | 'uri',
  ): MaybePromise<JSONObject> | undefined {
    const plan = this.#plans.get(list)?.get(key)
    if (plan === undefined || plan === 'none') return undefined
    const item = findComponent(plan.base, list, plan.key, request)
    if (isThenable(item)) {
      // Its source has to be waited for: asking it twice would cost more than the layers do.
      Promise.resolve(item).catch(() => {})
      this.#plans.get(list)?.set(key, 'none')
      return undefined
    }
    if (item !== plan.item) return undefined
    const fail = (error: unknown): never => {
      throw renameError(error, factsOf(list).kind, plan.key, key)
    }
    try {
      const result = follow(plan, request, method, params, member)
      if (key === plan.key) return result
      if (!isThenable(result)) return renameResult(result, plan.key, key)
      return Promise.resolve(result).then((one) => renameResult(one, plan.key, key), fail)
    } catch (error) {
      return fail(error)
    }
  }
}

/** `undefined` where a layer asks for each caller, or where the component may be another object the next time. */
function planOf(outermost: PlannedLayer, outcome: Resolved): Plan | undefined {
  const steps: { old: string; item: Component; call: CallMap }[] = []
  let [layer, found]: [PlannedLayer, Resolved] = [outermost, outcome]
  for (;;) {
    const { maps, source, next } = layer.step(found)
    if (maps.isPerCaller) return undefined
    if (maps.call !== undefined) steps.push({ old: found.old, item: found.item, call: maps.call })
    if (next === undefined || found.inner === undefined) {
      return Object.isFrozen(found.item) ? { base: source, item: found.item, key: found.old, steps } : undefined
    }
    ;[layer, found] = [next, found.inner]
  }
}

function follow(
  plan: Plan,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
  member: 'name' | 'uri',
  at = 0,
): MaybePromise<JSONObject> {
  const { base, key, steps } = plan
  const step = method === 'tools/call' ? steps[at] : undefined
  if (step === undefined) {
    return base.handle(request, method, params[member] === key ? params : { ...params, [member]: key })
  }
  const named = params[member] === step.old ? params : { ...params, [member]: step.old }
  const next = (given: JSONObject) => follow(plan, request, method, given, member, at + 1)
  return step.call(named, next, request, step.item)
}
