// What a message is about, beside its method: the name of a tool or prompt, or the uri of a resource.
import { ownMember } from '../../wire/shapes/own.ts'
import type { ServerRequestContext } from '../context.ts'

type Message = Pick<ServerRequestContext, 'params'>

/** The client's own word, of any length and content. */
export function nameOf({ params }: Message): string | undefined {
  return ownString(params, 'name')
}

/** As `nameOf`, for a uri. */
export function uriOf({ params }: Message): string | undefined {
  return ownString(params, 'uri')
}

/** The name or the uri, whichever there is. */
export function targetOf(message: Message): string | undefined {
  return nameOf(message) ?? uriOf(message)
}

function ownString(params: Message['params'], key: string): string | undefined {
  const value = ownMember(params, key)
  return typeof value === 'string' ? value : undefined
}

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i
const QUERY_OR_FRAGMENT = /[?#].*$/s

/** A uri as it may be shown: without user and password, and without a query, which is an argument by another name. */
export function withoutSecrets(uri: string): string {
  return uri.replace(QUERY_OR_FRAGMENT, '').replace(USER_INFO, '$1')
}
