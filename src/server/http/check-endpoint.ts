// Checks the options of an endpoint before what answers requests is loaded.
import { checkLimit } from '../../primitives/options.ts'
import type { ServerCore } from '../core.ts'
import { checkCard, checkCardUrl } from './card/card-document.ts'
import { createGuard } from './guards/host-origin.ts'
import { completeSettings, type HandlerOptions } from './handler-options.ts'
import { completeLegacyOptions } from './legacy/legacy-options.ts'

/** Throws what the endpoint would throw, in the same order. Reports what works, but not as it was meant. */
export function checkEndpoint(server: ServerCore, options: HandlerOptions): void {
  const { maxQueuedBytes = 1, maxTotalQueuedBytes = 1, keepAliveMs = 1, experimentalServerCard = false } = options
  completeSettings(options)
  checkLimit('maxQueuedBytes', maxQueuedBytes)
  checkLimit('maxTotalQueuedBytes', maxTotalQueuedBytes)
  createGuard(options)
  checkLimit('keepAliveMs', keepAliveMs)
  completeLegacyOptions(options)
  if (experimentalServerCard === false) return
  const card = experimentalServerCard === true ? {} : experimentalServerCard
  if (card.url !== undefined) checkCardUrl(card.url)
  const problems = checkCard(server, card)
  if (problems.length === 0) return
  const wants = problems.map((problem) => problem.wants).join('; ')
  const remedy = problems.map((problem) => problem.remedy).join(' ')
  const message = `The server card is not as its draft wants it: ${wants}`
  server.faults.report({ kind: 'configuration-warning', message, remedy })
}
