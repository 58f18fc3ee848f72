// compose O20–O35, 14.2.8: arguments that the tools of a document allow are sent; what arrives is read by the document alone, by a
// reader that shares no code with the program, and must be these arguments, and fit the schemas of the document.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { type OpenAPIAuth, openAPIServer } from 'mcpwire/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { argumentsFor, WRITINGS, type Writing } from './round-trip/arguments.ts'
import { isSame, readBody } from './round-trip/bodies.ts'
import { matchPath, type Parts, pairsOf, readParameter } from './round-trip/decode.ts'
import { Document, type Operation, objectOf, type Parameter, type Schema } from './round-trip/document.ts'
import { type Api, type Recorded, startApi, textOf } from './support.ts'

const RUNS = process.env['FULL_TESTS'] === '1' ? 40 : 2
const modules = dirname(dirname(dirname(createRequire(import.meta.url).resolve('@readme/oas-examples/package.json'))))
const own = fileURLToPath(new URL('../../fixtures/openapi/3.2', import.meta.url))
const documents = [...['3.0', '3.1'].map((version) => `${modules}/@readme/oas-examples/${version}/json`), own].flatMap(
  (folder) =>
    readdirSync(folder)
      .filter((file) => /\.(?:json|yaml)$/.test(file))
      .map((file) => `${folder}/${file}`),
)

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** A value for every scheme, so that no call lacks one. */
function authFor(document: Schema): Record<string, OpenAPIAuth> {
  const schemes = objectOf(objectOf(document['components'])['securitySchemes'])
  const undescribed = [...JSON.stringify(document).matchAll(/"security":\[\{"([^"]+)"/g)].map(([, name]) => [name, {}])
  return Object.fromEntries(
    [...undescribed, ...Object.entries(schemes)].map(([name, scheme]): [string, OpenAPIAuth] => {
      const { type, scheme: kind } = objectOf(scheme)
      if (type === 'mutualTLS') return [name as string, true]
      if (type === undefined) return [name as string, { headers: { 'x-auth': 'x' } }]
      if (type === 'http' && kind !== 'bearer')
        return [name as string, kind === 'basic' ? 'user:password' : { headers: { 'x-auth': 'x' } }]
      return [name as string, 'credential']
    }),
  )
}

function credentialNames(document: Schema, place: string): string[] {
  const schemes = Object.values(objectOf(objectOf(document['components'])['securitySchemes'])).map(objectOf)
  return schemes.filter((scheme) => scheme['in'] === place).map((scheme) => String(scheme['name']))
}

/** The argument of a parameter: its name, or its name with its place where the body has the same one. */
function argumentOf({ name, in: location }: Parameter, names: readonly string[]): string | undefined {
  const safe = name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '')
  return [`${name}_in_${location}`, name, `${safe}_in_${location}`, safe].find((argument) => names.includes(argument))
}

function writingFor(parameter: Parameter | undefined, operation: Operation, argument: string): Writing {
  if (parameter === undefined) {
    const medias = Object.entries(operation.content)
    const { style } = objectOf(medias[0]?.[1].encoding[argument])
    if (style !== undefined) return WRITINGS.plain
    return medias.some(([type]) => /json|\*/.test(type)) ? WRITINGS.json : WRITINGS.any
  }
  const { in: location, style, mediaType } = parameter
  if (mediaType !== undefined && /json/.test(mediaType) && location !== 'header') return WRITINGS.any
  if (style === 'label') return WRITINGS.label
  if (location === 'header' || style === 'cookie' || /Delimited$/.test(style)) return WRITINGS.plain
  return location === 'path' ? WRITINGS.path : WRITINGS.any
}

/** Whether a style can write a value: one without parts that have parts of their own, or `deepObject`. */
function canBeWritten({ style, mediaType }: Parameter, value: unknown): boolean {
  if (mediaType !== undefined || style === 'deepObject' || typeof value !== 'object' || value === null) return true
  return Object.values(value).every((member) => typeof member !== 'object' || member === null)
}

interface Check {
  readonly document: Document
  readonly operation: Operation
  readonly args: Schema
  /** The arguments that the tool has. */
  readonly names: readonly string[]
  readonly request: Recorded
  readonly credentials: { readonly query: readonly string[]; readonly cookie: readonly string[] }
}

/** What is wrong with a request, in sentences. */
function flawsOf({ document, operation, args, names, request, credentials }: Check): string[] {
  const flaws: string[] = []
  const [path = '', search = ''] = request.url.replace(/^\/base/, '').split(/\?(.*)/s)
  const found = matchPath(operation.path, path)
  // Node sends methods in capitals.
  if (request.method !== operation.method.toUpperCase()) flaws.push(`The method is ${request.method}.`)
  if (found === undefined) return [...flaws, `The path ${path} is another one.`]
  const parts: Parts = {
    path: found,
    query: pairsOf(search, '&').filter(([name]) => !credentials.query.includes(decodeURIComponent(name))),
    headers: request.headers,
    cookies: pairsOf(request.headers.cookie ?? '', '; ')
      .map(([name, value = '']) => [name, value] as const)
      .filter(([name]) => !credentials.cookie.includes(name)),
  }
  const rest = { ...args }
  // Those that take any name come last: what the others leave is theirs.
  const isOpen = ({ explode, schema }: Parameter) =>
    explode && objectOf(document.follow(schema))['properties'] === undefined
  const ordered = [...operation.parameters].sort((a, b) => Number(isOpen(a)) - Number(isOpen(b)))
  for (const parameter of ordered) {
    const argument = argumentOf(parameter, names)
    const readings = readParameter(document, parameter, parts)
    const { name, in: location, schema } = parameter
    if (argument === undefined) {
      const isFixed = readings.length > 0 && readings.some((value) => document.fits(schema, value))
      if (parameter.isRequired ? !isFixed : readings.length > 0)
        flaws.push(`${name} in ${location} has no argument: ${readings}.`)
      continue
    }
    delete rest[argument]
    if (args[argument] === undefined && readings.length === 0) continue
    const same = readings.filter((value) => isSame(value, args[argument]))
    if (same.length === 0) flaws.push(`${name} in ${location} is ${JSON.stringify(readings)}.`)
    else if (!same.some((value) => document.fits(schema, value))) {
      flaws.push(`${name} in ${location} does not fit: ${document.flaws(schema, same[0])}`)
    }
  }
  if (parts.query.length > 0) flaws.push(`The query has ${JSON.stringify(parts.query)} besides.`)
  if (parts.cookies.length > 0) flaws.push(`There are cookies besides: ${JSON.stringify(parts.cookies)}.`)
  return [...flaws, ...flawsOfBody(document, operation, rest, request)]
}

function flawsOfBody(document: Document, { content }: Operation, rest: Schema, request: Recorded): string[] {
  const { 'content-type': sent } = request.headers
  if (sent === undefined) return Object.keys(rest).length === 0 ? [] : [`${Object.keys(rest)} were not sent.`]
  const [essence = ''] = sent.split(';')
  const type =
    Object.keys(content).find((name) => name.split(';')[0] === essence) ??
    Object.keys(content).find((name) => /\*/.test(name))
  if (type === undefined) return [`The document has no body of the type ${sent}.`]
  const media = content[type] ?? { schema: {}, encoding: {} }
  const { value, isDescribed } = readBody(document, media, request)
  const isWhole = Object.keys(rest).length === 1 && isSame(value, rest['body'])
  const flaws =
    isWhole || isSame(renamed(value, rest), rest) ? [] : [`The body is ${JSON.stringify(value).slice(0, 1_000)}.`]
  if (isDescribed && !document.fits(media.schema, value))
    flaws.push(`The body does not fit: ${document.flaws(media.schema, value)}`)
  const { itemSchema } = media
  const items = itemSchema !== undefined && Array.isArray(value) ? value : []
  if (items.some((item) => !document.fits(itemSchema as Schema, item))) flaws.push('An item of the body does not fit.')
  return flaws
}

/** Properties with names that no argument can have: each is known by its value. */
function renamed(value: unknown, rest: Schema): unknown {
  const others = Object.keys(rest).filter((name) => !Object.hasOwn(objectOf(value), name))
  if (objectOf(value) !== value) return value
  const entries = Object.entries(objectOf(value)).map(([name, member]) => {
    if (Object.hasOwn(rest, name) || /^[A-Za-z0-9_.-]{1,64}$/.test(name)) return [name, member] as const
    const index = others.findIndex((other) => isSame(member, rest[other]))
    return [others.splice(index, index === -1 ? 0 : 1)[0] ?? name, member] as const
  })
  return Object.fromEntries(entries)
}

/** Any of several alternatives will do, as for the tools: by their schemas alone, values fit more than one. */
function loosened<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(loosened) as Value
  if (typeof value !== 'object' || value === null) return value
  const { oneOf, anyOf, ...rest } = value as Schema
  const entries = Object.entries(rest).map(([key, member]) => [key, loosened(member)])
  if (!Array.isArray(oneOf)) entries.push(...(anyOf === undefined ? [] : [['anyOf', loosened(anyOf)]]))
  else if (anyOf === undefined) entries.push(['anyOf', loosened(oneOf)])
  else entries.push(['allOf', [...((rest['allOf'] as []) ?? []), { anyOf: oneOf }, { anyOf }].map(loosened)])
  return Object.fromEntries(entries) as Value
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, unicodeRegExp: false })
;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)

