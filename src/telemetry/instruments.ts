// The tracer and the histograms of one side, made when the first message needs them.
import { PACKAGE_VERSION } from '../types/package-version.ts'
import type { Histogram, Meter, TelemetryApi, Tracer } from './api.ts'
import { DURATION_BUCKETS } from './conventions.ts'

export type Side = 'client' | 'server'

export interface Instruments {
  readonly tracer: Tracer
  /** Requests and notifications. */
  readonly operations: Histogram
  readonly sessions: Histogram
}

/**
 * Hands out the instruments. Not before the first call: a meter that is asked for before the program has registered its
 * provider measures nothing, ever.
 */
export function prepareInstruments(api: TelemetryApi, side: Side): () => Instruments {
  let instruments: Instruments | undefined
  return () => {
    instruments ??= createInstruments(api, side)
    return instruments
  }
}

function createInstruments(api: TelemetryApi, side: Side): Instruments {
  const meter = api.metrics.getMeter('mcpwire', PACKAGE_VERSION)
  return {
    tracer: api.trace.getTracer('mcpwire', PACKAGE_VERSION),
    operations: createHistogram(
      meter,
      `mcp.${side}.operation.duration`,
      `MCP requests and notifications, on the ${side}`,
    ),
    sessions: createHistogram(meter, `mcp.${side}.session.duration`, `MCP sessions, on the ${side}`),
  }
}

function createHistogram(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, {
    unit: 's',
    description,
    advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
  })
}
