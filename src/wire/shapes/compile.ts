// Turns shapes into closures that check a value: success allocates nothing, failure collects its path on the way out.

import { isPlainObject } from '../../primitives/json/objects.ts'
import { type JSONType, jsonTypeOf, type Misfit, misfit } from './misfit.ts'
import type { NumberShape, ObjectShape, Shape, TaggedShape } from './shape.ts'
import { describeNumber, describeShape, isOptional, jsonTypesOf, listWords, shapeOfMember } from './shape-facts.ts'

/** Paths grow from the inside out; `compile`'s caller turns them round once. */
export type Check = (value: unknown) => Misfit | undefined

/** What a name in a shape stands for. */
export interface Scope {
  shapeOf(name: string): Shape
  checkOf(name: string): Check
}

/** The check of a shape; names in it are looked up once, for the first value that needs them. */
export function compile(shape: Shape, scope: Scope): Check {
  if (typeof shape === 'string') return scope.checkOf(shape)
  switch (shape.kind) {
    case 'anything':
      return (value) => (value === undefined ? misfit('a value', value) : undefined)
    case 'string':
      return (value) => (typeof value === 'string' ? undefined : misfit('string', value))
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : misfit('boolean', value))
    case 'null':
      return (value) => (value === null ? undefined : misfit('null', value))
    case 'number':
      return compileNumber(shape)
    case 'oneOf':
      return compileOneOf(shape.values)
    case 'array':
      return compileArray(compile(shape.items, scope), shape.maxItems)
    case 'record':
      return compileRecord(shape.values, scope)
    case 'object':
      return compileObject(shape, scope)
    case 'tagged':
      return compileTagged(shape, scope)
    case 'anyOf':
      return compileAnyOf(shape.arms, scope)
  }
}

function compileNumber(shape: NumberShape): Check {
  const { isInteger, minimum, maximum } = shape
  const expected = describeNumber(shape)
  return (value) => {
    if (typeof value !== 'number') return misfit(expected, value)
    if (isInteger && !Number.isInteger(value)) return { path: [], expected, got: 'a number that is not whole' }
    // NaN and the infinities fail this as well: the widest range is that of the finite numbers.
    return value >= minimum && value <= maximum ? undefined : { path: [], expected, got: 'a number out of range' }
  }
}

function compileOneOf(values: readonly string[]): Check {
  const allowed: ReadonlySet<unknown> = new Set(values)
  const expected = listWords(values)
  return (value) => {
    if (allowed.has(value)) return undefined
    return typeof value === 'string' ? { path: [], expected, got: 'another string' } : misfit(expected, value)
  }
}

function compileArray(checkItem: Check, maxItems: number): Check {
  return (value) => {
    if (!Array.isArray(value)) return misfit('array', value)
    if (value.length > maxItems) return { path: [], expected: `array of at most ${maxItems} items`, got: 'more' }
    for (let index = 0; index < value.length; index++) {
      const found = checkItem(value[index])
      if (found !== undefined) return below(index, found)
    }
    return undefined
  }
}

function compileRecord(values: Shape, scope: Scope): Check {
  if (typeof values !== 'string' && values.kind === 'anything') return checkObject
  const checkValue = compile(values, scope)
  return (value) => {
    if (!isPlainObject(value)) return misfit('object', value)
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue
      const found = checkValue(value[key])
      if (found !== undefined) return below(key, found)
    }
    return undefined
  }
}

function checkObject(value: unknown): Misfit | undefined {
  return isPlainObject(value) ? undefined : misfit('object', value)
}

/** Part of a shape, compiled when a first value needs it: a program meets few of all that a shape may hold. */
interface Part {
  readonly shape: Shape
  check: Check | undefined
}

function checkPart(part: Part, scope: Scope, value: unknown): Misfit | undefined {
  part.check ??= compile(part.shape, scope)
  return part.check(value)
}

/** The part of a member whose value must be a string, which the loop over members sees by itself. */
const isString = (shape: Shape): boolean => typeof shape === 'object' && shape.kind === 'string'

interface Member extends Part {
  readonly key: string
  readonly isRequired: boolean
  readonly isString: boolean
}

