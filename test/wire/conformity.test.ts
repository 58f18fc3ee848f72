// Holds every table against the published schemas: for each thing a revision defines, both must say the same of any value.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../src/types/protocol/versions.ts'
import { notificationRow, requestRow } from '../../src/wire/method-rows.ts'
import { NOTIFICATIONS, REQUESTS, type Sender } from '../../src/wire/methods.ts'
import { SHAPES, type ShapeName } from '../../src/wire/shapes/grammar.ts'
import { drop } from '../../src/wire/shapes/shape.ts'
import { CORRECTIONS } from './corrections.ts'
import { NOT_SHAPED, UNNAMED } from './coverage.ts'
import { createMaker, damaged, everyDamage } from './instances.ts'
import {
  createJudge,
  describeWithSchemas,
  type JSONSchema,
  nameOfRef,
  type Published,
  readPublished,
  schemaAt,
} from './published.ts'
import { fitsMethod, fitsShape, hasShape, rowOf, shapeNameOf, type Verdict } from './verdicts.ts'

const RUNS = { numRuns: 50, seed: 20_260_728 }
const FULL_RUNS = { ...RUNS, numRuns: 4 }

describeWithSchemas('the tables against the published schemas', () => {
  for (const version of PROTOCOL_VERSIONS) describe(version, () => holdRevision(version))

  it('have a definition for every name that we gave a reason not to shape', () => {
    const names = new Set(PROTOCOL_VERSIONS.flatMap((version) => Object.keys(readPublished(version).definitions)))
    const listed = NOT_SHAPED.flatMap(({ definitions }) => definitions)
    expect(listed.filter((name) => !names.has(name))).toEqual([])
  })
})

function holdRevision(version: ProtocolVersion): void {
  const published = readPublished(version)
  const corrected = correct(published)
  const judge = createJudge(corrected)
  const make = createMaker(corrected)
  const makeFull = createMaker(corrected, true)

  const hold = (schema: JSONSchema, fits: Verdict) => {
    const isValid = judge(schema)
    const verdicts = { valid: 0, invalid: 0 }
    const compare = (value: unknown) => {
      const expected = isValid(value)
      verdicts[expected ? 'valid' : 'invalid']++
      if (fits(value) !== expected) expect.fail(`${expected ? 'valid' : 'invalid'} as published, but not so to us`)
    }
    fc.assert(fc.property(damaged(make(schema)), compare), RUNS)
    fc.assert(
      fc.property(makeFull(schema), (full) => {
        for (const value of everyDamage(full)) compare(value)
      }),
      FULL_RUNS,
    )
    return verdicts
  }

  const names = Object.keys(published.definitions)
  const messages = names.filter((name) => methodOf(published, name) !== undefined && !hasShape(version, name))
  const shapes = names.filter((name) => hasShape(version, name))

  it.each(shapes)('%s', (name) => {
    const { valid, invalid } = hold(corrected.definitions[name] ?? {}, fitsShape(version, shapeNameOf(name)))
    expect(valid, 'values that fit').toBeGreaterThan(0)
    if (!admitsAnything(name)) expect(invalid, 'values that do not fit').toBeGreaterThan(0)
  })

  it.each(Object.entries(UNNAMED[version]))('%s, published as %s', (name, place) => {
    const { valid, invalid } = hold(schemaAt(corrected, place), fitsShape(version, name as ShapeName))
    expect(Math.min(valid, invalid)).toBeGreaterThan(0)
  })

  it.each(messages)('%s, through the method table', (name) => {
    const { valid, invalid } = hold(
      withoutEnvelope(corrected.definitions[name] ?? {}),
      fitsMethod(version, methodOf(published, name) ?? ''),
    )
    expect(Math.min(valid, invalid)).toBeGreaterThan(0)
  })

  it.each(CORRECTIONS.filter(({ versions }) => versions.includes(version)))(
    'differs on purpose: $title',
    ({ shownBy: { definition, values } }) => {
      const fits = hasShape(version, definition)
        ? fitsShape(version, shapeNameOf(definition))
        : fitsMethod(version, methodOf(published, definition) ?? '')
      const asPublished = createJudge(published)(withoutEnvelope(schemaAt(published, definition)))
      const asCorrected = judge(withoutEnvelope(schemaAt(corrected, definition)))
      for (const value of values) {
        expect(fits(value)).toBe(!asPublished(value))
        expect(fits(value)).toBe(asCorrected(value))
      }
    },
  )

  it('covers every published definition', () => {
    const listed = NOT_SHAPED.flatMap(({ definitions }) => definitions)
    const uncovered = names.filter(
      (name) =>
        !shapes.includes(name) &&
        !messages.includes(name) &&
        !listed.includes(name) &&
        !isUnion(name) &&
        !isResponse(name),
    )
    expect(uncovered.filter((name) => !placesWithoutName(version).includes(name))).toEqual([])
    expect(names.filter((name) => listed.includes(name) && shapes.includes(name))).toEqual([])
  })

  it('has no shape that was not held against something', () => {
    const held = new Set([
      ...shapes.map(shapeNameOf),
      ...Object.keys(UNNAMED[version]),
      ...messages.map((name) => rowOf(version, methodOf(published, name) ?? '')?.params),
    ])
    expect(Object.keys(SHAPES[version]).filter((name) => !held.has(name))).toEqual([])
  })

  it.each(['client', 'server'] as const)('lets the %s send what the schema lets it send', (from) => {
    const side = from === 'client' ? 'Client' : 'Server'
    expect(methodsInUnion(published, `${side}Request`)).toEqual(methodsInTable(version, from, 'request'))
    expect(methodsInUnion(published, `${side}Notification`)).toEqual(methodsInTable(version, from, 'notification'))
  })

  it.each(['client', 'server'] as const)('lets the %s answer what the schema lets it answer', (from) => {
    const asker = from === 'client' ? 'server' : 'client'
    const results = methodsInTable(version, asker, 'request').map((method) => rowOf(version, method)?.result)
    const inUnion = refsOf(published.definitions[from === 'client' ? 'ClientResult' : 'ServerResult'] ?? {})
    const core = inUnion.filter((name) => name !== 'Result' && name !== 'InputRequiredResult')
    expect(core.sort()).toEqual([...new Set(results)].filter((name) => name !== 'EmptyResult').sort())
  })

  it.each(names.filter(isResponse))('%s, through the method table', (name) => {
    const result = published.definitions[name]?.properties?.['result'] ?? {}
    const row = Object.values(REQUESTS).find((candidate) => `${candidate.result}Response` === name)
    const expected: string[] = [row?.result ?? 'no row']
    if (row && 'mayAskForInput' in row) expected.unshift('InputRequiredResult')
    expect(refsOf(result)).toEqual(expected)
  })
}

