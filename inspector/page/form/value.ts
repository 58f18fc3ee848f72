// Values of a form: what they start with, and which variant they fit. `undefined` is a field that is not sent.
import { isSchema, resolve, type Schema, shapeOf } from './schema.ts'

/** Defaults, and the parts that can't be left out. Everything else is unset. */
export function initialValue(given: unknown, root: Schema, isRequired = true, depth = 0): unknown {
  const schema = resolve(given, root)
  if (schema['default'] !== undefined) return structuredClone(schema['default'])
  if (!isRequired || depth > 6) return undefined
  if (schema['const'] !== undefined) return schema['const']
  const shape = shapeOf(schema, root, depth)
  switch (shape.kind) {
    case 'boolean':
      return false
    case 'null':
      return null
    case 'object': {
      const members = shape.properties.map(
        ({ name, schema: property, isRequired: isNeeded }) =>
          [name, initialValue(property, root, isNeeded, depth + 1)] as const,
      )
      return Object.fromEntries(members.filter(([, value]) => value !== undefined))
    }
    case 'array':
      return shape.fixed.map((one) => initialValue(one, root, true, depth + 1) ?? null)
    case 'choices':
      return []
    default:
      return undefined
  }
}

/** The first variant whose type fits the value. */
export function variantFor(value: unknown, variants: readonly Schema[], root: Schema): number {
  if (value === undefined) return -1
  const scores = variants.map((variant) => scoreOf(value, variant, root))
  const best = Math.max(...scores)
  return best === 0 ? -1 : scores.indexOf(best)
}

/** 0 for no fit; more for each member that the variant knows. */
function scoreOf(value: unknown, schema: Schema, root: Schema): number {
  const { kind, ...shape } = shapeOf(schema, root)
  if (kind === 'choice') {
    const { options } = shape as { options: readonly { value: unknown }[] }
    return options.some((option) => JSON.stringify(option.value) === JSON.stringify(value)) ? 3 : 0
  }
  if (kind === 'object') {
    if (!isSchema(value)) return 0
    const { properties } = shape as { properties: readonly { name: string; schema: Schema; isRequired: boolean }[] }
    let score = 1
    for (const property of properties) {
      const member = value[property.name]
      if (member === undefined && property.isRequired) return 1
      const only = resolve(property.schema, root)['const']
      if (only !== undefined && member !== undefined && JSON.stringify(only) !== JSON.stringify(member)) return 0
      if (member !== undefined) score += 2
    }
    return score
  }
  if (kind === 'array' || kind === 'choices') return Array.isArray(value) ? 2 : 0
  if (kind === 'null') return value === null ? 2 : 0
  if (kind === 'number') return typeof value === 'number' ? 2 : 0
  if (kind === 'boolean') return typeof value === 'boolean' ? 2 : 0
  if (kind === 'text') return typeof value === 'string' ? 2 : 0
  return kind === 'json' ? 1 : 0
}
