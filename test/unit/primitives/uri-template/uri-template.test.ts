import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandUriTemplate, type UriTemplateVariables } from '../../../../src/primitives/uri-template/expand.ts'
import { parseUriTemplate, UriTemplateError } from '../../../../src/primitives/uri-template/uri-template.ts'
import { cpuMilliseconds } from '../../../support/cpu-time.ts'
import { VARIABLES, VECTORS } from './vectors.ts'

const seed = 6570
const OPERATORS = ['', '+', '#', '.', '/', ';', '?', '&']

function match(template: string, uri: string) {
  const variables = parseUriTemplate(template).match(uri)
  return variables === undefined ? undefined : { ...variables }
}

function positionOf(template: string): number {
  try {
    parseUriTemplate(template)
  } catch (error) {
    if (error instanceof UriTemplateError) return error.position
  }
  throw new Error('the template was accepted')
}

describe('expand', () => {
  for (const [section, vectors] of Object.entries(VECTORS)) {
    it.each(vectors)(`RFC 6570, ${section}: %s`, (template, expansion) => {
      expect(expandUriTemplate(template, VARIABLES)).toBe(expansion)
    })
  }

  it('encodes literals beyond ASCII and leaves percent-encoded ones alone', () => {
    expect(expandUriTemplate('x://zürich/%c3%a9/{a}', { a: 'é' })).toBe('x://z%C3%BCrich/%c3%a9/%C3%A9')
  })

  it('keeps percent-encoded bytes of a reserved expansion and encodes a bare percent sign', () => {
    expect(expandUriTemplate('{+a}', { a: '%41%4z[1]"' })).toBe('%41%254z[1]%22')
  })

  it('counts a prefix in characters and never cuts one', () => {
    expect(expandUriTemplate('{a:2}', { a: '😀😁😂' })).toBe(encodeURIComponent('😀😁'))
    expect(expandUriTemplate('{a:3}', { a: 'a😀bc' })).toBe(encodeURIComponent('a😀b'))
  })

  it('F062 writes a lone surrogate as U+FFFD', () => {
    expect(expandUriTemplate('{a}{+b}', { a: '\uD800', b: 'x\uDC00' })).toBe('%EF%BF%BDx%EF%BF%BD')
  })

  it('F059 reads own variables only', () => {
    expect(expandUriTemplate('{constructor}{__proto__}{toString}', {})).toBe('')
    expect(expandUriTemplate('{__proto__}', JSON.parse('{"__proto__":"data"}'))).toBe('data')
  })

  it('passes over null and undefined members', () => {
    const values = { a: null, b: ['x', undefined, 'y'], c: { k: undefined, l: 'm' } } as unknown as UriTemplateVariables
    expect(expandUriTemplate('{a}{b}{?c*}', values)).toBe('x,y?l=m')
  })

  it.each([
    ['a number', '{a}', { a: 5 }],
    ['a list of numbers', '{a}', { a: [5] }],
    ['a prefix of a list', '{a:3}', { a: ['x'] }],
    ['a prefix of an object', '{a:1}', { a: { k: 'v' } }],
  ])('refuses %s with a TypeError that names the variable', (_what, template, values) => {
    const expand = () => expandUriTemplate(template, values as unknown as UriTemplateVariables)
    expect(expand).toThrow(TypeError)
    expect(expand).toThrow("'a'")
  })
})

