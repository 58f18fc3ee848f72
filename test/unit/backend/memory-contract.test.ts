// The backend in memory keeps the contract, with a clock that tests move and with the clock of the system.
import { describe, test } from 'vitest'
import { memory } from '../../../src/backend/memory/memory.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'

describe('memory, with a clock that is moved', () => {
  const make = () => {
    const clock = { time: 1_000_000, now: () => clock.time }
    const advance = (ms: number) => {
      clock.time += ms
    }
    return { backend: memory({ clock }), advance }
  }
  backendContract(make, { describe, test })
})

describe('memory, with the clock of the system', () => {
  backendContract(() => ({ backend: memory() }), { describe, test })
})
