// The capabilities of a client, derived from its callbacks: it declares only what a callback answers.
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { ResultClaim } from '../extensions/extension.ts'
import type { ClientSessionOptions, DrivenSessionOptions } from './session-options.ts'

const FORMS_AND_URLS: NonNullable<ClientCapabilities['elicitation']> = Object.freeze({ form: {}, url: {} })

/** What differs between the eras. */
interface CapabilityFacts {
  readonly roots: NonNullable<ClientCapabilities['roots']>
  isActive(claim: ResultClaim): boolean
}

export function deriveCapabilities(options: DrivenSessionOptions, facts: CapabilityFacts): ClientCapabilities {
  if (options.capabilities !== undefined) return options.capabilities
  const { onSampling, onElicitation, onListRoots, samplingCapabilities = {} } = options
  const extensions = activeExtensions(options, facts)
  return Object.freeze({
    ...(onSampling && { sampling: samplingCapabilities }),
    ...(onElicitation && { elicitation: options.elicitationCapabilities ?? FORMS_AND_URLS }),
    ...(onListRoots && { roots: facts.roots }),
    ...(extensions && { extensions }),
  })
}

/** An extension that claims results is declared only where its claims are active; one without claims always. */
function activeExtensions(
  { extensions = {}, resultClaims = {} }: ClientSessionOptions,
  facts: CapabilityFacts,
): ClientCapabilities['extensions'] {
  const active = Object.entries(extensions).filter(([identifier]) => {
    const claims = Object.hasOwn(resultClaims, identifier) ? (resultClaims[identifier] ?? []) : []
    return claims.length === 0 || claims.some((claim) => facts.isActive(claim))
  })
  return active.length === 0 ? undefined : Object.fromEntries(active)
}

type ElicitationMode = 'form' | 'url'

/** Whether a mode is declared. Spec, Elicitation: an empty capability means forms. */
export function declaresMode(elicitation: ClientCapabilities['elicitation'], mode: ElicitationMode): boolean {
  if (elicitation === undefined) return false
  if (elicitation[mode] !== undefined) return true
  return mode === 'form' && elicitation.url === undefined
}
