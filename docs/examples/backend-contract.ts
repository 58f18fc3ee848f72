import { describe, test } from 'node:test'
import { memory } from 'mcpwire/backend'
import { backendContract } from 'mcpwire/testing/backend'

describe('my engine', () => {
  // Called for each case. Give each backend a namespace of its own, so
  // that no case sees the data of another.
  const make = () => {
    const clock = { time: Date.now(), now: () => clock.time }
    const backend = memory({ clock })
    const advance = (ms: number) => {
      clock.time += ms
    }
    return { backend, another: () => backend, advance }
  }
  backendContract(make, { describe, test })
})
