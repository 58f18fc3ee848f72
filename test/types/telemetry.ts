// What must and must not compile when the real `@opentelemetry/api`, or something else, is passed in.
import defaultApi, * as api from '@opentelemetry/api'
import type { ClientMiddleware } from '../../src/exports/client.ts'
import type { Middleware } from '../../src/exports/server.ts'
import { type TelemetryApi, type TraceClientOptions, traceClient, traceServer } from '../../src/exports/telemetry.ts'
import { type Fits, holds, type Same } from './assert.ts'

holds<Fits<typeof api, TelemetryApi>>()
holds<Fits<typeof defaultApi, TelemetryApi>>()
holds<Same<ReturnType<typeof traceServer>, Middleware>>()
holds<Same<ReturnType<typeof traceClient>, ClientMiddleware>>()

traceServer({ api, trustClients: false, attributes: { 'server.port': 443 } })
traceClient({ api: defaultApi, trustServers: false, recordArguments: true })

// @ts-expect-error Without the API there is nothing to trace with.
traceServer({})
// @ts-expect-error A tracer is not the API.
traceClient({ api: api.trace })
// @ts-expect-error Whom a server trusts are its clients.
traceServer({ api, trustServers: false })
// @ts-expect-error An attribute is a plain value.
const options: TraceClientOptions = { api, attributes: { nested: {} } }
void options
