// The backend on NATS keeps the contract: by a URL and by a connection of the user, plain and sealed, and behind a network that cuts.
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { describe, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { type NatsOptions, nats } from '../../../src/nats/nats.ts'
import { backendContract, type ContractPart } from '../../../src/testing/backend-contract/contract.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { describeInFull } from '../full.ts'
import { startNats } from '../nats.ts'
import { freshNamespace, MAX_VALUE_BYTES, PATIENT, startNatsProxy } from './clients.ts'

const PARTS: ContractPart[] = ['general', 'records', 'logs', 'topics', 'limits', 'tasks']

function contractBy(make: (options: NatsOptions) => Backend, maxValueBytes = MAX_VALUE_BYTES): void {
  backendContract(
    () => {
      const options = { namespace: freshNamespace(), ...PATIENT }
      return { backend: make(options), another: () => make(options), maxValueBytes }
    },
    { describe, test, parts: PARTS },
  )
}

describeEngine('NATS', 'mcpwire/nats', () => {
  const server = useEngine(() => startNats())

  describe('by a URL', () => contractBy((options) => nats(server().url, options)))

  describeInFull('by a connection of @nats-io/transport-node', () => {
    const connection = useEngine<NatsConnection>(() => connect({ servers: server().url }))
    contractBy((options) => nats(connection(), options))
  })

  describeInFull('sealed', () => {
    // What is sealed takes a third more.
    contractBy((options) => nats(server().url, { ...options, seal: ['s'.repeat(32)] }), 700_000)
  })
})

describeEngine('NATS', 'mcpwire/nats behind a network that cuts', () => {
  const server = useEngine(() => startNats())
  describeInFull('by a URL', () => {
    backendContract(
      async () => {
        const proxy = await startNatsProxy(server().url)
        const options = { namespace: freshNamespace(), ...PATIENT }
        // Not while it connects, which `open` reports.
        proxy.cutEvery(7, /MSG\.GET|\.s\.[rbht]\.|\.l\./)
        const another = () => nats(proxy.tcpUrl, options)
        return { backend: another(), another, maxValueBytes: MAX_VALUE_BYTES, close: () => proxy.close() }
      },
      { describe, test, parts: PARTS.filter((part) => part !== 'topics') },
    )
  })
})