function compileObject(shape: ObjectShape, scope: Scope): Check {
  const members: readonly Member[] = Object.entries(shape.members).map(([key, member]) => ({
    key,
    shape: shapeOfMember(member),
    check: undefined,
    isRequired: !isOptional(member),
    isString: isString(shapeOfMember(member)),
  }))
  const byKey: ReadonlyMap<string, Member> = new Map(members.map((member) => [member.key, member]))
  const requiredCount = members.filter(({ isRequired }) => isRequired).length
  const { atLeastOneOf } = shape
  return (given) => {
    // Written out: this function runs several times for each message, and a call within it counts each time.
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return misfit('object', given)
    const value = given as Record<string, unknown>
    let missing = requiredCount
    // By the members of the value: most of those that a shape has are not there, and looking in vain takes longest.
    for (const key in value) {
      const member = byKey.get(key)
      if (member === undefined || !Object.hasOwn(value, key)) continue
      const item = value[key]
      // What JSON would leave out is absent: a member that is undefined, and one that is only inherited.
      if (item === undefined) continue
      if (member.isRequired) missing -= 1
      if (member.isString && typeof item === 'string') continue
      member.check ??= compile(member.shape, scope)
      const found = member.check(item)
      if (found !== undefined) return below(key, found)
    }
    if (missing > 0) return findMissing(value, members, scope)
    return atLeastOneOf.length === 0 ? undefined : checkAtLeastOneOf(value, atLeastOneOf)
  }
}

/** The check of a member reports what is expected there. */
function findMissing(value: Record<string, unknown>, members: readonly Member[], scope: Scope): Misfit | undefined {
  for (const member of members) {
    const { key, isRequired } = member
    const isThere = Object.prototype.propertyIsEnumerable.call(value, key) && value[key] !== undefined
    const found = isRequired && !isThere ? checkPart(member, scope, undefined) : undefined
    if (found !== undefined) return below(key, found)
  }
  return undefined
}

function checkAtLeastOneOf(value: Record<string, unknown>, names: readonly string[]): Misfit | undefined {
  const isThere = names.some((name) => Object.hasOwn(value, name) && value[name] !== undefined)
  return isThere ? undefined : { path: [], expected: `an object with ${names.join(' or ')}`, got: 'neither' }
}

function compileTagged({ tag, arms, absent }: TaggedShape, scope: Scope): Check {
  const parts: ReadonlyMap<unknown, Part> = new Map(
    Array.from(arms, ([word, shape]) => [word, { shape, check: undefined }] as const),
  )
  const absentPart: Part | undefined = absent === undefined ? undefined : { shape: absent, check: undefined }
  const checkTag = compileOneOf([...arms.keys()])
  return (value) => {
    if (!isPlainObject(value)) return misfit('object', value)
    const word = Object.hasOwn(value, tag) ? value[tag] : undefined
    const part = word === undefined ? absentPart : parts.get(word)
    if (part !== undefined) return checkPart(part, scope, value)
    const found = checkTag(word)
    return found && below(tag, found)
  }
}

function compileAnyOf(arms: readonly Shape[], scope: Scope): Check {
  const candidates = new Map<JSONType | undefined, Check[]>()
  for (const arm of arms) {
    const check = compile(arm, scope)
    for (const type of jsonTypesOf(arm, scope.shapeOf)) candidates.set(type, [...(candidates.get(type) ?? []), check])
  }
  const expected = arms.map(describeShape).join(' or ')
  return (value) => {
    const checks = candidates.get(jsonTypeOf(value))
    return checks === undefined ? misfit(expected, value) : checkEither(checks, expected, value)
  }
}

/** Nothing when one of the checks passes; otherwise the misfit of the arm that came furthest. */
function checkEither(checks: readonly Check[], expected: string, value: unknown): Misfit | undefined {
  let furthest: Misfit | undefined
  let isTie = false
  for (let index = 0; index < checks.length; index++) {
    const found = (checks[index] as Check)(value)
    if (found === undefined) return undefined
    const lead = found.path.length - (furthest?.path.length ?? -1)
    if (lead === 0) isTie = true
    if (lead <= 0) continue
    furthest = found
    isTie = false
  }
  // If two members of the union failed at the same depth, the error names the union as a whole.
  return isTie ? misfit(expected, value) : furthest
}

function below(step: string | number, found: Misfit): Misfit {
  found.path.push(step)
  return found
}
