// Where what answers the calls of an `MCPServer` is found. The start of a server loads that.
import { LatePart } from '../../primitives/late-part.ts'
import type * as parts from '../calling-parts.ts'

export const calling = new LatePart<typeof parts>()
