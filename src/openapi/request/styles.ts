// The serialization of parameters: every location, style and `explode` of OpenAPI 3.0 to 3.2.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { encodeReserved, encodeReservedPath, encodeStrict, headerText, scalarText } from './encode.ts'
import { ArgumentRefusal } from './refusal.ts'

export type Location = 'path' | 'query' | 'header' | 'cookie' | 'querystring'

export type Style =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie'

/** How lists are written in the style `deepObject`, which the specification does not say. */
export type DeepArrays = 'index' | 'brackets' | 'repeat'

/** How one parameter is written. */
export interface ParameterStyle {
  /** The name on the wire. */
  readonly name: string
  readonly in: Location
  readonly style: Style
  readonly explode: boolean
  readonly allowReserved: boolean
  readonly allowEmptyValue: boolean
  /** The media type of a parameter with `content`: it is written as that, then encoded. */
  readonly content?: 'json' | 'form' | 'text' | undefined
}

export interface StyleSettings {
  readonly deepArrays: DeepArrays
  /** Sends `null` as an empty value instead of leaving it out. */
  readonly nullAsEmpty: boolean
}

const STYLES: Readonly<Record<Location, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
  querystring: ['form'],
}

export function isStyleOf(location: Location, style: unknown): style is Style {
  return STYLES[location].includes(style as Style)
}

export function defaultStyle(location: Location): Style {
  return STYLES[location][0] as Style
}

/** The specification: true for `form` and `cookie`, false for all others; `deepObject` has one way only. */
export function defaultExplode(style: Style): boolean {
  return style === 'form' || style === 'cookie' || style === 'deepObject'
}

/** The members of an object that are sent, each with its text. */
function membersOf(value: Record<string, unknown>, argument: string): [string, string][] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined && member !== null)
    .map(([key, member]) => [key, scalarText(member, argument)])
}

function itemsOf(value: readonly unknown[], argument: string): string[] {
  return value.filter((item) => item !== undefined && item !== null).map((item) => scalarText(item, argument))
}

/** What replaces `{name}` in the path. Throws `ArgumentRefusal` for a value that would change where the request goes. */
export function pathText(parameter: ParameterStyle, value: unknown, argument: string): string {
  const encode = parameter.allowReserved ? encodeReservedPath : encodeStrict
  checkPathValue(value, argument)
  const { style, explode, name } = parameter
  if (parameter.content !== undefined) return encode(contentText(parameter, value, argument))
  const prefix = style === 'label' ? '.' : ''
  if (Array.isArray(value)) {
    const items = itemsOf(value, argument).map(encode)
    if (items.length === 0) throw new ArgumentRefusal(argument, 'is empty, but it is a part of the path.')
    if (style === 'matrix') {
      return explode ? items.map((item) => `;${name}=${item}`).join('') : `;${name}=${items.join(',')}`
    }
    return prefix + items.join(style === 'label' && explode ? '.' : ',')
  }
  if (isPlainObject(value)) {
    const members = membersOf(value, argument).map(([key, text]) => [encode(key), encode(text)] as const)
    if (members.length === 0) throw new ArgumentRefusal(argument, 'is empty, but it is a part of the path.')
    const pairs = members.map(([key, text]) => `${key}=${text}`)
    if (style === 'matrix')
      return explode ? pairs.map((pair) => `;${pair}`).join('') : `;${name}=${members.flat().join(',')}`
    return prefix + (explode ? pairs.join(style === 'label' ? '.' : ',') : members.flat().join(','))
  }
  const text = encode(scalarText(value, argument))
  return style === 'matrix' ? `;${name}=${text}` : prefix + text
}

const DOTS = /^\.{1,2}$/

/** Encoded once or twice it is still the same to a server that decodes. */
function checkPathValue(value: unknown, argument: string): void {
  for (const part of Array.isArray(value) ? value : isPlainObject(value) ? Object.entries(value).flat() : [value]) {
    if (part === '' || part === null || part === undefined) {
      throw new ArgumentRefusal(argument, 'is empty, but it is a part of the path.')
    }
    if (typeof part !== 'string') continue
    let decoded = part
    for (let times = 0; times < 3; times++) {
      const parts = decoded.split(/[/\\]/)
      if (DOTS.test(decoded) || parts.includes('..')) {
        throw new ArgumentRefusal(argument, "has '.' or '..' as a part of the path, which would lead elsewhere.")
      }
      decoded = decodeLoosely(decoded)
    }
  }
}

