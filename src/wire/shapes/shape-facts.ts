// What a shape shows without a value: its name in an error message, and the JSON types it admits.
import type { JSONType } from './misfit.ts'
import type { NumberShape, OptionalMember, Shape } from './shape.ts'

export function isOptional(member: Shape | OptionalMember): member is OptionalMember {
  return typeof member !== 'string' && member.kind === 'optional'
}

export function shapeOfMember(member: Shape | OptionalMember): Shape {
  return isOptional(member) ? member.shape : member
}

/** A few words for a shape, as an error message needs them after "expected". */
export function describeShape(shape: Shape): string {
  if (typeof shape === 'string') return shape
  switch (shape.kind) {
    case 'number':
      return describeNumber(shape)
    case 'oneOf':
      return listWords(shape.values)
    case 'record':
    case 'tagged':
      return 'object'
    default:
      return shape.kind
  }
}

export function describeNumber({ isInteger, minimum, maximum }: NumberShape): string {
  const noun = isInteger ? 'integer' : 'number'
  if (minimum === -Number.MAX_VALUE) return noun
  return maximum === Number.MAX_VALUE ? `${noun} of at least ${minimum}` : `${noun} from ${minimum} to ${maximum}`
}

export function listWords(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(' or ')
}

const ALL_TYPES: readonly JSONType[] = ['string', 'number', 'boolean', 'null', 'array', 'object']

/** The JSON types that a value of this shape can have. */
export function jsonTypesOf(shape: Shape, shapeOf: (name: string) => Shape): readonly JSONType[] {
  if (typeof shape === 'string') return jsonTypesOf(shapeOf(shape), shapeOf)
  switch (shape.kind) {
    case 'anything':
      return ALL_TYPES
    case 'oneOf':
      return ['string']
    case 'record':
    case 'tagged':
      return ['object']
    case 'anyOf':
      return [...new Set(shape.arms.flatMap((arm) => jsonTypesOf(arm, shapeOf)))]
    default:
      return [shape.kind]
  }
}
