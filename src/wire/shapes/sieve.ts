// Takes out of a value what belongs to another revision: copies only what changes, visits only where something can.

import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Check } from './compile.ts'
import type { Members, Shape, TaggedShape } from './shape.ts'
import { shapeOfMember } from './shape-facts.ts'

/** Gives back the same value when nothing has to go. Never changes its input. */
export type Sieve = (value: unknown) => unknown

/** What a name in a shape stands for. */
export interface SieveScope {
  sieveOf(name: string): Sieve | undefined
  /** For a union without a tag: which arm a value belongs to. */
  checkOf(shape: Shape): Check
}

/**
 * The sieve of a shape, or nothing where no value of it can hold anything foreign.
 * `foreign` names the members that the same shape has in other revisions only.
 */
export function compileSieve(shape: Shape, foreign: readonly string[], scope: SieveScope): Sieve | undefined {
  if (typeof shape === 'string') return scope.sieveOf(shape)
  switch (shape.kind) {
    case 'array':
      return sieveArray(compileSieve(shape.items, [], scope))
    case 'record':
      return sieveRecord(compileSieve(shape.values, [], scope))
    case 'object':
      return sieveObject(shape.members, foreign, scope)
    case 'tagged':
      return sieveTagged(shape, scope)
    case 'anyOf':
      return sieveAnyOf(shape.arms, scope)
    default:
      return undefined
  }
}

function sieveArray(sieveItem: Sieve | undefined): Sieve | undefined {
  if (sieveItem === undefined) return undefined
  return (value) => {
    if (!Array.isArray(value)) return value
    let kept: unknown[] = value
    for (let index = 0; index < value.length; index++) {
      const item = sieveItem(value[index])
      if (item === value[index]) continue
      if (kept === value) kept = [...value]
      kept[index] = item
    }
    return kept
  }
}

function sieveRecord(sieveValue: Sieve | undefined): Sieve | undefined {
  if (sieveValue === undefined) return undefined
  return (value) => {
    if (!isPlainObject(value)) return value
    const changed = new Map<string, unknown>()
    for (const key of Object.keys(value)) {
      const item = sieveValue(value[key])
      if (item !== value[key]) changed.set(key, item)
    }
    if (changed.size === 0) return value
    // `fromEntries` defines each member, so that a key named __proto__ stays data.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, changed.has(key) ? changed.get(key) : item]),
    )
  }
}

function sieveObject(members: Members, foreign: readonly string[], scope: SieveScope): Sieve | undefined {
  const inner: Part[] = []
  for (const [key, member] of Object.entries(members)) {
    const shape = shapeOfMember(member)
    if (mayHoldMembers(shape)) inner.push({ key, shape, sieve: undefined, isCompiled: false })
  }
  if (foreign.length === 0 && inner.length === 0) return undefined
  return (value) => {
    if (!isPlainObject(value)) return value
    let kept = dropForeign(value, foreign)
    for (let index = 0; index < inner.length; index++) {
      const part = inner[index] as Part
      const { key } = part
      if (!Object.hasOwn(kept, key)) continue
      const item = sievePart(part, scope, kept[key])
      if (item === kept[key]) continue
      if (kept === value) kept = { ...value }
      kept[key] = item
    }
    return kept
  }
}

/** Part of a shape, whose sieve is made when a first value has it: a program meets few of all that a shape may hold. */
interface Part {
  readonly key: string
  readonly shape: Shape
  sieve: Sieve | undefined
  isCompiled: boolean
}

function sievePart(part: Part, scope: SieveScope, value: unknown): unknown {
  if (!part.isCompiled) {
    part.sieve = compileSieve(part.shape, [], scope)
    part.isCompiled = true
  }
  return part.sieve === undefined ? value : part.sieve(value)
}

/** Whether there can be anything to take out: only objects have members. */
function mayHoldMembers(shape: Shape): boolean {
  if (typeof shape === 'string') return true
  if (shape.kind === 'record') return mayHoldMembers(shape.values)
  return shape.kind === 'array' ? mayHoldMembers(shape.items) : ['object', 'tagged', 'anyOf'].includes(shape.kind)
}

function dropForeign(value: Record<string, unknown>, foreign: readonly string[]): Record<string, unknown> {
  for (let index = 0; index < foreign.length; index++) {
    if (!Object.hasOwn(value, foreign[index] as string)) continue
    return Object.fromEntries(Object.entries(value).filter(([key]) => !foreign.includes(key)))
  }
  return value
}

function sieveTagged({ tag, arms, absent }: TaggedShape, scope: SieveScope): Sieve {
  const toPart = (key: string, shape: Shape): Part => ({ key, shape, sieve: undefined, isCompiled: false })
  const parts = new Map<unknown, Part>(Array.from(arms, ([word, arm]) => [word, toPart(word, arm)] as const))
  const absentPart = absent === undefined ? undefined : toPart('', absent)
  return (value) => {
    if (!isPlainObject(value)) return value
    const word = Object.hasOwn(value, tag) ? value[tag] : undefined
    const part = word === undefined ? absentPart : parts.get(word)
    return part === undefined ? value : sievePart(part, scope, value)
  }
}

/** The first arm that the value fits decides. A value that fits none is left alone: it is no business of a sieve. */
function sieveAnyOf(arms: readonly Shape[], scope: SieveScope): Sieve | undefined {
  const choices = arms.map((arm) => ({ check: scope.checkOf(arm), sieve: compileSieve(arm, [], scope) }))
  if (choices.every(({ sieve }) => sieve === undefined)) return undefined
  return (value) => {
    for (const { check, sieve } of choices) {
      if (check(value) === undefined) return sieve === undefined ? value : sieve(value)
    }
    return value
  }
}
