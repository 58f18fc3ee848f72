// Every example that the specification publishes fits our tables, and goes through the sieve untouched.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { checkResult } from '../../src/wire/check.ts'
import { REQUESTS } from '../../src/wire/methods.ts'
import { grammarOf } from '../../src/wire/shapes/grammar.ts'
import { NOT_SHAPED } from './coverage.ts'
import { describeWithSchemas, schemaDirectory } from './published.ts'
import { fitsMethod, hasShape, shapeNameOf } from './verdicts.ts'

const VERSION = '2026-07-28'
const directory = join(schemaDirectory ?? '', `${VERSION}-examples`)

interface Example {
  readonly definition: string
  readonly file: string
  readonly value: JSONObject
}

describeWithSchemas(`the published examples of ${VERSION}`, () => {
  const examples = readExamples()
  const errors = NOT_SHAPED.flatMap(({ definitions }) => definitions)
  const shaped = examples.filter(({ definition }) => hasShape(VERSION, definition))
  const responses = examples.filter(({ definition }) => definition.endsWith('ResultResponse'))
  const messages = examples.filter(({ definition }) => /(Request|Notification)$/.test(definition)).filter(isUnshaped)

  it('are all looked at', () => {
    const others = examples.filter((example) => ![...shaped, ...responses, ...messages].includes(example))
    expect(examples.length).toBeGreaterThan(50)
    expect(others.filter(({ definition }) => !errors.includes(definition))).toEqual([])
  })

  it.each(shaped)('$definition: $file', ({ definition, value }) => {
    const name = shapeNameOf(definition)
    expect(grammarOf(VERSION).misfit(name, value)).toBeUndefined()
    expect(grammarOf(VERSION).sieve(name, value)).toBe(value)
  })

  it.each(messages)('$definition: $file', ({ value }) => {
    expect(fitsMethod(VERSION, String(value['method']))(value)).toBe(true)
  })

  it.each(responses)('$definition: $file', ({ definition, value }) => {
    const [method] = Object.entries(REQUESTS).find(([, { result }]) => `${result}Response` === definition) ?? ['']
    const result = value['result'] as JSONObject
    expect(checkResult(method, VERSION, result)).toBe(result['resultType'])
  })
})

function isUnshaped({ definition }: Example): boolean {
  return !hasShape(VERSION, definition)
}

function readExamples(): Example[] {
  return readdirSync(directory).flatMap((definition) =>
    readdirSync(join(directory, definition)).map((file) => {
      return { definition, file, value: JSON.parse(readFileSync(join(directory, definition, file), 'utf8')) }
    }),
  )
}
