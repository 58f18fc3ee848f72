// What hosts and models make of the tools of a server: names, schemas, and how much of the context they take.
import type { Tool } from 'mcpwire'
import { compileSchema, SchemaError } from 'mcpwire/schema'

/** The interfaces of models take function names of these characters only, 64 at most. */
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Some hosts put the name of the server before that of the tool, and take 60 characters for both. */
const LONG_NAME = 48

/** VS Code sends at most this many tools to a model. */
const MAX_TOOLS = 128

/** A token of English text or JSON has about this many characters. */
const CHARACTERS_PER_TOKEN = 4

/** From here on, the tools alone take a good part of a small model's context. */
const HEAVY_TOKENS = 20_000

/** Names that some hosts or models refuse, each with the reason. */
export function checkNames(tools: readonly Tool[]): string[] {
  const seen = new Set<string>()
  const problems = tools.flatMap(({ name }) => {
    const isRepeated = seen.has(name)
    seen.add(name)
    if (isRepeated) return [`"${name}" is listed twice: hosts keep one of them`]
    if (!FUNCTION_NAME.test(name)) {
      return [`"${name}" is refused by hosts that take only letters, digits, _ and -, at most 64 of them`]
    }
    if (name.length > LONG_NAME)
      return [`"${name}" has ${name.length} characters: hosts that add the server name refuse it`]
    return []
  })
  const undescribed = tools.filter(({ description }) => (description ?? '').trim() === '').map(({ name }) => name)
  if (undescribed.length > 0) problems.push(`No description, which models choose by: ${listOf(undescribed)}`)
  if (tools.length > MAX_TOOLS)
    problems.push(`${tools.length} tools are more than the ${MAX_TOOLS} that some hosts take`)
  return problems
}

/** Schemas that are not valid JSON Schema, each with the place. */
export function checkSchemas(tools: readonly Tool[]): string[] {
  return tools.flatMap(({ name, inputSchema, outputSchema }) => [
    ...checkSchema(name, 'inputSchema', inputSchema),
    ...(outputSchema === undefined ? [] : checkSchema(name, 'outputSchema', outputSchema)),
  ])
}

function checkSchema(tool: string, member: string, schema: object): string[] {
  try {
    compileSchema(schema as Parameters<typeof compileSchema>[0])
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return [`${member} of "${tool}": ${error.message}`]
  }
}

export interface Weights {
  /** Counted in characters, so that it is an estimate. */
  readonly estimatedTokens: number
  readonly isHeavy: boolean
  readonly heaviest: readonly { readonly name: string; readonly estimatedTokens: number }[]
}

/** How much of a model's context the tools take. */
export function weighTools(tools: readonly Tool[]): Weights {
  const weights = tools.map(({ name, title = '', description = '', inputSchema }) => {
    const characters = name.length + title.length + description.length + JSON.stringify(inputSchema).length
    return { name, estimatedTokens: Math.round(characters / CHARACTERS_PER_TOKEN) }
  })
  const estimatedTokens = weights.reduce((sum, weight) => sum + weight.estimatedTokens, 0)
  const heaviest = weights.sort((a, b) => b.estimatedTokens - a.estimatedTokens).slice(0, 3)
  return { estimatedTokens, isHeavy: estimatedTokens >= HEAVY_TOKENS, heaviest }
}

const MAX_NAMES = 10

export function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}
