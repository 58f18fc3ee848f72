// The address of an API: from the option, or from the document, whose word counts for less when it came from outside.
import { rangeOfAddress, rangeOfHost } from '../../auth/client/network/address-range.ts'
import { rangeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { Place } from '../document/library.ts'
import { listAt, objectAt, textAt } from '../document/members.ts'
import { OpenAPIError } from '../document/openapi-error.ts'
import { MappingProblem } from '../document/problem.ts'

/** Where requests go, fixed before there are arguments. */
export interface Base {
  /** Without a slash at its end. */
  readonly url: string
  readonly origin: string
  /** Which addresses the name of the host may stand for; `undefined` for all. */
  readonly allowsAddress?: ((address: string) => boolean) | undefined
}

export interface ServerOptions {
  readonly baseUrl?: string | URL | undefined
  readonly variables?: Readonly<Record<string, string>> | undefined
  readonly allowPrivateAddresses?: boolean | undefined
}

export class Servers {
  readonly #options: ServerOptions
  readonly #fetchedFrom: URL | undefined
  readonly #given: Base | undefined
  readonly #known = new Map<string, Base>()

  /** `fetchedFrom` is where the document came from, if it came from a network. Throws `RangeError` for a `baseUrl` that is none. */
  constructor(options: ServerOptions, fetchedFrom: URL | undefined) {
    this.#options = options
    this.#fetchedFrom = fetchedFrom
    if (options.baseUrl !== undefined) this.#given = toBase(checkBaseUrl(String(options.baseUrl)))
  }

  /**
   * The first server of the operation, else of its path, else of the document. Throws `MappingProblem` where there is none, and
   * `OpenAPIError` for one that a document from outside may not name.
   */
  baseOf(operation: Place, pathItem: Place, root: Place): Base {
    if (this.#given !== undefined) return this.#given
    const place = [operation, pathItem, root].find(({ value }) => listAt(value, 'servers').length > 0)
    const server = place === undefined ? undefined : listAt(place.value, 'servers')[0]
    const text = expandServer(server, this.#options.variables ?? {}, `${place?.pointer ?? '#'}/servers/0`)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const base = this.#check(
      this.#absolute(text, `${place?.pointer ?? '#'}/servers/0`),
      `${place?.pointer ?? '#'}/servers/0`,
    )
    this.#known.set(text, base)
    return base
  }

  /** The address that tokens come from: https or this machine, and not in a private network that the document may not name. */
  checkTokenUrl(text: string): Base {
    const url = this.#absolute(text, '#/components/securitySchemes')
    if (url.protocol === 'http:' && rangeOfHost(url.hostname) !== 'loopback') {
      throw new OpenAPIError(`The tokenUrl ${url.origin} is not https.`, '#/components/securitySchemes')
    }
    return { ...this.#check(url, '#/components/securitySchemes'), url: url.href }
  }

  #absolute(text: string, pointer: string): URL {
    const own = this.#fetchedFrom?.href
    if (!URL.canParse(text, own)) {
      throw new MappingProblem(
        `The server ${JSON.stringify(text.slice(0, 200))} is no address. Set the option baseUrl, as in https://api.example.com/v1.`,
        pointer,
      )
    }
    const url = new URL(text, own)
    if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
      throw new MappingProblem(
        `The server ${url.protocol}//${url.host} cannot be called: it is no plain http(s) address.`,
        pointer,
      )
    }
    return url
  }

  /** A document from outside may name public addresses, and its own origin. */
  #check(url: URL, pointer: string): Base {
    const from = this.#fetchedFrom
    const ownRange = from === undefined ? undefined : rangeOfHost(from.hostname)
    const isTrusted =
      from === undefined ||
      this.#options.allowPrivateAddresses === true ||
      from.origin === url.origin ||
      (ownRange !== undefined && ownRange !== 'public')
    if (isTrusted) return toBase(url)
    const range = rangeOfHost(url.hostname)
    if ((range !== undefined && range !== 'public') || isLocalName(url.hostname)) {
      throw new OpenAPIError(
        `The document from ${from.origin} names the server ${url.origin}, which is in a private network. ` +
          'Set baseUrl, or allowPrivateAddresses if that is intended.',
        pointer,
      )
    }
    return { ...toBase(url), allowsAddress: (address) => rangeOfAddress(address) === 'public' }
  }
}

/** Names that no public resolver knows. */
function isLocalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '').toLowerCase()
  return !name.includes('.') || /\.(?:local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/.test(name)
}

function checkBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url !== undefined && isHttp && url.username === '' && url.password === '') return url
  throw rangeError(
    'wrong-option',
    'The option baseUrl must be an http(s) URL without a user name, as in https://api.example.com/v1.',
  )
}

function toBase(url: URL): Base {
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, origin: url.origin }
}

const MAX_URL = 2_000

function expandServer(server: unknown, given: Readonly<Record<string, string>>, pointer: string): string {
  const template = textAt(server, 'url') ?? '/'
  const variables = objectAt(server, 'variables')
  const text = template.slice(0, MAX_URL).replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(given, name) ? given[name] : ownMember(ownMember(variables, name), 'default')
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new MappingProblem(
        `The variable ${JSON.stringify(name)} of the server has no value. Set it with the option variables.`,
        pointer,
      )
    }
    const allowed = isPlainObject(variables[name]) ? listAt(variables[name], 'enum') : []
    if (Object.hasOwn(given, name) && allowed.length > 0 && !allowed.includes(value)) {
      throw new MappingProblem(
        `The variable ${JSON.stringify(name)} of the server has a value that the document does not list.`,
        pointer,
      )
    }
    return String(value)
  })
  return text
}
