// How much of a model's context the tools take: counted in characters, which is an estimate.
import type { Item } from './lists.ts'

export interface Weight {
  readonly name: string
  readonly nameSize: number
  readonly descriptionSize: number
  readonly schemaSize: number
  readonly total: number
  /** What makes it heavy, in a few words. */
  readonly cause: string
}

/** A token of English text or JSON has about this many characters. */
const CHARACTERS_PER_TOKEN = 4

export function weigh(tool: Item): Weight {
  const name = String(tool['name'])
  const nameSize = name.length + (typeof tool['title'] === 'string' ? tool['title'].length : 0)
  const descriptionSize = typeof tool['description'] === 'string' ? tool['description'].length : 0
  const schemaSize = JSON.stringify(tool['inputSchema'] ?? {}).length
  return {
    name,
    nameSize,
    descriptionSize,
    schemaSize,
    total: nameSize + descriptionSize + schemaSize,
    cause: causeOf(tool, descriptionSize, schemaSize),
  }
}

function causeOf(tool: Item, descriptionSize: number, schemaSize: number): string {
  if (descriptionSize >= schemaSize) return 'description'
  const { properties } = (tool['inputSchema'] ?? {}) as { properties?: Record<string, unknown> }
  const sizes = Object.entries(properties ?? {}).map(
    ([key, value]) => [key, (JSON.stringify(value) ?? '').length] as const,
  )
  const [heaviest] = sizes.sort(([, a], [, b]) => b - a)
  if (heaviest === undefined || heaviest[1] < schemaSize / 3) return 'schema'
  return `property ${heaviest[0]}`
}

export function toTokens(characters: number): number {
  return Math.round(characters / CHARACTERS_PER_TOKEN)
}
