// What is known about a request before there are arguments, and the request that arguments make of it.
import type { OwnBytes } from '../../primitives/byte-tools.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import { type Members, setMember } from '../document/members.ts'
import { type BodyFormat, writeBody } from './bodies.ts'
import { encodeStrict } from './encode.ts'
import { ArgumentRefusal } from './refusal.ts'
import {
  contentText,
  cookiePairs,
  headerValue,
  type ParameterStyle,
  pathText,
  queryPairs,
  type StyleSettings,
} from './styles.ts'

export interface ParameterPlan extends ParameterStyle {
  /** The name among the arguments. */
  readonly argument: string
  /** Sent always; there is no argument for it. */
  readonly fixed?: { readonly value: unknown } | undefined
}

export interface BodyPlan {
  readonly format: BodyFormat
  readonly isRequired: boolean
  /** By argument, the property of the body; `undefined` where the body is one argument. */
  readonly members?: ReadonlyMap<string, string> | undefined
  /** The one argument. */
  readonly argument?: string | undefined
  /** Whether arguments that have no place are properties of the body. */
  readonly takesOthers: boolean
}

export interface RequestPlan {
  /** In capitals. */
  readonly method: string
  /** Literal texts and names of parameters in turn, a literal first. */
  readonly path: readonly string[]
  /** The query that the path of the document has. */
  readonly query: string
  readonly parameters: readonly ParameterPlan[]
  readonly body: BodyPlan | undefined
  readonly accept: string
  /** Whether the credential goes there: objects whose members are parameters of their own may have any names. */
  readonly isReserved?: ((location: 'query' | 'cookie', name: string) => boolean) | undefined
}

export interface BuiltRequest {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string | OwnBytes
}

/** `/pets/{id}?v=1#x` in parts. The fragment is never sent; some documents use it to tell operations apart. */
export function parsePath(text: string): Pick<RequestPlan, 'path' | 'query'> {
  const [withoutFragment = ''] = text.split('#', 1)
  const mark = withoutFragment.indexOf('?')
  const path = mark === -1 ? withoutFragment : withoutFragment.slice(0, mark)
  const query = mark === -1 ? '' : withoutFragment.slice(mark + 1)
  const parts = (path.startsWith('/') ? path : `/${path}`).split(/\{([^{}/]+)\}/)
  return { path: parts.map((part, index) => (index % 2 === 0 ? encodeLiteral(part) : part)), query: encodeQuery(query) }
}

/** Characters that a URL parser would change, or take for something else. */
function encodeLiteral(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~:/@!$&'()*+,;=%]/gu, (character) => encodeStrict(character))
}

function encodeQuery(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~:/?@!$'()*+,;=%&[\]]/gu, (character) => encodeStrict(character))
}

/** Throws `ArgumentRefusal` for arguments that cannot be sent, or would lead elsewhere. `base` has no slash at its end. */
export function buildRequest(plan: RequestPlan, base: string, args: Members, settings: StyleSettings): BuiltRequest {
  const texts = new Map<string, string>()
  const pairs: string[] = plan.query === '' ? [] : [plan.query]
  const cookies: string[] = []
  const headers: Record<string, string> = { accept: plan.accept }
  const free = ({ argument, fixed }: ParameterPlan, location: 'query' | 'cookie', given: readonly string[]) => {
    const taken = fixed === undefined ? namesIn(given).find((name) => plan.isReserved?.(location, name)) : undefined
    if (taken === undefined) return given
    throw new ArgumentRefusal(argument, `sets ${JSON.stringify(taken)}, which is where the credential goes.`)
  }
  for (const parameter of plan.parameters) {
    const { argument, fixed } = parameter
    const value = fixed === undefined ? ownMember(args, argument) : fixed.value
    if (parameter.in === 'path') texts.set(parameter.name, pathText(parameter, value, argument))
    else if (value === undefined || (value === null && !settings.nullAsEmpty)) continue
    else if (parameter.in === 'query')
      pairs.push(...free(parameter, 'query', queryPairs(parameter, value, argument, settings)))
    else if (parameter.in === 'querystring') pairs.push(...free(parameter, 'query', [wholeQuery(parameter, value)]))
    else if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = headerValue(parameter, value, argument)
    else cookies.push(...free(parameter, 'cookie', cookiePairs(parameter, value, argument)))
  }
  const url = joinUrl(base, expandPath(plan, texts), pairs.filter((pair) => pair !== '').join('&'))
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
  const written = bodyOf(plan, args, settings)
  if (written !== undefined) headers['content-type'] = written.contentType
  return { method: plan.method, url, headers, ...(written !== undefined && { body: written.body }) }
}

/** As the API reads them: reserved characters may stand as they are, also in names. */
function namesIn(pairs: readonly string[]): string[] {
  return pairs.flatMap((pair) => pair.split(/[&;]/).map((part) => decodeForm(part.split('=', 1)[0] ?? '').trim()))
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** The whole query has a media type: as a form it stands as it is, as anything else it is encoded. */
function wholeQuery(parameter: ParameterPlan, value: unknown): string {
  const text = contentText(parameter, value, parameter.argument)
  return parameter.content === 'form' ? text : encodeStrict(text)
}

function expandPath({ path }: RequestPlan, texts: ReadonlyMap<string, string>): string {
  const parts = path.map((part, index) => (index % 2 === 0 ? part : (texts.get(part) ?? '')))
  const expanded = parts.join('')
  // An encoded dot counts as one for every URL parser.
  const flaw = expanded.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (flaw) throw new ArgumentRefusal('path', "makes a part of the path '.' or '..', which would lead elsewhere.")
  return expanded
}

/** Checked once more by the parser that everyone uses: what it makes of the text must be where the text says. */
function joinUrl(base: string, path: string, query: string): string {
  const text = `${base}${path}${query === '' ? '' : `?${query}`}`
  const url = new URL(text)
  const expected = new URL(base)
  const isSame = url.origin === expected.origin && url.username === '' && url.hash === ''
  if (!isSame || slashes(url.pathname) !== slashes(expected.pathname.replace(/\/$/, '') + path)) {
    throw new ArgumentRefusal('path', 'would change where the request goes.')
  }
  return url.href
}

function slashes(path: string): number {
  return path.split('/').length
}

function bodyOf({ body, parameters }: RequestPlan, args: Members, settings: StyleSettings) {
  if (body === undefined) return undefined
  const { format, members, argument, isRequired, takesOthers } = body
  if (members === undefined) {
    const value = ownMember(args, argument ?? 'body')
    return value === undefined ? undefined : writeBody(format, value, settings)
  }
  const value: Members = {}
  for (const [name, property] of members) {
    const member = ownMember(args, name)
    if (member !== undefined) setMember(value, property, member)
  }
  if (takesOthers) {
    const known = new Set(parameters.map((parameter) => parameter.argument))
    for (const [name, member] of Object.entries(args)) {
      if (!known.has(name) && !members.has(name) && member !== undefined) setMember(value, name, member)
    }
  }
  if (!isRequired && Object.keys(value).length === 0) return undefined
  return writeBody(format, value, settings)
}