function correct(published: Published): Published {
  const definitions = structuredClone(published.definitions)
  for (const correction of CORRECTIONS) {
    if (correction.versions.includes(published.version)) correction.correct(definitions)
  }
  return { ...published, definitions }
}

function methodOf({ definitions }: Published, name: string): string | undefined {
  const method = definitions[name]?.properties?.['method']?.const
  return typeof method === 'string' && !isUnion(name) ? method : undefined
}

/** The message without `jsonrpc` and `id`, which are not the method table's business. */
function withoutEnvelope(schema: JSONSchema): JSONSchema {
  if (schema.properties === undefined) return schema
  const properties = drop(schema.properties, 'jsonrpc', 'id')
  const required = (schema.required ?? []).filter((name) => name in properties)
  return { ...schema, properties, required }
}

function isUnion(name: string): boolean {
  return /^(Client|Server)(Request|Notification|Result)$/.test(name)
}

function isResponse(name: string): boolean {
  return name.endsWith('ResultResponse') && name !== 'JSONRPCResultResponse'
}

function admitsAnything(name: string): boolean {
  return name === 'JSONValue'
}

function placesWithoutName(version: ProtocolVersion): string[] {
  return Object.values(UNNAMED[version]).map((place) => place.split('/', 1)[0] ?? '')
}

function refsOf({ $ref, anyOf = [] }: JSONSchema): string[] {
  return $ref === undefined ? anyOf.flatMap(refsOf) : [nameOfRef($ref)]
}

function methodsInUnion(published: Published, union: string): string[] {
  const schema = published.definitions[union] ?? {}
  const inPlace = schema.properties?.['method']?.const
  const named = refsOf(schema).map((name) => methodOf(published, name))
  return [...named, inPlace].filter((method) => typeof method === 'string').sort()
}

function methodsInTable(version: ProtocolVersion, from: Sender, kind: 'request' | 'notification'): string[] {
  return kind === 'request'
    ? Object.keys(REQUESTS)
        .filter((method) => requestRow(method, version, from))
        .sort()
    : Object.keys(NOTIFICATIONS)
        .filter((method) => notificationRow(method, version, from))
        .sort()
}
