// What each keyword checks, by its name and the dialect of its schema.
import type { DialectName } from '../engine/json-schema.ts'
import type { KeywordChecks } from '../engine/keyword.ts'
import { ARRAY_CHECKS, ITEMS_CHECKS_2020_12, ITEMS_CHECKS_DRAFT_07 } from './arrays.ts'
import { LOGIC_CHECKS } from './logic.ts'
import { NUMBER_CHECKS } from './numbers.ts'
import { OBJECT_CHECKS } from './objects.ts'
import { REFERENCE_CHECKS } from './references.ts'
import { STRING_CHECKS } from './strings.ts'
import { UNEVALUATED_CHECKS } from './unevaluated.ts'
import { VALUE_CHECKS } from './values.ts'

const SHARED: KeywordChecks = {
  ...REFERENCE_CHECKS,
  ...VALUE_CHECKS,
  ...NUMBER_CHECKS,
  ...STRING_CHECKS,
  ...ARRAY_CHECKS,
  ...LOGIC_CHECKS,
  ...OBJECT_CHECKS,
  ...UNEVALUATED_CHECKS,
}

/** Keywords that a dialect does not have are never asked for. */
export const CHECKS: Readonly<Record<DialectName, KeywordChecks>> = {
  '2020-12': { ...SHARED, ...ITEMS_CHECKS_2020_12 },
  'draft-07': { ...SHARED, ...ITEMS_CHECKS_DRAFT_07 },
}
