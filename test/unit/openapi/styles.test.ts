// compose O20–O25: how parameters are written, row by row of the table.
import { describe, expect, it } from 'vitest'
import {
  cookiePairs,
  defaultExplode,
  defaultStyle,
  headerValue,
  type Location,
  type ParameterStyle,
  pathText,
  queryPairs,
  type Style,
} from '../../../src/openapi/request/styles.ts'

const SETTINGS = { deepArrays: 'index', nullAsEmpty: false } as const
const COLOUR = { R: 100, G: 200 }

function parameter(
  place: Location,
  style: Style,
  explode: boolean,
  more: Partial<ParameterStyle> = {},
): ParameterStyle {
  return { name: 'a', in: place, style, explode, allowReserved: false, allowEmptyValue: false, ...more }
}

function write(given: ParameterStyle, value: unknown, settings: Parameters<typeof queryPairs>[3] = SETTINGS): string {
  if (given.in === 'path') return pathText(given, value, 'a')
  if (given.in === 'query') return queryPairs(given, value, 'a', settings).join('&')
  if (given.in === 'header') return headerValue(given, value, 'a')
  return cookiePairs(given, value, 'a').join('; ')
}

describe('compose X72: every style, every type', () => {
  const rows: [Location, Style, boolean, string, string, string][] = [
    ['path', 'simple', false, '5', '3,4', 'R,100,G,200'],
    ['path', 'simple', true, '5', '3,4', 'R=100,G=200'],
    ['path', 'label', false, '.5', '.3,4', '.R,100,G,200'],
    ['path', 'label', true, '.5', '.3.4', '.R=100.G=200'],
    ['path', 'matrix', false, ';a=5', ';a=3,4', ';a=R,100,G,200'],
    ['path', 'matrix', true, ';a=5', ';a=3;a=4', ';R=100;G=200'],
    ['query', 'form', true, 'a=5', 'a=3&a=4', 'R=100&G=200'],
    ['query', 'form', false, 'a=5', 'a=3,4', 'a=R,100,G,200'],
    ['query', 'spaceDelimited', false, 'a=5', 'a=3%204', 'a=R%20100%20G%20200'],
    ['query', 'spaceDelimited', true, 'a=5', 'a=3&a=4', 'R=100&G=200'],
    ['query', 'pipeDelimited', false, 'a=5', 'a=3%7C4', 'a=R%7C100%7CG%7C200'],
    ['query', 'pipeDelimited', true, 'a=5', 'a=3&a=4', 'R=100&G=200'],
    ['header', 'simple', false, '5', '3,4', 'R,100,G,200'],
    ['header', 'simple', true, '5', '3,4', 'R=100,G=200'],
    ['cookie', 'form', true, 'a=5', 'a=3; a=4', 'R=100; G=200'],
    ['cookie', 'form', false, 'a=5', 'a=3,4', 'a=R,100,G,200'],
    ['cookie', 'cookie', true, 'a=5', 'a=3; a=4', 'R=100; G=200'],
    ['cookie', 'cookie', false, 'a=5', 'a=3,4', 'a=R,100,G,200'],
  ]
  it.each(rows)('%s %s explode %s', (place, style, explode, scalar, list, object) => {
    const given = parameter(place, style, explode)
    expect(write(given, 5)).toBe(scalar)
    expect(write(given, [3, 4])).toBe(list)
    expect(write(given, COLOUR)).toBe(object)
  })

  it('deepObject: objects, nested ones, and lists in three ways', () => {
    const given = parameter('query', 'deepObject', true)
    expect(write(given, COLOUR)).toBe('a[R]=100&a[G]=200')
    expect(write(given, { x: { y: 1 } })).toBe('a[x][y]=1')
    expect(write(given, [3, 4])).toBe('a[0]=3&a[1]=4')
    expect(write(given, [3, 4], { ...SETTINGS, deepArrays: 'brackets' })).toBe('a[]=3&a[]=4')
    expect(write(given, [3, 4], { ...SETTINGS, deepArrays: 'repeat' })).toBe('a=3&a=4')
    expect(() => write(given, 5)).toThrow('deepObject')
  })

  it('content: JSON text, then encoded', () => {
    expect(write(parameter('query', 'form', true, { content: 'json' }), { b: [1] })).toBe('a=%7B%22b%22%3A%5B1%5D%7D')
    expect(write(parameter('header', 'simple', false, { content: 'json' }), { b: 1 })).toBe('{"b":1}')
    expect(write(parameter('query', 'form', true, { content: 'form' }), { b: 1 })).toBe('a=b%3D1')
  })
})

