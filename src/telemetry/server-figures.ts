// Numbers of a server that a meter reads when it collects: sessions, streams, messages for other nodes, tasks.
import type { ServerCore } from '../server/core.ts'
import type { FigureName } from '../server/reports/figures.ts'
import { PACKAGE_VERSION } from '../types/protocol/package-version.ts'
import type { Meter, Observable, ObservableResult, TracingOptions } from './api.ts'
import type { TelemetryGuard } from './operation.ts'

interface ObservedFigure {
  readonly figure: FigureName
  readonly name: string
  readonly description: string
  /** The kind of instrument: a sum over nodes makes sense for the first two. */
  readonly create: 'createObservableUpDownCounter' | 'createObservableCounter' | 'createObservableGauge'
}

const FIGURES: readonly ObservedFigure[] = [
  {
    figure: 'sessions',
    name: 'mcp.server.session.open',
    description: 'Legacy sessions over HTTP that this process has in memory',
    create: 'createObservableUpDownCounter',
  },
  {
    figure: 'streams',
    name: 'mcp.server.stream.open',
    description: 'Event streams that this process has open',
    create: 'createObservableUpDownCounter',
  },
  {
    figure: 'routed',
    name: 'mcp.server.cluster.routed',
    description: 'Answers and progress of clients that this process passed on to another node',
    create: 'createObservableCounter',
  },
  {
    figure: 'runs',
    name: 'mcp.server.task.running',
    description: 'Tasks that this process runs',
    create: 'createObservableUpDownCounter',
  },
  {
    figure: 'openTasks',
    name: 'mcp.server.task.stored',
    description: 'Tasks of all nodes that have not ended, by the store',
    create: 'createObservableGauge',
  },
]

type Instruments = readonly (readonly [FigureName, Observable])[]

/** Returns how to observe a server. Instruments are made with the first one. */
export function observeFigures(
  { api, attributes }: TracingOptions,
  guard: TelemetryGuard,
): (server: ServerCore) => void {
  let instruments: Instruments | undefined
  return (server) => {
    guard.attempt(() => {
      instruments ??= createInstruments(api.metrics.getMeter('mcpwire', PACKAGE_VERSION))
      // The meter lives as long as the process, and must not keep a server that nobody uses any more.
      const kept = new WeakRef(server)
      for (const [figure, instrument] of instruments) {
        const observe = async (result: ObservableResult) => {
          const observed = kept.deref()
          if (observed === undefined) return instrument.removeCallback?.(observe)
          const value = await observed.figures.read(figure).catch(() => undefined)
          if (value !== undefined) guard.attempt(() => result.observe(value, { ...attributes }))
        }
        instrument.addCallback(observe)
      }
    })
  }
}

function createInstruments(meter: Meter): Instruments {
  const made: (readonly [FigureName, Observable])[] = []
  for (const { figure, name, description, create } of FIGURES) {
    const instrument = meter[create]?.(name, { description })
    if (instrument !== undefined) made.push([figure, instrument])
  }
  return made
}
