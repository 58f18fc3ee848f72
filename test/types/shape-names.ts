// The names that are written out are those of the tables.
import type { SHAPES_2025_11_25 } from '../../src/wire/shapes/2025-11-25.ts'
import type { SHAPES_2026_07_28 } from '../../src/wire/shapes/2026-07-28.ts'
import type { ShapeName } from '../../src/wire/shapes/shape-names.ts'
import { holds, type Same } from './assert.ts'

holds<Same<ShapeName, keyof typeof SHAPES_2025_11_25 | keyof typeof SHAPES_2026_07_28>>()