describe('compose O20–O25', () => {
  it('compose O20: explode is on for form and cookie only, unless said', () => {
    const styles: Style[] = ['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'cookie']
    expect(styles.filter(defaultExplode)).toEqual(['form', 'cookie'])
    expect((['path', 'query', 'header', 'cookie'] as const).map(defaultStyle)).toEqual([
      'simple',
      'form',
      'simple',
      'form',
    ])
  })

  it('compose O21: allowReserved keeps reserved characters, but none that would end the value', () => {
    const given = parameter('query', 'form', true, { allowReserved: true })
    expect(write(given, 'https://x.test/?a=b')).toBe('a=https://x.test/?a=b')
    expect(write(given, 'a&b=c#d+e[f] %20')).toBe('a=a%26b=c%23d%2Be%5Bf%5D%20%20')
    expect(write({ ...given, allowReserved: false }, 'a/b?c')).toBe('a=a%2Fb%3Fc')
  })

  it('compose O22: allowEmptyValue sends the bare name', () => {
    expect(write(parameter('query', 'form', true, { allowEmptyValue: true }), '')).toBe('a')
    expect(write(parameter('query', 'form', true), '')).toBe('a=')
  })

  it.each(['', '.', '..', '%2e%2e', '%252e%2E', '..%2fadmin', '../admin', 'a/../../b', '..\\x', null, []])(
    'O23, compose G047: the path value %j is refused',
    (value) => {
      for (const style of ['simple', 'label', 'matrix'] as const) {
        expect(() => write(parameter('path', style, false), value)).toThrow('path')
      }
    },
  )

  it('compose O23: a slash is encoded, unless the document allows it', () => {
    expect(write(parameter('path', 'simple', false), 'a/b?c#d')).toBe('a%2Fb%3Fc%23d')
    expect(write(parameter('path', 'simple', false, { allowReserved: true }), 'a/b?c#d')).toBe('a/b%3Fc%23d')
  })

  it.each(['a\r\nX: 1', 'a\nb', 'a\0', 'a\u007f', 'snow\u2603'])(
    'O24, compose G047: the header value %j is refused',
    (value) => {
      expect(() => write(parameter('header', 'simple', false), value)).toThrow('header')
      expect(() => write(parameter('header', 'simple', false), [value])).toThrow('header')
    },
  )

  it('compose O24: what would end a cookie is encoded in the style form, and refused in the style cookie', () => {
    expect(write(parameter('cookie', 'form', true), 'x; admin=1')).toBe('a=x%3B%20admin%3D1')
    for (const value of ['x; admin=1', 'a\r\nb', 'a b', '"']) {
      expect(() => write(parameter('cookie', 'cookie', true), value)).toThrow('cookie')
    }
  })

  it('null and undefined are not sent, and nullAsEmpty sends null empty', () => {
    const given = parameter('query', 'form', true)
    expect(write(given, undefined)).toBe('')
    expect(write(given, null)).toBe('')
    expect(write(given, null, { ...SETTINGS, nullAsEmpty: true })).toBe('a=')
    expect(write(given, [1, null, 2])).toBe('a=1&a=2')
    expect(write(given, true)).toBe('a=true')
    expect(write(given, 1e21)).toBe('a=1e%2B21')
  })

  it('compose O41: what a style cannot say is refused', () => {
    expect(() => write(parameter('query', 'form', true), [{ b: 1 }])).toThrow('cannot carry')
    expect(() => write(parameter('path', 'simple', false), { b: [1] })).toThrow('cannot carry')
  })

  it('half a pair of surrogates does not throw', () => {
    expect(write(parameter('query', 'form', true), 'a\ud800b')).toBe('a=a%EF%BF%BDb')
  })
})
