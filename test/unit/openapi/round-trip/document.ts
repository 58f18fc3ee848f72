// An OpenAPI document as the tests read it, by the specification alone: nothing here comes from the program.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export type Schema = Record<string, unknown>
export type Location = 'path' | 'query' | 'header' | 'cookie' | 'querystring'

export interface Parameter {
  readonly name: string
  readonly in: Location
  readonly style: string
  readonly explode: boolean
  readonly isRequired: boolean
  readonly schema: Schema
  /** Of a parameter with `content`. */
  readonly mediaType?: string
}

export interface Media {
  readonly schema: Schema
  readonly itemSchema?: Schema
  readonly encoding: Readonly<Record<string, Schema>>
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly content: Readonly<Record<string, Media>>
}

const ID = 'https://round-trip.test/document'
const IGNORED = /^(?:accept|content-type|authorization)$/i
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

export class Document {
  readonly #value: Schema
  readonly #base: string
  readonly #ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    logger: false,
    unicodeRegExp: false,
  })
  readonly #validators = new Map<Schema, ValidateFunction>()

  /** `keepsPattern`: the program leaves patterns out that could take without end to be tested. */
  constructor(given: unknown, keepsPattern: (pattern: string) => boolean) {
    const { $self, openapi } = given as { $self?: string; openapi: string }
    this.#base = $self ?? ID
    this.#value = forRequests(given, { isOld: openapi.startsWith('3.0'), base: this.#base, keepsPattern }) as Schema
    ;(formats as unknown as (ajv: Ajv2020) => void)(this.#ajv)
    this.#ajv.addSchema(this.#value, ID)
  }

  /** By method and path. */
  operations(): Map<string, Operation> {
    const found = new Map<string, Operation>()
    for (const [path, item] of Object.entries(objectOf(this.#value['paths']))) {
      const given = this.follow(item)
      const entries: [string, unknown][] = METHODS.map((method) => [method, given[method]])
      for (const [method, operation] of [...entries, ...Object.entries(objectOf(given['additionalOperations']))]) {
        if (operation === undefined) continue
        const isOwn = METHODS.includes(method)
        const read = this.#operation(path, isOwn ? method.toUpperCase() : method, given, objectOf(operation))
        found.set(`${method.toLowerCase()} ${path}`, read)
      }
    }
    return found
  }

  /** The target of a reference, with what stands beside it in a schema. */
  follow(value: unknown): Schema {
    const given = objectOf(value)
    const { $ref, ...others } = given
    if (typeof $ref !== 'string') return given
    const [, fragment = ''] = $ref.split('#')
    let target: unknown = this.#value
    for (const token of decodeURIComponent(fragment).split('/').slice(1)) {
      target = (target as Schema)[token.replaceAll('~1', '/').replaceAll('~0', '~')]
    }
    return { ...this.follow(target), ...others }
  }

  fits(schema: Schema, value: unknown): boolean {
    return this.#validator(schema)(value) === true
  }

  flaws(schema: Schema, value: unknown): string {
    const validate = this.#validator(schema)
    return validate(value) ? '' : this.#ajv.errorsText(validate.errors).slice(0, 300)
  }

  #validator(schema: Schema): ValidateFunction {
    const known = this.#validators.get(schema)
    if (known !== undefined) return known
    const made = this.#ajv.compile(schema)
    this.#validators.set(schema, made)
    return made
  }

  #operation(path: string, method: string, item: Schema, operation: Schema): Operation {
    const parameters = new Map<string, Parameter>()
    for (const given of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
      const parameter = this.#parameter(this.follow(given))
      if (parameter.in !== 'header' || !IGNORED.test(parameter.name)) {
        parameters.set(`${parameter.in} ${parameter.name}`, parameter)
      }
    }
    const content = objectOf(this.follow(operation['requestBody'])['content'])
    const medias = Object.entries(content).map(([type, media]) => [type, this.#media(this.follow(media))] as const)
    return { method, path, parameters: [...parameters.values()], content: Object.fromEntries(medias) }
  }

  #parameter(given: Schema): Parameter {
    const location = given['in'] as Location
    const style = (given['style'] ?? (location === 'query' || location === 'cookie' ? 'form' : 'simple')) as string
    const [entry] = Object.entries(objectOf(given['content']))
    const schema = objectOf(entry === undefined ? given['schema'] : this.follow(entry[1])['schema'])
    return {
      name: String(given['name']),
      in: location,
      style,
      explode: (given['explode'] ?? (style === 'form' || style === 'cookie')) as boolean,
      isRequired: given['required'] === true,
      schema,
      ...(entry !== undefined && { mediaType: entry[0] }),
    }
  }

  #media(given: Schema): Media {
    const { schema, itemSchema, encoding } = given
    return {
      schema: objectOf(schema),
      ...(itemSchema !== undefined && { itemSchema: objectOf(itemSchema) }),
      encoding: objectOf(encoding) as Media['encoding'],
    }
  }
}

export function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

const LEFT_OUT = /^(?:examples?|default|x-.*|discriminator|responses|callbacks|\$self|description)$/
const NAMES =
  /^(?:properties|schemas|\$defs|patternProperties|headers|encoding|requestBodies|mediaTypes|pathItems|paths|content|securitySchemes)$/

/** A copy for a validator of JSON Schema 2020-12: absolute references, no examples, and no rules about what only answers have. */
interface Copying {
  readonly isOld: boolean
  readonly base: string
  readonly keepsPattern: (pattern: string) => boolean
}

function forRequests(value: unknown, copying: Copying, isNames = false): unknown {
  const { isOld, base, keepsPattern } = copying
  if (Array.isArray(value)) return value.map((item) => forRequests(item, copying))
  if (typeof value !== 'object' || value === null) return value
  const copy: Schema = {}
  for (const [key, member] of Object.entries(value)) {
    if (!isNames && LEFT_OUT.test(key)) continue
    if (!isNames && key === 'pattern' && !keepsPattern(String(member))) continue
    if (!isNames && key === '$ref' && typeof member === 'string') {
      const { href, hash } = new URL(member, base)
      copy[key] = href.slice(0, href.length - hash.length) === base ? `${ID}${hash}` : member
    } else {
      const holdsNames = !isNames && (NAMES.test(key) || (key === 'parameters' && !Array.isArray(member)))
      copy[key] = forRequests(member, copying, holdsNames)
    }
  }
  if (isNames) return copy
  withoutReadOnly(copy)
  modernize(copy, isOld)
  return copy
}

function withoutReadOnly(schema: Schema): void {
  const { required, properties } = schema
  if (!Array.isArray(required) || properties === undefined) return
  schema['required'] = required.filter((name) => objectOf(objectOf(properties)[name])['readOnly'] !== true)
}

/** Version 3.0 has rules of its own for `nullable` and for bounds. Later ones have no such rules, and some documents do not know. */
function modernize(schema: Schema, isOld: boolean): void {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    const isExclusive = schema[exclusive]
    delete schema[exclusive]
    if (!isExclusive || !isOld) continue
    schema[exclusive] = schema[bound]
    delete schema[bound]
  }
  const isNullable = isOld && schema['nullable'] === true
  delete schema['nullable']
  if (!isNullable) return
  if (typeof schema['type'] === 'string') {
    schema['type'] = [schema['type'], 'null']
    if (Array.isArray(schema['enum'])) schema['enum'] = [...schema['enum'], null]
  } else {
    const others = { ...schema }
    for (const key of Object.keys(schema)) delete schema[key]
    schema['anyOf'] = [others, { type: 'null' }]
  }
}