function firstAllowed(
  values: fc.Arbitrary<Schema>,
  seed: number,
  isAllowed: (args: unknown) => unknown,
): Schema | undefined {
  for (let attempt = 0; attempt < 40; attempt++) {
    const [args] = fc.sample(values, { seed: seed + attempt, numRuns: 1 })
    if (isAllowed(args)) return args
  }
  return undefined
}

describe('compose O20–O25, compose O30–O35: what is sent is what the document says', () => {
  const totals = { calls: 0, refused: 0, ungenerated: [] as string[], hard: [] as string[] }

  it.each(documents.map((file) => [file.split('/').slice(-3).join('/'), file]))('%s', async (_name, file) => {
    const text = readFileSync(file as string, 'utf8')
    const raw = (String(file).endsWith('.yaml') ? parse(text) : JSON.parse(text)) as Schema
    const credentials = { query: credentialNames(raw, 'query'), cookie: credentialNames(raw, 'cookie') }
    const options = { baseUrl: `${api.origin}/base`, auth: authFor(raw), search: false, maxTools: Infinity } as const
    const server = await openAPIServer(structuredClone(raw), options)
    const tools = new Map((await server.listTools()).tools.map((tool) => [tool.name, tool]))
    const listed = JSON.stringify([...tools.values()])
    const document = new Document(loosened(raw), (pattern) => listed.includes(JSON.stringify(pattern)))
    const operations = document.operations()
    const problems: string[] = []
    for (const { as, name = '', method, path } of server.report.operations) {
      if (as !== 'tool') continue
      const operation = operations.get(`${method} ${path}`) as Operation
      const input = tools.get(name)?.inputSchema as Schema
      const names = Object.keys(objectOf(input['properties']))
      const byArgument = new Map(operation.parameters.map((parameter) => [argumentOf(parameter, names), parameter]))
      const isAllowed = ajv.compile(input)
      for (let run = 0; run < RUNS; run++) {
        const values = argumentsFor(
          input,
          (argument) => writingFor(byArgument.get(argument), operation, argument),
          run === 0,
        )
        const args = firstAllowed(values, 7_919 * (run + 1), isAllowed)
        if (args === undefined) {
          const isHard = /"allOf"/.test(JSON.stringify(input)) || name === 'directCircular'
          totals[isHard ? 'hard' : 'ungenerated'].push(`${name} of ${String(file).split('/').at(-1)}`)
          break
        }
        const before = api.requests.length
        const result = await server.callTool(name, structuredClone(args))
        totals.calls += 1
        const written = [...byArgument].every(([argument, parameter]) => canBeWritten(parameter, args[argument ?? '']))
        const sent = api.requests.slice(before)
        if (!written && sent.length === 0 && result.isError === true) {
          totals.refused += 1
          continue
        }
        const flaws =
          sent.length === 1
            ? flawsOf({ document, operation, args, names, request: sent[0] as Recorded, credentials })
            : [`There were ${sent.length} requests: ${textOf(result)}`]
        problems.push(...flaws.map((flaw) => `${name}: ${flaw} The arguments: ${JSON.stringify(args).slice(0, 2_000)}`))
      }
    }
    expect(problems).toEqual([])
  })

  it('few arguments could not be made, and few calls were refused', () => {
    expect(totals.calls).toBeGreaterThan(1_000)
    expect(totals.refused).toBeLessThan(totals.calls / 20)
    expect(totals.ungenerated).toEqual([])
    // Values that fit exactly one of several schemas that are nearly the same, or all of several that contradict each other.
    expect(totals.hard.length).toBeLessThan(30)
  })
})
