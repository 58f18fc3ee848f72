// The published schemas, where the environment has them, and the judge over them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { ProtocolVersion } from '../../src/types/protocol/versions.ts'

/** The folder with the published schemas; the suites that need it skip themselves without it. */
export const schemaDirectory = process.env['MCP_SCHEMA_DIR']

const NOTICE = 'skipped: MCP_SCHEMA_DIR does not name a folder with the published schemas'

/** `describe`, but where the published schemas are missing it says so and skips. */
export function describeWithSchemas(title: string, tests: () => void): void {
  if (schemaDirectory !== undefined) return void describe(title, tests)
  console.warn(`${title} ${NOTICE}`)
  describe.skipIf(true)(title, () => it(NOTICE, () => expect.fail(NOTICE)))
}

export interface JSONSchema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JSONSchema[]
  allOf?: JSONSchema[]
  properties?: Record<string, JSONSchema>
  required?: string[]
  additionalProperties?: JSONSchema | boolean
  items?: JSONSchema
  minimum?: number
  maximum?: number
  maxItems?: number
}

export type Definitions = Record<string, JSONSchema>

export interface Published {
  readonly version: ProtocolVersion
  readonly dialect: string
  /** `definitions` or `$defs`, as the document calls it. */
  readonly keyword: string
  readonly definitions: Definitions
}

export function readPublished(version: ProtocolVersion): Published {
  const text = readFileSync(join(schemaDirectory ?? '', `${version}.schema.json`), 'utf8')
  const document = JSON.parse(text)
  const keyword = '$defs' in document ? '$defs' : 'definitions'
  return { version, dialect: document.$schema, keyword, definitions: document[keyword] }
}

/** Judges values by a schema that stands in the published document or refers into it. */
export function createJudge(published: Published): (schema: JSONSchema) => (value: unknown) => boolean {
  const options = { strict: false, validateFormats: false, logger: false } as const
  const ajv = published.dialect.includes('2020-12') ? new Ajv2020(options) : new Ajv(options)
  ajv.addSchema({ $id: 'published', [published.keyword]: published.definitions })
  return (schema) => {
    const validate = ajv.compile(withAbsoluteRefs(schema))
    return (value) => validate(value) === true
  }
}

/** The name that a reference leads to. */
export function nameOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** The schema at a place such as `Result/_meta`: a definition, then members of it. */
export function schemaAt(published: Published, place: string): JSONSchema {
  const [name = '', ...members] = place.split('/')
  let schema = published.definitions[name]
  for (const member of members) schema = schema?.properties?.[member]
  if (schema === undefined) throw new Error(`${published.version} has nothing at ${place}`)
  return schema
}

function withAbsoluteRefs(schema: JSONSchema): JSONSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"published#/'))
}
