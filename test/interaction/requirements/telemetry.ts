// Spans and measurements of both sides, and the trace that joins them.
import type { RequirementTable } from './entry.ts'
import { LEGACY, MODERN } from './scopes.ts'

const SOURCE = { source: 'mcpwire' } as const

/** The first revision that has forms. */
const FORMS = { since: '2025-06-18' } as const

export const TELEMETRY = {
  'telemetry:spans': {
    ...SOURCE,
    text: 'Each request is a span on either side, with the attributes of the conventions, and is measured on either side.',
  },
  'telemetry:propagation': {
    ...SOURCE,
    text: 'The trace goes along in `_meta`: the span of the server is a child of that of the client, and active in the handler.',
  },
  'telemetry:errors': { ...SOURCE, text: 'Spans and measurements say how a call failed, on either side.' },
  'telemetry:questions': {
    ...SOURCE,
    ...LEGACY,
    ...FORMS,
    text: 'A request of the server is traced like one of the client, the other way round, as part of the same trace.',
  },
  'telemetry:questions-within-results': {
    ...SOURCE,
    ...MODERN,
    text: 'Each round of a call is a span, and so is what a callback answers in between, under the span that made the call.',
  },
  'telemetry:never-fails-a-call': {
    ...SOURCE,
    text: 'Telemetry that throws costs no call anything, and is reported once.',
  },
} as const satisfies RequirementTable
