// Tells a result that asks from other values.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'

export function isInputRequired(value: unknown): value is InputRequiredResult {
  return isPlainObject(value) && value['resultType'] === 'input_required'
}
