// Measurements of a backend: how long its operations take, and how they fail.
import type { Backend } from '../backend/backend.ts'
import { observed } from '../backend/observed.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import { PACKAGE_VERSION } from '../types/protocol/package-version.ts'
import { Attribute, type Attributes, type Histogram, type TelemetryApi } from './api.ts'
import { TelemetryGuard } from './operation.ts'

/** Options of `measureBackend()`. */
export interface MeasureBackendOptions {
  /** The module `@opentelemetry/api`: `import * as api from '@opentelemetry/api'`. */
  api: TelemetryApi
  /** Further attributes of every measurement, such as `db.system.name`. */
  attributes?: Attributes | undefined
}

export const MEASURE_BACKEND_KEYS: KnownKeys<MeasureBackendOptions> = { api: true, attributes: true }

/** In seconds: an engine in the same network answers within a millisecond. */
const ENGINE_BUCKETS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/**
 * The same backend, with a measurement of each operation: `mcp.backend.operation.duration` in seconds, with `mcp.backend.operation`, such
 * as `records.get`, and `error.type`, such as `timeout`, where it failed. No key and no value is recorded.
 */
export function measureBackend(backend: Backend, options: MeasureBackendOptions): Backend {
  checkKeys('measureBackend()', options, MEASURE_BACKEND_KEYS)
  const { api, attributes } = options
  const guard = new TelemetryGuard()
  let durations: Histogram | undefined
  return observed(backend, ({ operation, durationMs, failure }) => {
    guard.attempt(() => {
      durations ??= createDurations(api)
      durations.record(durationMs / 1_000, {
        ...attributes,
        [Attribute.BackendOperation]: operation,
        ...(failure !== undefined && { [Attribute.ErrorType]: failure }),
      })
    })
  })
}

function createDurations(api: TelemetryApi): Histogram {
  return api.metrics.getMeter('mcpwire', PACKAGE_VERSION).createHistogram('mcp.backend.operation.duration', {
    unit: 's',
    description: 'Operations of the backend that nodes share',
    advice: { explicitBucketBoundaries: [...ENGINE_BUCKETS] },
  })
}
