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
  /** Where credentials go instead, if the author confirmed other origins and not this one. */
  readonly credentialsGoTo?: string | undefined
}

export interface ServerOptions {
  readonly baseUrl?: string | URL | undefined
  readonly variables?: Readonly<Record<string, string>> | undefined
  readonly allowPrivateAddresses?: boolean | undefined
  readonly authOrigins?: readonly string[] | undefined
}

export class Servers {
  readonly #options: ServerOptions
  readonly #fetchedFrom: URL | undefined
  readonly #given: Base | undefined
  readonly #known = new Map<string, Base>()
  /** Where credentials go beside `authOrigins`. */
  readonly confirmed: string | undefined
  /** The origins that credentials go to: those that the author named, in one way or another. */
  readonly #confirmed: ReadonlySet<string>

  /**
   * `fetchedFrom` is where the document came from, if it came from a network; `root` is a document that the author has at hand, `confirmed` the
   * origin that an earlier version of it had.
   * Throws `RangeError` for a `baseUrl` or an origin that is none.
   */
  constructor(options: ServerOptions, fetchedFrom: URL | undefined, root?: Place, confirmed?: string) {
    this.#options = options
    this.#fetchedFrom = fetchedFrom
    const listed = (options.authOrigins ?? []).map(checkOrigin)
    if (options.baseUrl !== undefined) this.#given = toBase(checkBaseUrl(String(options.baseUrl)))
    this.confirmed = confirmed ?? this.#given?.origin ?? fetchedFrom?.origin ?? (root && this.#originOf(root))
    this.#confirmed = new Set(this.confirmed === undefined ? listed : [this.confirmed, ...listed])
  }

  /**
   * Throws `OpenAPIError` where credentials would go to a server that only a fetched document names: it can name another one at
   * the next start.
   */
  checkFetchedServer(root: Place): void {
    const from = this.#fetchedFrom
    const origin = from === undefined || this.#given !== undefined ? undefined : this.#originOf(root)
    if (origin === undefined || this.#confirmed.has(origin)) return
    throw new OpenAPIError(
      `The document from ${from?.origin} names the server ${origin}, and credentials do not go there by its word alone. ` +
        'Set baseUrl to the address of the API, or list the origin in authOrigins.',
      `${root.pointer}/servers/0`,
    )
  }

  #originOf(root: Place): string | undefined {
    try {
      return this.#urlAt(root).origin
    } catch (error) {
      if (error instanceof MappingProblem) return undefined
      throw error
    }
  }

  #urlAt(place: Place | undefined): URL {
    const pointer = `${place?.pointer ?? '#'}/servers/0`
    const server = place === undefined ? undefined : listAt(place.value, 'servers')[0]
    return this.#absolute(expandServer(server, this.#options.variables ?? {}, pointer), pointer)
  }

  /**
   * The first server of the operation, else of its path, else of the document. Throws `MappingProblem` where there is none, and
   * `OpenAPIError` for one that a document from outside may not name.
   */
  baseOf(operation: Place, pathItem: Place, root: Place): Base {
    if (this.#given !== undefined) return this.#given
    const place = [operation, pathItem, root].find(({ value }) => listAt(value, 'servers').length > 0)
    const url = this.#urlAt(place)
    const known = this.#known.get(url.href)
    if (known !== undefined) return known
    const isConfirmed = this.#confirmed.has(url.origin)
    const checked = this.#check(url, `${place?.pointer ?? '#'}/servers/0`)
    const base = isConfirmed ? checked : { ...checked, credentialsGoTo: this.#confirmedText() }
    this.#known.set(url.href, base)
    return base
  }

  #confirmedText(): string {
    return this.#confirmed.size === 0 ? 'no origin' : [...this.#confirmed].slice(0, MAX_SHOWN).join(' and ')
  }

  /**
   * The address that tokens come from: https or this machine, at an origin that the author confirmed, since a secret goes there,
   * and not in a private network that the document may not name.
   */
  checkTokenUrl(text: string): Base {
    const pointer = '#/components/securitySchemes'
    const url = this.#tokenUrl(text, pointer)
    if (url.protocol === 'http:' && rangeOfHost(url.hostname) !== 'loopback') {
      throw new OpenAPIError(`The tokenUrl ${url.origin} is not https.`, pointer)
    }
    if (!this.#confirmed.has(url.origin)) {
      throw new OpenAPIError(
        `The tokenUrl is at ${url.origin}, and credentials go to ${this.#confirmedText()} only. ` +
          'List the origin in authOrigins if it belongs to the API.',
        pointer,
      )
    }
    return { ...this.#check(url, pointer), url: url.href }
  }

  #tokenUrl(text: string, pointer: string): URL {
    try {
      return this.#absolute(text, pointer)
    } catch (error) {
      if (!(error instanceof MappingProblem)) throw error
      throw new OpenAPIError(
        `The tokenUrl ${JSON.stringify(text.slice(0, 200))} is not a plain http(s) address.`,
        pointer,
      )
    }
  }

  #absolute(text: string, pointer: string): URL {
    const own = this.#fetchedFrom?.href
    if (!URL.canParse(text, own)) {
      throw new MappingProblem(
        `The server ${JSON.stringify(text.slice(0, 200))} is not an address. Set the option baseUrl, as in https://api.example.com/v1.`,
        pointer,
      )
    }
    const url = new URL(text, own)
    if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
      throw new MappingProblem(
        `The server ${url.protocol}//${url.host} cannot be called: it is not a plain http(s) address.`,
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

function checkOrigin(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  // A wildcard is a valid name for URL parsers, and would look as if it did something.
  const isBare = url !== undefined && `${url.origin}/` === url.href && !url.hostname.includes('*')
  if (url !== undefined && isHttp && isBare) return url.origin
  throw rangeError(
    'wrong-option',
    'Each entry of the option authOrigins must be an origin without a path, as in https://uploads.example.com.',
  )
}

function toBase(url: URL): Base {
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, origin: url.origin }
}

const MAX_URL = 2_000
const MAX_SHOWN = 5

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
