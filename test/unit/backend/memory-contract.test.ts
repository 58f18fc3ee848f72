// The backend in memory keeps the contract: with either clock, sealed, and combined.
import { describe, test } from 'vitest'
import { combine } from '../../../src/backend/combine.ts'
import { memory } from '../../../src/backend/memory/memory.ts'
import { sealed } from '../../../src/backend/sealed/sealed.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'

const SECRET = 'a secret of more than thirty-two bytes'

/** The clock of a backend that the contract moves, so that its tests need not wait. */
function movedClock() {
  const clock = { time: 1_000_000, now: () => clock.time }
  const advance = (ms: number) => {
    clock.time += ms
  }
  return { clock, advance }
}

describe('memory, with a clock that is moved', () => {
  const make = () => {
    const { clock, advance } = movedClock()
    return { backend: memory({ clock }), advance }
  }
  backendContract(make, { describe, test })
})

describe('memory, with the clock of the system', () => {
  backendContract(() => ({ backend: memory() }), { describe, test })
})

describe('memory, sealed', () => {
  const make = () => {
    const { clock, advance } = movedClock()
    return { backend: sealed(memory({ clock }), [SECRET]), advance, maxValueBytes: 700_000 }
  }
  backendContract(make, { describe, test })
})

describe('memory, combined of parts of two', () => {
  const make = () => {
    const { clock, advance } = movedClock()
    const one = () => memory({ clock })
    return { backend: combine({ ...one(), tasks: one().tasks, limits: one().limits }), advance }
  }
  backendContract(make, { describe, test })
})
