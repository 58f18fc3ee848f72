// The little language that shapes are written in: plain data, so that one revision's table can be derived from another's.

/** The shape of a JSON value, or the name of a shape in the same table. */
export type Shape = string | ShapeNode

type ShapeNode =
  | { readonly kind: 'anything' | 'string' | 'boolean' | 'null' }
  | NumberShape
  | { readonly kind: 'oneOf'; readonly values: readonly string[] }
  | { readonly kind: 'array'; readonly items: Shape; readonly maxItems: number }
  | { readonly kind: 'record'; readonly values: Shape }
  | ObjectShape
  | TaggedShape
  | { readonly kind: 'anyOf'; readonly arms: readonly Shape[] }

export interface NumberShape {
  readonly kind: 'number'
  readonly isInteger: boolean
  readonly minimum: number
  readonly maximum: number
}

/** Members that are not listed are allowed, and kept. */
export interface ObjectShape {
  readonly kind: 'object'
  readonly members: Members
  /** Where not empty, one of these optional members has to be there. */
  readonly atLeastOneOf: readonly string[]
}

/** A union that one string member decides. */
export interface TaggedShape {
  readonly kind: 'tagged'
  readonly tag: string
  readonly arms: ReadonlyMap<string, Shape>
  /** The arm for a value that leaves the tag out; without it the tag is required. */
  readonly absent: Shape | undefined
}

/** Stands in a list of members only: a value of its own is never optional. */
export interface OptionalMember {
  readonly kind: 'optional'
  readonly shape: Shape
}

export type Members = Readonly<Record<string, Shape | OptionalMember>>

/** All shapes of one revision, by name, each made when it is asked for: a program needs few of them, and those not at its start. */
export type ShapeTable = Readonly<Record<string, () => Shape>>

export const anything = { kind: 'anything' } as const satisfies Shape
export const string = { kind: 'string' } as const satisfies Shape
export const boolean = { kind: 'boolean' } as const satisfies Shape
export const nullValue = { kind: 'null' } as const satisfies Shape

/** Any finite number. */
export const number: NumberShape = numberBetween(-Number.MAX_VALUE, Number.MAX_VALUE)

/**
 * A whole number of any size, as JSON Schema's `integer`. Beyond 2^53 the parser has rounded it already;
 * who compares such numbers, as ids are compared, guards against that itself.
 */
export const integer: NumberShape = { ...number, isInteger: true }

export function numberBetween(minimum: number, maximum: number): NumberShape {
  return { kind: 'number', isInteger: false, minimum, maximum }
}

export function integerFrom(minimum: number): NumberShape {
  return { ...integer, minimum }
}

/** One of these strings, and no other. */
export function oneOf(...values: string[]): ShapeNode {
  return { kind: 'oneOf', values }
}

export function array(items: Shape, maxItems = Number.POSITIVE_INFINITY): ShapeNode {
  return { kind: 'array', items, maxItems }
}

/** An object whose keys the sender chooses. */
export function record(values: Shape): ShapeNode {
  return { kind: 'record', values }
}

export function object(members: Members): ObjectShape {
  return { kind: 'object', members, atLeastOneOf: [] }
}

export function optional(shape: Shape): OptionalMember {
  return { kind: 'optional', shape }
}

/** A union that switches on the member `tag`; `absent` names the tag of a value that has none. */
export function tagged(tag: string, arms: Readonly<Record<string, Shape>>, absent?: string): TaggedShape {
  const byTag = new Map(Object.entries(arms))
  return { kind: 'tagged', tag, arms: byTag, absent: absent === undefined ? undefined : byTag.get(absent) }
}

/** A union without a tag: the arms that the JSON type leaves are tried in order. */
export function anyOf(...arms: Shape[]): ShapeNode {
  return { kind: 'anyOf', arms }
}

/** The same object with members added or replaced. */
export function extend(shape: ObjectShape, ...added: Members[]): ObjectShape {
  return { ...shape, members: Object.assign({}, shape.members, ...added) }
}

/** The same object without some members. */
export function without(shape: ObjectShape, ...names: string[]): ObjectShape {
  return { ...shape, members: drop(shape.members, ...names) }
}

/** The same object, but one of these optional members has to be there. */
export function atLeastOneOf(shape: ObjectShape, ...names: string[]): ObjectShape {
  return { ...shape, atLeastOneOf: names }
}

/** A copy without the names given: how a table leaves out what a revision took away. */
export function drop<T extends object, K extends keyof T>(table: T, ...names: K[]): Omit<T, K> {
  const kept = { ...table }
  for (const name of names) delete kept[name]
  return kept
}
