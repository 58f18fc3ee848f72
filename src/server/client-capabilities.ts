// Whether a client declared what a request needs of it, and if not, which part is missing.
import { isPlainObject } from '../primitives/objects.ts'
import { isEqual } from '../schema/equality.ts'
import type { ClientCapabilities } from '../types/capabilities.ts'
import { MissingClientCapabilityError } from '../types/errors.ts'
import type { JSONObject } from '../types/json.ts'
import type { ProtocolVersion } from '../types/versions.ts'
import { ownMember } from '../wire/own.ts'

/** What is known of a client while a message of its is handled. */
export interface ClientFacts {
  readonly clientCapabilities: ClientCapabilities
  readonly protocolVersion: ProtocolVersion
}

/** Throws -32021 when the client did not declare all of this; in revisions before that code, too, for want of a better one. */
export function requireCapabilities(client: ClientFacts, required: ClientCapabilities): void {
  const missing = missingCapabilities(client.clientCapabilities, required)
  if (missing !== undefined) throw new MissingClientCapabilityError(missing)
}

/** Whether the client declared all of `required`. `elicitation: {}` means forms, on either side. */
export function hasClientCapability(declared: ClientCapabilities | undefined, required: ClientCapabilities): boolean {
  return missingCapabilities(declared, required) === undefined
}

/** The part of `required` that was not declared, as the error -32021 lists it; `undefined` when nothing is missing. */
export function missingCapabilities(
  declared: ClientCapabilities | undefined,
  required: ClientCapabilities,
): ClientCapabilities | undefined {
  return missingMembers(declared, required as JSONObject, missingCapability)
}

/** What is missing of one thing that is needed, or `undefined`. */
type FindMissing = (declared: unknown, needed: unknown, name: string) => unknown

function missingMembers(declared: unknown, needed: JSONObject, findMissing: FindMissing): JSONObject | undefined {
  const missing: [string, unknown][] = []
  for (const [name, value] of Object.entries(needed)) {
    const part = findMissing(ownMember(declared, name), value, name)
    if (part !== undefined) missing.push([name, part])
  }
  return missing.length === 0 ? undefined : Object.fromEntries(missing)
}

function missingCapability(declared: unknown, needed: unknown, name: string): unknown {
  switch (name) {
    case 'experimental':
      return isPlainObject(needed) ? missingMembers(declared, needed, missingExperiment) : undefined
    case 'extensions':
      return isPlainObject(needed) ? missingMembers(declared, needed, missingExtension) : undefined
    case 'elicitation':
      return missingPart(withModes(declared), withModes(needed))
    default:
      return missingPart(declared, needed)
  }
}

/** Flags must be set, objects must be there with all that is asked of them. */
function missingPart(declared: unknown, needed: unknown): unknown {
  if (needed === undefined || needed === false) return undefined
  if (!isPlainObject(needed)) return declared === needed ? undefined : needed
  return isPlainObject(declared) ? missingMembers(declared, needed, missingPart) : needed
}

/** Nobody but the two sides knows what an experiment means, so it has to be the very same. */
function missingExperiment(declared: unknown, needed: unknown): unknown {
  return isEqual(declared, needed) ? undefined : needed
}

/** The settings of an extension are for the extension to compare. */
function missingExtension(declared: unknown, needed: unknown): unknown {
  return isPlainObject(declared) ? undefined : needed
}

// Spec, Elicitation: an empty object is what clients declared before there were modes, and means forms only.
function withModes(elicitation: unknown): unknown {
  if (!isPlainObject(elicitation)) return elicitation
  const namesMode = elicitation['form'] !== undefined || elicitation['url'] !== undefined
  return namesMode ? elicitation : { ...elicitation, form: {} }
}
