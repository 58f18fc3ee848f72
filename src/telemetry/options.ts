// What tracing can be told, on either side.
import type { KnownKeys } from '../primitives/known-keys.ts'
import type { Attributes, TelemetryApi } from './api.ts'

export interface TracingOptions {
  /** The module `@opentelemetry/api`: `import * as api from '@opentelemetry/api'`. */
  api: TelemetryApi
  /** Further attributes of every span and measurement, as `server.address` and `server.port`. */
  attributes?: Attributes
  /** Puts the arguments of tools on spans, and uris with their query. They may hold secrets, so not unless given. */
  recordArguments?: boolean
  /** Puts the results of tools on spans; not unless given. */
  recordResults?: boolean
  /** Puts unexpected exceptions on spans, with message and stack. True unless given. */
  recordExceptions?: boolean
}

export const TRACING_KEYS: KnownKeys<TracingOptions> = {
  api: true,
  attributes: true,
  recordArguments: true,
  recordResults: true,
  recordExceptions: true,
}
