// Turns the published schemas into TypeScript, so that the compiler can hold our types against them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROTOCOL_VERSIONS } from '../../src/types/protocol/versions.ts'

export interface Schema {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  type?: string | string[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
}

/** The definitions of one revision, by name. */
export type Definitions = Record<string, Schema>

export interface Example {
  definition: string
  file: string
  value: object
}

export function readDefinitions(folder: string): Map<string, Definitions> {
  return new Map(
    PROTOCOL_VERSIONS.map((version) => {
      const schema = JSON.parse(readFileSync(join(folder, `${version}.schema.json`), 'utf8'))
      return [version, schema.$defs ?? schema.definitions]
    }),
  )
}

export function readExamples(folder: string): Example[] {
  const root = join(folder, '2026-07-28-examples')
  if (!existsSync(root)) return []
  return readdirSync(root).flatMap((definition) =>
    readdirSync(join(root, definition)).map((file) => ({
      definition,
      file,
      value: JSON.parse(readFileSync(join(root, definition, file), 'utf8')),
    })),
  )
}

/** A module with one type alias per definition. Aliases, because an interface would not fit a `JSONObject`. */
export function definitionsModule(definitions: Definitions): string {
  const lines = Object.entries(definitions).map(([name, schema]) => {
    return `export type ${name} = ${typeText(withExactResultType(name, schema))}`
  })
  return `${lines.join('\n')}\n`
}

// The schema says that `resultType` is any string; which string makes a result the one it is stands in the prose.
function withExactResultType(name: string, schema: Schema): Schema {
  if (name === 'Result' || schema.properties?.resultType === undefined) return schema
  const value = name === 'InputRequiredResult' ? 'input_required' : 'complete'
  return { ...schema, properties: { ...schema.properties, resultType: { const: value } } }
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return `(${schema.enum.map((value) => JSON.stringify(value)).join(' | ')})`
  if (schema.anyOf !== undefined) return `(${schema.anyOf.map(typeText).join(' | ')})`
  if (schema.allOf !== undefined) return `(${schema.allOf.map(typeText).join(' & ')})`
  if (Array.isArray(schema.type)) return `(${schema.type.map((type) => typeText({ ...schema, type })).join(' | ')})`
  if (schema.type === 'object') return objectText(schema)
  if (schema.type === 'array') return `${typeText(schema.items ?? {})}[]`
  if (schema.type === 'integer') return 'number'
  return schema.type ?? 'unknown'
}

function objectText({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, property]) => {
    return `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeText(property)}`
  })
  if (typeof additionalProperties === 'object' && members.length === 0) {
    members.push(`[key: string]: ${typeText(additionalProperties)}`)
  } else if (additionalProperties !== undefined || members.length === 0) {
    members.push('[key: string]: unknown')
  }
  return `{ ${members.join('; ')} }`
}

/** The members that a place in a definition has, over all revisions. */
export interface Place {
  /** From the definition inwards; `[]` goes into a list. */
  path: string[]
  names: Set<string>
  /** Those that every revision requires. */
  required: Set<string>
  /** Some revision says elsewhere what stands here, by a reference or a union, so `names` are not all of them. */
  partial: boolean
}

/** Every place of a definition that has members written in place. */
export function placesOf(name: string, revisions: Iterable<Definitions>): Place[] {
  const schemas = [...revisions].flatMap((definitions) => definitions[name] ?? [])
  return placesAt([name], schemas, false)
}

function placesAt(path: string[], schemas: Schema[], isPartialAbove: boolean): Place[] {
  const partial = isPartialAbove || schemas.some((schema) => schema.$ref ?? schema.anyOf ?? schema.allOf)
  const items = schemas.flatMap((schema) => schema.items ?? [])
  const inList = items.length === 0 ? [] : placesAt([...path, '[]'], items, partial)
  const objects = schemas.filter((schema) => schema.properties !== undefined)
  if (objects.length === 0) return inList

  const names = new Set(objects.flatMap((schema) => Object.keys(schema.properties!)))
  const required = new Set([...names].filter((name) => schemas.every((schema) => schema.required?.includes(name))))
  const inMembers = [...names].flatMap((name) => {
    const members = objects.flatMap((schema) => schema.properties![name] ?? [])
    return placesAt([...path, name], members, partial)
  })
  return [{ path, names, required, partial }, ...inMembers, ...inList]
}
