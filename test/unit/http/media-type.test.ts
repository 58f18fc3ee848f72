import { describe, expect, it } from 'vitest'
import { accepts, acceptsExplicitly, isJsonContent } from '../../../src/http/media-type.ts'
import { FakeExchange } from '../../support/fake-exchange.ts'

const withHeader = (name: string, value: string | readonly string[] | undefined) =>
  new FakeExchange({ headers: { [name]: value } })

describe('isJsonContent', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON ; charset=UTF-8', true],
    ['application/json;charset="utf-8"', true],
    ['application/json; profile=x', true],
    ['application/json; charset=latin1', false],
    ['application/json, application/json', false],
    ['application/jsonp', false],
    ['application/ld+json', false],
    ['text/json', false],
    ['', false],
  ])('F112 %s: %s', (type, isJson) => {
    expect(isJsonContent(withHeader('content-type', type))).toBe(isJson)
  })

  it('F112 R02 a header that is absent or repeated is none', () => {
    expect(isJsonContent(withHeader('content-type', undefined))).toBe(false)
    expect(isJsonContent(withHeader('content-type', ['application/json', 'text/plain']))).toBe(false)
  })
})

describe('accepts', () => {
  it.each([
    ['application/json, text/event-stream', true],
    ['text/event-stream', false],
    ['*/*', true],
    ['application/*;q=0.1', true],
    ['application/json;q=0', false],
    ['*/*, application/json;q=0', false],
    ['*/*;q=0, application/json', true],
    ['application/json;q=0.000', false],
    ['text/html', false],
    ['APPLICATION/JSON', true],
    ['', false],
  ])('F113 JSON by "%s": %s', (accept, isAccepted) => {
    expect(accepts(withHeader('accept', accept), 'application/json')).toBe(isAccepted)
  })

  it('F113 silence accepts everything, and names nothing', () => {
    const silent = withHeader('accept', undefined)
    expect([accepts(silent, 'text/event-stream'), acceptsExplicitly(silent, 'text/event-stream')]).toEqual([
      true,
      false,
    ])
  })

  it('F113 a list of any length is read in no time', () => {
    expect(accepts(withHeader('accept', `${'a/b,'.repeat(100_000)}*/*`), 'application/json')).toBe(false)
  })
})
