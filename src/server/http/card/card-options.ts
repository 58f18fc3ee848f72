// The options of the server card (SEP-2127, a draft): what an author adds to what the server says of itself.
import type { KnownKeys } from '../../../primitives/options.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'

/** Public metadata for clients that have not connected yet. Everybody can read it: put no secret here. */
export interface ServerCardOptions {
  /** In reverse DNS form, as in `com.example/weather` (default: the server's name, where it has that form). */
  name?: string
  /** At most 100 characters (default: the server's). */
  description?: string
  /** The endpoint as clients reach it, where that is not the host and path of the request: behind a proxy, for instance. */
  url?: string | URL
  /** Headers that a client must or can send to the endpoint, such as an API key. Not their values. */
  headers?: readonly ServerCardHeader[]
  /** Where the source code is. */
  repository?: ServerCardRepository
  /** Other data, as `_meta`. */
  meta?: JSONObject
  /** How long clients may keep the card (default: 1 hour). */
  maxAgeSeconds?: number
}

/** A header that a client asks its user for. */
export interface ServerCardHeader {
  name: string
  description?: string
  isRequired?: boolean
  isSecret?: boolean
  format?: 'string' | 'number' | 'boolean' | 'filepath'
  default?: string
  placeholder?: string
  choices?: readonly string[]
}

export interface ServerCardRepository {
  url: string
  /** The hosting service, as in `github`. */
  source: string
  subfolder?: string
  id?: string
}

export const SERVER_CARD_KEYS: KnownKeys<ServerCardOptions> = {
  name: 'string',
  description: 'string',
  url: true,
  headers: 'array',
  repository: 'object',
  meta: 'object',
  maxAgeSeconds: 'number',
}

export const CARD_HEADER_KEYS: KnownKeys<ServerCardHeader> = {
  name: 'string',
  description: 'string',
  isRequired: 'boolean',
  isSecret: 'boolean',
  format: 'string',
  default: 'string',
  placeholder: 'string',
  choices: 'array',
}

export const CARD_REPOSITORY_KEYS: KnownKeys<ServerCardRepository> = {
  url: 'string',
  source: 'string',
  subfolder: 'string',
  id: 'string',
}