describe('parse', () => {
  it.each([
    ['not closed', 'x{a', 1],
    ['closed twice', 'x{a}}', 4],
    ['closed before it opens', 'x}{a}', 1],
    ['empty', 'ab{}', 3],
    ['nested', '{a{b}}', 1],
    ['an operator alone', '{+}', 2],
    ['a reserved operator', '{=a}', 1],
    ['a reserved operator', '{|a}', 1],
    ['an empty name', '{a,,b}', 3],
    ['a hyphen in a name', '{a-b}', 1],
    ['a name that begins with a dot', '{?.a}', 2],
    ['two dots in a name', '{a..b}', 1],
    ['a broken percent sign in a name', '{a%4}', 1],
    ['a space in a name', '{a, b}', 3],
    ['prefix zero', '{a:0}', 3],
    ['prefix too long', '{a:10000}', 3],
    ['prefix without a number', '{ab:}', 4],
    ['prefix and explode', '{a:3*}', 1],
    ['a space', 'a b', 1],
    ['a newline', 'ab\n', 2],
    ['a control character', 'ab\u0000', 2],
    ['a quotation mark', '"', 0],
    ['a backslash', 'c:\\x', 2],
    ['a broken percent sign', 'x%4', 1],
    ['a lone surrogate', 'ab\uD800', 2],
  ])('refuses what is %s: %j', (_what, template, position) => {
    expect(positionOf(template)).toBe(position)
  })

  it('says where and what, and quotes nothing', () => {
    expect(() => parseUriTemplate('secret{')).toThrow(new UriTemplateError('the expression is not closed', 6).message)
    expect(() => parseUriTemplate('secret{')).not.toThrow(/secret/)
  })

  it('F198 has limits for length and variables, and so for expressions', () => {
    expect(parseUriTemplate('a'.repeat(8192)).match('a'.repeat(8192))).toBeDefined()
    expect(positionOf('a'.repeat(8193))).toBe(8192)
    expect(parseUriTemplate('{a}-'.repeat(256)).variableNames).toEqual(['a'])
    expect(positionOf('{a}-'.repeat(257))).toBe(1024)
    expect(() => parseUriTemplate(`{${'a,'.repeat(256)}a}`)).toThrow(/at most 256 variables/)
    expect(() => parseUriTemplate(`{${'a,'.repeat(10_000)}a}`)).toThrow(UriTemplateError)
  })

  it('lists each variable once, in order', () => {
    expect(parseUriTemplate('{b}/{a:3}{?b,c*}').variableNames).toEqual(['b', 'a', 'c'])
    expect(parseUriTemplate('plain').variableNames).toEqual([])
    expect(parseUriTemplate('{a.b_1}{%41}').variableNames).toEqual(['a.b_1', '%41'])
  })

  it('accepts or throws a UriTemplateError, whatever the text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'{}+#./;?&*:,a1_%-= \n'), maxLength: 30 })
    fc.assert(
      fc.property(text, (template) => {
        try {
          parseUriTemplate(template)
        } catch (error) {
          expect(error).toBeInstanceOf(UriTemplateError)
        }
      }),
      { seed, numRuns: 1000 },
    )
  })
})

