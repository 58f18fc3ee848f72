// The security of an operation: which schemes it takes together, in which alternatives.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { Library, Place } from '../document/library.ts'
import { listAt, objectAt, pointerTo, textAt } from '../document/members.ts'
import { MappingProblem } from '../document/problem.ts'
import type { Location } from '../request/styles.ts'

/** A scheme as the document describes it. */
export interface SecurityScheme {
  /** Its name in the document, and in the option `auth`. */
  readonly name: string
  /** What kind of scheme it is; `unknown` for one that the document does not describe. */
  readonly type: 'apiKey' | 'http' | 'oauth2' | 'openIdConnect' | 'mutualTLS' | 'unknown'
  /** Where an API key goes. */
  readonly in?: 'header' | 'query' | 'cookie'
  /** The name of the header, parameter or cookie of an API key. */
  readonly key?: string
  /** Of the type `http`, in lower case: `basic`, `bearer` or another. */
  readonly scheme?: string
  /** The flows of OAuth that the document has, such as `clientCredentials` and `deviceAuthorization`. */
  readonly flows?: readonly string[]
  /** Where the flow `clientCredentials` gets tokens. */
  readonly tokenUrl?: string
  /** Where the authorization server describes itself: `openIdConnectUrl` or `oauth2MetadataUrl`. */
  readonly metadataUrl?: string
}

/** A scheme that a call needs, with the scopes that it needs it for. */
export interface SchemeUse {
  readonly scheme: SecurityScheme
  readonly scopes: readonly string[]
}

/** Any of these will do; an empty one needs nothing. */
export type Alternatives = readonly (readonly SchemeUse[])[]

/** All schemes of a document, by name. */
export function readSchemes(library: Library): ReadonlyMap<string, SecurityScheme> {
  const components = objectAt(objectAt(library.root.value, 'components'), 'securitySchemes')
  const schemes = new Map<string, SecurityScheme>()
  for (const [name, value] of Object.entries(components)) {
    const pointer = pointerTo('#/components/securitySchemes', name)
    try {
      schemes.set(name, readScheme(name, library.follow({ value, document: library.root, pointer }).value))
    } catch (error) {
      if (!(error instanceof MappingProblem)) throw error
      schemes.set(name, { name, type: 'unknown' })
    }
  }
  return schemes
}

const TYPES: ReadonlySet<unknown> = new Set(['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'])
const KEY = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/

function readScheme(name: string, value: unknown): SecurityScheme {
  const type = ownMember(value, 'type')
  if (!TYPES.has(type)) return { name, type: 'unknown' }
  const where = ownMember(value, 'in')
  const key = textAt(value, 'name')
  if (type === 'apiKey') {
    const isKnown = where === 'header' || where === 'query' || where === 'cookie'
    // A key in a header that belongs to the connection would change more than who calls.
    if (
      !isKnown ||
      key === undefined ||
      (where !== 'query' && !KEY.test(key)) ||
      /^(?:host|content-length|transfer-encoding|connection)$/i.test(key)
    ) {
      return { name, type: 'unknown' }
    }
    return { name, type, in: where, key }
  }
  if (type === 'http') return { name, type, scheme: (textAt(value, 'scheme') ?? '').toLowerCase() }
  const flows = objectAt(value, 'flows')
  const tokenUrl = textAt(ownMember(flows, 'clientCredentials'), 'tokenUrl')
  const metadataUrl = textAt(value, 'openIdConnectUrl') ?? textAt(value, 'oauth2MetadataUrl')
  return {
    name,
    type: type as SecurityScheme['type'],
    ...(Object.keys(flows).length > 0 && { flows: Object.keys(flows) }),
    ...(tokenUrl !== undefined && { tokenUrl }),
    ...(metadataUrl !== undefined && { metadataUrl }),
  }
}

/** Those of the operation replace those of the document. */
export function readAlternatives(
  schemes: ReadonlyMap<string, SecurityScheme>,
  operation: Place,
  root: Place,
): Alternatives {
  const own = ownMember(operation.value, 'security')
  const given = Array.isArray(own) ? own : listAt(root.value, 'security')
  return given.filter(isPlainObject).map((requirement) =>
    Object.entries(requirement).map(([name, scopes]) => ({
      scheme: schemes.get(name) ?? { name, type: 'unknown' as const },
      scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    })),
  )
}

/** Whether a parameter is where a scheme of the operation puts its key. */
export function credentialTest(alternatives: Alternatives): (location: Location, name: string) => boolean {
  const keys = new Set(
    alternatives
      .flat()
      .flatMap(({ scheme: { in: where, key } }) => (where === undefined ? [] : [keyOf(where, key ?? '')])),
  )
  return (location, name) => keys.has(keyOf(location, name))
}

function keyOf(location: Location, name: string): string {
  return location === 'header' ? `header ${name.toLowerCase()}` : `${location} ${name}`
}
