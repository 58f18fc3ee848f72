// Meeting, agreeing, calling, cancelling: what holds for every call whatever it is about.
import type { RequirementTable } from './entry.ts'
import { CALLING } from './lifecycle-calling.ts'
import { MEETING } from './lifecycle-meeting.ts'
import { PARTING } from './lifecycle-parting.ts'

export const LIFECYCLE = { ...MEETING, ...CALLING, ...PARTING } as const satisfies RequirementTable
