// What a server may ask within a result.
import { describe, expect, it } from 'vitest'
import { checkQuestions } from '../../../../src/server/asking/question-rules.ts'
import { MissingClientCapabilityError } from '../../../../src/types/errors/errors.ts'
import type { InputRequest } from '../../../../src/types/features/input-required.ts'
import type { ClientCapabilities } from '../../../../src/types/protocol/capabilities.ts'

const VERSION = '2026-07-28'
const ROOTS: InputRequest = { method: 'roots/list' }
const FORM: InputRequest = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
}
const VISIT: InputRequest = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Go', url: 'https://example.com/' },
}
const SAMPLING: InputRequest = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }

function check(declared: ClientCapabilities, ...questions: InputRequest[]): () => void {
  const inputRequests = Object.fromEntries(questions.map((question, index) => [`q${index}`, question]))
  return () => checkQuestions({ resultType: 'input_required', inputRequests }, declared, VERSION)
}

describe('checkQuestions', () => {
  it('lets pass what was declared, and what asks nothing', () => {
    expect(
      check({ roots: {}, sampling: {}, elicitation: { form: {}, url: {} } }, ROOTS, SAMPLING, FORM, VISIT),
    ).not.toThrow()
    expect(check({})).not.toThrow()
    expect(() => checkQuestions({ resultType: 'input_required', requestState: 's' }, {}, VERSION)).not.toThrow()
    expect(() => checkQuestions({ resultType: 'complete', inputRequests: { a: ROOTS } }, {}, VERSION)).not.toThrow()
  })

  it('names what is missing', () => {
    expect(check({}, ROOTS)).toThrow(MissingClientCapabilityError)
    expect(check({ roots: {} }, ROOTS, SAMPLING)).toThrow(
      expect.objectContaining({ code: -32021, requiredCapabilities: { sampling: {} } }),
    )
    expect(check({ elicitation: { form: {} } }, FORM, VISIT)).toThrow(
      expect.objectContaining({ requiredCapabilities: { elicitation: { url: {} } } }),
    )
  })

  it('takes an empty elicitation capability for forms', () => {
    expect(check({ elicitation: {} }, FORM)).not.toThrow()
    expect(check({ elicitation: {} }, VISIT)).toThrow(MissingClientCapabilityError)
  })
})
