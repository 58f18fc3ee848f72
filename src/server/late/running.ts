// Where what a server needs once it runs is found. Its start loads that.
import { LatePart } from '../../primitives/late-part.ts'
import type * as parts from '../running-parts.ts'

export const running = new LatePart<typeof parts>()
