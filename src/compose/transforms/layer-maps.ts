// What a layer changes of components and calls.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Component } from '../../server/source.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ComponentList } from '../sources/lists.ts'
import type { ExpectedNames } from './expected-names.ts'

/** Another form of a component; `undefined` hides it. It must not change the one it is given. */
export type ComponentMap = (item: Component, request: ServerRequestContext) => Component | undefined

/** Around a call of a tool: `params` as the caller sent them, `item` as the inner source lists it, where it does. */
export type CallMap = (
  params: JSONObject,
  next: (params: JSONObject) => MaybePromise<JSONObject>,
  request: ServerRequestContext,
  item?: Component,
) => MaybePromise<JSONObject>

export interface LayerMaps {
  readonly maps: Partial<Record<ComponentList, ComponentMap>>
  readonly call?: CallMap | undefined
  /** Whether the outcome depends on the caller: then nothing is kept, and lists are private. */
  readonly isPerCaller: boolean
  /** Names that must be there. */
  readonly expected?: ExpectedNames | undefined
  /** The new key of an old one, where that is known without the component. */
  readonly keyOf?: ((list: ComponentList, key: string) => string | undefined) | undefined
  /** Whether `keyOf` alone says which components are hidden: what it gives a key is shown, whatever else it is. */
  readonly isDecidedByKey?: boolean | undefined
  /** Old keys that work as well. */
  readonly keepsOld?: boolean | undefined
}

/** For maps that leave every component its key. */
export const KEEPS_KEYS: Pick<LayerMaps, 'keyOf' | 'isDecidedByKey'> = {
  keyOf: (_list, key) => key,
  isDecidedByKey: true,
}

/** What a key in front stands for. */
export interface Resolved {
  readonly old: string
  readonly item: Component
  readonly mapped: Component
  /** What `old` stands for in the layer behind. */
  readonly inner?: Resolved | undefined
}
