// Tests that `npm run test:full` has and `npm test` has not: the same rules once more, on a longer way.
import { describe } from 'vitest'

export const isFull = process.env['FULL_TESTS'] === '1'

export const describeInFull = isFull ? describe : describe.skip