describe('match', () => {
  it.each<[template: string, uri: string, variables: Record<string, string | string[]> | undefined]>([
    // literals
    ['config://app', 'config://app', {}],
    ['config://app', 'config://app/', undefined],
    ['config://app', 'config://ap', undefined],
    ['', '', {}],
    ['x://é/{a}', 'x://%c3%a9/1', { a: '1' }],
    ['x://%c3%a9/{a}', 'x://é/1', { a: '1' }],
    // simple
    ['greeting://{name}', 'greeting://Ada', { name: 'Ada' }],
    ['greeting://{name}', 'greeting://', { name: '' }],
    ['greeting://{name}', 'Greeting://Ada', undefined],
    ['greeting://{name}', 'greeting://Ada/x', undefined],
    ['greeting://{name}', 'greeting://Ada?x=1', undefined],
    ['greeting://{name}', 'greeting://Ada#x', undefined],
    ['user://{mail}', 'user://ada@example.com:1', { mail: 'ada@example.com:1' }],
    ['{a}-{b}', 'x-y-z', { a: 'x', b: 'y-z' }],
    ['{a}.txt', 'x.txt.txt', { a: 'x.txt' }],
    ['{a}xx', 'x', undefined],
    ['a{b}a', 'a', undefined],
    ['{x,y}', '1024,768', { x: '1024', y: '768' }],
    ['{x,y}', '1024', { x: '1024' }],
    ['{x,y}', '1,2,3', { x: '1', y: '2,3' }],
    ['{list*}', 'red,green,blue', { list: ['red', 'green', 'blue'] }],
    ['{list*}', '', { list: [] }],
    ['{list*}', 'a%2Cb,c', { list: ['a,b', 'c'] }],
    // reserved and fragment
    ['file://{+path}', 'file:///a/b.txt', { path: '/a/b.txt' }],
    ['file://{+path}', 'file:///a?b#c', { path: '/a?b#c' }],
    ['{+path}/{name}.{ext}', 'a/b/c.tar.gz', { path: 'a/b', name: 'c.tar', ext: 'gz' }],
    ['{+a}/mid/{+b}', 'x/mid/y/mid/z', { a: 'x/mid/y', b: 'z' }],
    ['{+path}{?q}', 'a/b?q=1', { path: 'a/b', q: '1' }],
    ['x{#frag}', 'x#a/b?c', { frag: 'a/b?c' }],
    ['x{#frag}', 'x', {}],
    ['x{#frag}', 'x#', { frag: '' }],
    ['{+path}{#frag}', 'a/b#c', { path: 'a/b', frag: 'c' }],
    // label
    ['{name}{.ext}', 'file.tar.gz', { name: 'file', ext: 'tar.gz' }],
    ['{name}{.ext}', 'file', { name: 'file' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
    ['www{.dom*}', 'wwwexample', undefined],
    // path segments
    ['/users{/id}', '/users/7', { id: '7' }],
    ['/users{/id}', '/users', {}],
    ['/users{/id}', '/users/', { id: '' }],
    ['/users{/id}', '/users/7/8', undefined],
    ['/users{/id}', '/usersx', undefined],
    ['/files{/path*}', '/files/a/b%2Fc', { path: ['a', 'b/c'] }],
    ['/files{/path*}/raw', '/files/a/raw/raw', { path: ['a', 'raw'] }],
    ['{/a,b}', '/1/2', { a: '1', b: '2' }],
    ['{/a,b}', '/1/2/3', undefined],
    ['{/list*,last}', '/1/2/3', { list: ['1', '2'], last: '3' }],
    ['{/a}{/b}', '/1/2', { a: '1', b: '2' }],
    // path-style parameters
    ['map{;x,y}', 'map;y=2;x=1', { x: '1', y: '2' }],
    ['map{;x,y}', 'map;x', { x: '' }],
    ['map{;x}', 'map;z=1', undefined],
    ['map{;x*}', 'map;x=1;x=2', { x: ['1', '2'] }],
    // query
    ['s{?q,lang}', 's?q=a&lang=b', { q: 'a', lang: 'b' }],
    ['s{?q,lang}', 's?lang=b&q=a', { q: 'a', lang: 'b' }],
    ['s{?q,lang}', 's?lang=b', { lang: 'b' }],
    ['s{?q,lang}', 's', {}],
    ['s{?q,lang}', 's?', {}],
    ['s{?q}', 's?utm=1&q=a&&x', { q: 'a' }],
    ['s{?q}', 's?q=a&q=b', { q: 'a' }],
    ['s{?q*}', 's?q=a&q=b', { q: ['a', 'b'] }],
    ['s{?q}', 's?q=a+b=c/d?e', { q: 'a+b=c/d?e' }],
    ['s{?q}', 's?q=a#b', undefined],
    ['s{?q}', 's?%71=a', {}],
    ['s{?q}', 't?q=a', undefined],
    ['s{?%c3%a9}', 's?%C3%A9=1', { '%c3%a9': '1' }],
    ['s?fixed=1{&x}', 's?fixed=1&x=2', { x: '2' }],
    ['s?fixed=1{&x}', 's?fixed=2&x=2', undefined],
    ['s{?a}{&b}', 's?b=2&a=1', { a: '1', b: '2' }],
    ['s?q={q}&r={r}', 's?q=1&r=2', { q: '1', r: '2' }],
    ['s{?q}{#f}', 's?q=1#2', { q: '1', f: '2' }],
    ['s{?q}{#f}', 's#2?q=1', { f: '2?q=1' }],
    // a variable that occurs twice
    ['{a}/{a}', '1/1', { a: '1' }],
    ['{a}/{a}', '1/2', undefined],
    ['{term:1}/{term}', 'c/cat', { term: 'cat' }],
    ['{term:1}/{term}', 'd/cat', undefined],
    ['{term}/{term:1}', 'cat/c', { term: 'cat' }],
    ['{term:2}/{term}', 'c/cat', undefined],
    ['{term:2}/{term:1}', 'ca/c', { term: 'ca' }],
    ['{/a*}{?a*}', '/1/2?a=1&a=2', { a: ['1', '2'] }],
    ['{/a*}{?a*}', '/1/2?a=1', undefined],
    ['{/a*}{?a}', '/1?a=1', undefined],
    ['{a:2}', 'abc', undefined],
    ['{a:2}', '%F0%9F%98%80b', { a: '😀b' }],
    // neighbours
    ['{a}{b}', 'xy', { a: 'xy' }],
    ['{a}{.b}{;c}', 'x;c=p.q', { a: 'x', c: 'p.q' }],
    ['{a}{.b}-{c}', 'x-y.z', { a: 'x', c: 'y.z' }],
  ])('%s with %s', (template, uri, variables) => {
    expect(match(template, uri)).toEqual(variables)
  })

  it('F199 decodes exactly once, and delimiters of the path only where the operator allows them', () => {
    expect(match('f/{a}', 'f/..%2F..%2fetc')).toEqual({ a: '../../etc' })
    expect(match('f/{a}', 'f/%252e%252e%252f')).toEqual({ a: '%2e%2e%2f' })
    expect(match('f/{a}', 'f/%00')).toEqual({ a: '\u0000' })
    expect(match('f/{a}', 'f/../x')).toBeUndefined()
    expect(match('f{/a*}', 'f/../x')).toEqual({ a: ['..', 'x'] })
    expect(match('f/{+a}', 'f/../x')).toEqual({ a: '../x' })
  })

  it.each(['f/%', 'f/%4', 'f/%zz', 'f/%FF', 'f/%C3', 'f/%ED%A0%80', 'f/%C0%AF', 'f/x?junk=%FF', 'f/\uD800'])(
    'F200 does not match a URI with invalid encoding: %j',
    (uri) => {
      expect(match('f/{a}{?b}', uri)).toBeUndefined()
      expect(match('{+a}', uri)).toBeUndefined()
    },
  )

  it('F200 does not match where a literal would cut a character in two', () => {
    expect(match('%C3{a}', '%C3%A9')).toBeUndefined()
  })

  it('F059 gives a result in which names are nothing but names', () => {
    const variables = parseUriTemplate('{__proto__}/{constructor}').match('a/b')
    expect(Object.keys(variables ?? {})).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
    expect(Object.keys(parseUriTemplate('{?__proto__,x}').match('?x=1') ?? {})).toEqual(['x'])
  })

  it('R37 takes a trailing newline for what it is', () => {
    expect(match('a/{b}', 'a/b\n')).toEqual({ b: 'b\n' })
    expect(match('a/b', 'a/b\n')).toBeUndefined()
  })

  it('F198 matches a URI of 65,536 characters and no longer one', () => {
    const long = 'a'.repeat(65_536)
    expect(match('{+a}', long)).toEqual({ a: long })
    expect(match('{+a}', `${long}a`)).toBeUndefined()
    expect(match('{+a}', 'é'.repeat(20_000))).toBeUndefined()
  })

  it('F198 explodes a list that holds tens of thousands of commas', () => {
    expect(match('{list*}', ','.repeat(50_000))?.['list']).toHaveLength(50_001)
  })

  it('takes back what expand wrote, for the values and templates of the documented subset', () => {
    // Values have no '-', which is the literal, and no '.', which a label of several variables cannot tell from its own.
    const text = fc
      .string({
        unit: fc.oneof(fc.constantFrom(...'aZ09_~/?#[]@!$&()*+,;=% %é世😀"{}|\\'), fc.nat(25).map(letter)),
        minLength: 1,
      })
      .filter((value) => !/[-.]/.test(value))
    const closed = fc.constantFrom('', '.', '/', ';').chain((operator) => expression(operator))
    const expressions = fc.tuple(
      fc.array(closed, { maxLength: 4 }),
      fc.option(expression('?'), { nil: undefined }),
      fc.option(expression('#'), { nil: undefined }),
    )
    function expression(operator: string) {
      const value = operator === '#' ? text.filter((written) => !written.includes('%') && !written.includes(',')) : text
      const single = fc.record({
        operator: fc.constant(operator),
        isExploded: fc.constant(false),
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
      })
      const exploded = fc.record({
        operator: fc.constant(operator),
        isExploded: fc.constant(true),
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
      })
      return fc.oneof(single, exploded)
    }
    fc.assert(
      fc.property(expressions, ([path, query, fragment]) => {
        const variables: Record<string, string | string[]> = {}
        let names = 0
        const written = [...path, query, fragment].map((part) => {
          if (part === undefined) return ''
          if (part.isExploded) {
            const name = `v${names++}`
            variables[name] = part.values
            return `{${part.operator}${name}*}`
          }
          const wanted = part.values.map((value) => {
            const name = `v${names++}`
            variables[name] = value
            return name
          })
          return `{${part.operator}${wanted.join(',')}}`
        })
        const template = `x:-${written.slice(0, -2).join('-')}-${written.slice(-2).join('')}`
        expect(match(template, expandUriTemplate(template, variables))).toEqual(variables)
      }),
      { seed, numRuns: 400 },
    )
  })

  it('F198 never throws, and finds no variables but those of the template', () => {
    const name = fc.constantFrom('a', 'b', 'c*', 'd:2', 'a*')
    const expression = fc
      .tuple(fc.constantFrom(...OPERATORS), fc.array(name, { minLength: 1, maxLength: 3 }))
      .map(([operator, names]) => `{${operator}${names.join(',')}}`)
    const literal = fc.constantFrom('/', '-', 'a', '?', '#', '&', '.', '%2F', ';', 'x=')
    const templates = fc.array(fc.oneof(expression, literal), { maxLength: 6 }).map((parts) => parts.join(''))
    const uris = fc.string({
      unit: fc.constantFrom(...'ab/-?#&.;,=', '%2F', '%', '%C3', '%A9', 'é', '\uD800', '\n'),
      maxLength: 20,
    })
    fc.assert(
      fc.property(templates, uris, (text, uri) => {
        const template = parseUriTemplate(text)
        const variables = template.match(uri)
        if (variables === undefined) return
        for (const key of Object.keys(variables)) expect(template.variableNames).toContain(key)
      }),
      { seed, numRuns: 3000 },
    )
  })
})

describe('R05 time', () => {
  const hostileTemplates = [
    ...OPERATORS.flatMap((operator) => [
      `{${operator}a}`,
      `{${operator}a*}`,
      `{${operator}a,b,c*}`,
      `{${operator}a}{${operator}b}{${operator}c*}`,
      `x{${operator}a}-{${operator}b}-{${operator}c}!`,
      `{${operator}a*}a{${operator}b*}a{${operator}c*}b`,
    ]),
    `{+a}${'{/b}'.repeat(200)}`,
    '{a}a'.repeat(255),
    '{+a}a'.repeat(255),
    `{+a}${'a'.repeat(4000)}b{c}${'a'.repeat(3000)}`,
    `{a}${'a'.repeat(4000)}b${'a'.repeat(3000)}{+c}`,
    `{+a}b${'a'.repeat(7000)}{c}`,
    `{+a}${'a'.repeat(7000)}b{c}x`,
    '{a}{.b}{;c}'.repeat(85),
    `{?${Array.from({ length: 255 }, (_, index) => `v${index}`).join(',')}}`,
  ]
  const pieces = ['a', '/', ',', '.', ';a=', '&a', '?', '#', 'a-', '%61', 'a,', '/a', '.a', 'é', '=', ';a', '&v254=']

  function hostileUris(length: number): string[] {
    return pieces.flatMap((piece) => {
      const body = piece.repeat(length).slice(0, length - 10)
      return [body, `x${body}`, `${body}\u0000`, `?${body}`, `x#${body}b`]
    })
  }

  // The fastest of several rounds: noise only ever adds.
  /** CPU time, so that a busy machine does not change the answer. */
  function bestTime(run: () => void, rounds: number): number {
    return Math.min(...Array.from({ length: rounds }, () => cpuMilliseconds(run)))
  }

  it('R05 grows with the length of the URI and no faster, over all operators', () => {
    const templates = hostileTemplates.map((text) => parseUriTemplate(text))
    const timeFor = (length: number) => {
      const uris = hostileUris(length)
      return bestTime(() => {
        for (const template of templates) for (const uri of uris) template.match(uri)
      }, 3)
    }
    timeFor(256)
    const short = timeFor(1024)
    const long = timeFor(4096)
    expect(long / short).toBeLessThan(8)
  })

  it('R05 takes milliseconds at the limits, whatever the template', () => {
    const uris = ['a', '/', '&a', ',', '%61', ';a=', '.a'].map((piece) => piece.repeat(65_536).slice(0, 65_532))
    for (const text of hostileTemplates) {
      const template = parseUriTemplate(text)
      for (const uri of uris) {
        const time = bestTime(() => template.match(uri), 2)
        expect(time, `${text.slice(0, 40)} with ${uri.slice(0, 8)}`).toBeLessThan(50)
      }
    }
  })
})

function letter(index: number): string {
  return String.fromCharCode(97 + index)
}
