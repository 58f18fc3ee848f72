// The model tests of one engine: three clients, operations that overlap, random histories that shrink.
import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { BackendUnderTest } from '../../../src/testing/backend-contract/under-test.ts'
import { volume } from '../../support/volume.ts'
import { checkHistory, type Group, type Model } from './history.ts'
import { limitModel, limitOperation } from './limit-model.ts'
import { logModel, logOperation, postModel, postOperation } from './log-model.ts'
import { recordModel, recordOperation } from './record-model.ts'
import { taskModel, taskOperation } from './task-model.ts'

export interface ModelRuns {
  /** Histories per model (default: 60, and 600 in the long tests). */
  readonly runs?: number
}

/** `make` as for `backendContract`: a backend that is empty, each time. */
export function describeModels(
  name: string,
  make: () => BackendUnderTest | Promise<BackendUnderTest>,
  { runs = volume(60, 600) }: ModelRuns = {},
): void {
  function check<Operation, State, Result>(
    model: Model<Operation, State, Result>,
    operation: fc.Arbitrary<Operation>,
  ): Promise<void> {
    const one = fc.record({ client: fc.nat(2), operation })
    const groups: fc.Arbitrary<Group<Operation>[]> = fc.array(fc.array(one, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 25,
    })
    const property = fc.asyncProperty(groups, (history) => checkHistory(make, model, history))
    return fc.assert(property, { numRuns: runs })
  }

  describe(`${name}: whatever three clients do at once has an order in which a model does the same`, () => {
    it('records', () => check(recordModel, recordOperation))
    it('logs that their writers number', () => check(logModel, logOperation))
    it('logs that the engine numbers', () => check(postModel, postOperation))
    it('limits', () => check(limitModel, limitOperation))
    it('tasks', () => check(taskModel, taskOperation))
  })
}
