// Mistakes in the numbers that a limit is made of, found when it is made.
import { isDuration } from '../../primitives/async/timer.ts'

export function assertPositive(name: string, value: number): void {
  if (!Number.isFinite(value) || value <= 0) throw new RangeError(`${name} must be a number above zero`)
}

export function assertCount(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`${name} must be a whole number, ${least} or more`)
  }
}

export function assertDuration(name: string, value: number): void {
  if (!isDuration(value)) {
    throw new RangeError(`${name} must be a number of milliseconds, zero or more, or Infinity`)
  }
}
