// The options of the server card (SEP-2127, a draft): what an author adds to what the server says of itself.
import type { KnownKeys } from '../../../primitives/options.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'

/** Public metadata for clients that have not connected yet. Everybody can read it: put no secret here. */
export interface ServerCardOptions {
  /** In reverse DNS form, as in `com.example/weather` (default: the server's name, with a warning where it has another form). */
  name?: string | undefined
  /** At most 100 characters (default: the server's description, title or name, with a warning where it does not fit). */
  description?: string | undefined
  /** The endpoint as clients reach it, where that is not the host and path of the request: behind a proxy, for instance. */
  url?: string | URL | undefined
  /** Headers that a client must or can send to the endpoint, such as an API key. Not their values. */
  headers?: readonly ServerCardHeader[] | undefined
  /** Where the source code is. */
  repository?: ServerCardRepository | undefined
  /** Other data, as `_meta`. */
  meta?: JSONObject | undefined
  /** How long clients may keep the card (default: 1 hour). */
  maxAgeSeconds?: number | undefined
}

/** A header that a client asks its user for. */
export interface ServerCardHeader {
  /** The name of the header, such as `X-Api-Key`. */
  name: string
  /** What the value is and where the user gets it. */
  description?: string
  /** Requests without the header fail (default: `false`). */
  isRequired?: boolean
  /** The client hides the value and stores it safely (default: `false`). */
  isSecret?: boolean
  /** How the value is entered (default: `string`). */
  format?: 'string' | 'number' | 'boolean' | 'filepath'
  /** The value that the client fills in for the user (default: none). */
  default?: string
  /** An example that the client shows in the empty field (default: none). */
  placeholder?: string
  /** The values that are allowed (default: any). */
  choices?: readonly string[]
}

/** Where the source code of the server is, in a server card. */
export interface ServerCardRepository {
  /** The address of the repository. */
  url: string
  /** The hosting service, as in `github`. */
  source: string
  /** The folder of the server in the repository (default: its root). */
  subfolder?: string
  /** The id of the repository at the hosting service. */
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