function decodeLoosely(text: string): string {
  return text.replace(/%(2e|2f|5c|25)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The pairs of a query, encoded; none for a value that is not sent. */
export function queryPairs(
  parameter: ParameterStyle,
  value: unknown,
  argument: string,
  settings: StyleSettings,
): string[] {
  const encode = parameter.allowReserved ? encodeReserved : encodeStrict
  const name = encodeStrict(parameter.name)
  const { style, explode } = parameter
  if (value === undefined) return []
  if (value === null) return settings.nullAsEmpty ? [`${name}=`] : []
  if (parameter.content !== undefined) return [`${name}=${encode(contentText(parameter, value, argument))}`]
  if (Array.isArray(value)) {
    if (style === 'deepObject') return deepPairs(name, value, argument, encode, settings, 0)
    const items = itemsOf(value, argument).map(encode)
    if (items.length === 0) return []
    return explode ? items.map((item) => `${name}=${item}`) : [`${name}=${items.join(delimiterOf(style))}`]
  }
  if (isPlainObject(value)) {
    if (style === 'deepObject') return deepPairs(name, value, argument, encode, settings, 0)
    const members = membersOf(value, argument).map(([key, text]) => [encode(key), encode(text)] as const)
    if (members.length === 0) return []
    if (explode) return members.map(([key, text]) => `${key}=${text}`)
    return [`${name}=${members.flat().join(delimiterOf(style))}`]
  }
  if (style === 'deepObject') {
    throw new ArgumentRefusal(argument, 'must be an object or a list: its style is deepObject.')
  }
  if (value === '' && parameter.allowEmptyValue) return [name]
  return [`${name}=${encode(scalarText(value, argument))}`]
}

function delimiterOf(style: Style): string {
  if (style === 'spaceDelimited') return '%20'
  return style === 'pipeDelimited' ? '%7C' : ','
}

const MAX_NESTING = 16

/** `a[R]=100`, and deeper as `a[x][y]`, which is common practice. */
function deepPairs(
  name: string,
  value: unknown,
  argument: string,
  encode: (text: string) => string,
  settings: StyleSettings,
  depth: number,
): string[] {
  if (value === undefined || value === null) return settings.nullAsEmpty && value === null ? [`${name}=`] : []
  if (depth > MAX_NESTING) throw new ArgumentRefusal(argument, 'nests too deep for a query.')
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const key = { index: `[${index}]`, brackets: '[]', repeat: '' }[settings.deepArrays]
      return deepPairs(`${name}${key}`, item, argument, encode, settings, depth + 1)
    })
  }
  if (isPlainObject(value)) {
    return Object.entries(value).flatMap(([key, member]) =>
      deepPairs(`${name}[${encodeStrict(key)}]`, member, argument, encode, settings, depth + 1),
    )
  }
  return [`${name}=${encode(scalarText(value, argument))}`]
}

/** The value of a header: nothing in it is percent-encoded. */
export function headerValue(parameter: ParameterStyle, value: unknown, argument: string): string {
  return headerText(plainText(parameter, value, argument), argument)
}

function plainText(parameter: ParameterStyle, value: unknown, argument: string): string {
  if (parameter.content !== undefined) return contentText(parameter, value, argument)
  if (Array.isArray(value)) return itemsOf(value, argument).join(',')
  if (!isPlainObject(value)) return scalarText(value, argument)
  const members = membersOf(value, argument)
  return parameter.explode ? members.map((pair) => pair.join('=')).join(',') : members.flat().join(',')
}

/** The pairs of the `Cookie` header. */
export function cookiePairs(parameter: ParameterStyle, value: unknown, argument: string): string[] {
  const encode = parameter.style === 'cookie' ? (text: string) => plainCookie(text, argument) : encodeStrict
  const { explode } = parameter
  const name = encode(parameter.name)
  if (parameter.content !== undefined) return [`${name}=${encode(contentText(parameter, value, argument))}`]
  if (Array.isArray(value)) {
    const items = itemsOf(value, argument).map(encode)
    if (items.length === 0) return []
    return explode ? items.map((item) => `${name}=${item}`) : [`${name}=${items.join(',')}`]
  }
  if (isPlainObject(value)) {
    const members = membersOf(value, argument).map(([key, text]) => [encode(key), encode(text)] as const)
    if (members.length === 0) return []
    return explode ? members.map((pair) => pair.join('=')) : [`${name}=${members.flat().join(',')}`]
  }
  return [`${name}=${encode(scalarText(value, argument))}`]
}

/** RFC 6265: what ends a cookie may not be in one. */
function plainCookie(text: string, argument: string): string {
  if (/[;\s"\\]|[^\u0020-\u007e]/.test(text)) {
    throw new ArgumentRefusal(argument, 'has a character that a cookie cannot hold.')
  }
  return text
}

/** The text of a parameter, or of a whole query, that has a media type. */
export function contentText({ content }: ParameterStyle, value: unknown, argument: string): string {
  if (content === 'text') return scalarText(value, argument)
  if (content === 'json') return JSON.stringify(value)
  if (!isPlainObject(value)) throw new ArgumentRefusal(argument, 'must be an object.')
  return formText(value, argument)
}

/** `application/x-www-form-urlencoded`; a list gives its name several times. */
function formText(value: Record<string, unknown>, argument: string): string {
  const pairs = Object.entries(value).flatMap(([key, member]) =>
    (Array.isArray(member) ? member : [member])
      .filter((item) => item !== undefined && item !== null)
      .map(
        (item) =>
          `${encodeStrict(key)}=${encodeStrict(isPlainObject(item) ? JSON.stringify(item) : scalarText(item, argument))}`,
      ),
  )
  return pairs.join('&')
}
