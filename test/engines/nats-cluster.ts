// Three servers of NATS that store everything three times. Each has to know the ports of the others, so these are probed, and tried again
// where somebody else took one in between.

import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { freePort } from '../support/free-port.ts'
import { type NatsServer, startNats } from './nats.ts'

const SERVERS = 3
const TRIES = 5
const FORM_LIMIT_MS = 60_000

export interface NatsCluster {
  readonly servers: readonly NatsServer[]
  readonly urls: readonly string[]
  close(): Promise<void>
}

export async function startNatsCluster(tries = TRIES): Promise<NatsCluster> {
  const ports = await Promise.all(Array.from({ length: SERVERS }, () => freePort()))
  const routes = ports.map((port) => `nats-route://127.0.0.1:${port}`).join(', ')
  const started = await Promise.allSettled(
    ports.map((port, index) => {
      const cluster = `cluster { name: trio, listen: "127.0.0.1:${port}", routes: [${routes}] }`
      return startNats({ config: `server_name: n${index}\n${cluster}` })
    }),
  )
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const close = async () => void (await Promise.all(servers.map((server) => server.close())))
  try {
    const failed = started.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    await untilFormed(servers)
  } catch (error) {
    await close()
    if (tries > 1) return startNatsCluster(tries - 1)
    throw error
  }
  return { servers, urls: servers.map(({ url }) => url), close }
}

/** JetStream answers once its servers have chosen a leader. */
async function untilFormed(servers: readonly NatsServer[]): Promise<void> {
  const connection = await connect({ servers: servers.map(({ url }) => url) })
  const giveUpAt = Date.now() + FORM_LIMIT_MS
  const body = JSON.stringify({ name: 'formed', subjects: ['formed'], num_replicas: SERVERS, storage: 'memory' })
  for (;;) {
    const reply = await connection
      .request('$JS.API.STREAM.CREATE.formed', body, { timeout: 5_000 })
      .catch(() => undefined)
    if (reply?.json<{ error?: object }>().error === undefined && reply !== undefined) break
    if (Date.now() > giveUpAt) throw new Error(`the NATS cluster did not form within ${FORM_LIMIT_MS} ms`)
    await delay(20)
  }
  await connection.close()
}
