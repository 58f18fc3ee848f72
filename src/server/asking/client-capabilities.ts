// Whether a client declared what a request needs of it, and if not, which part is missing.
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import { isEqual } from '../../schema/json-schema.ts'
import { MissingClientCapabilityError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion, LATEST_PROTOCOL_VERSION, type ProtocolVersion } from '../../types/protocol/versions.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'

/** What is known of a client while one of its messages is handled. */
export interface ClientFacts {
  readonly clientCapabilities: ClientCapabilities
  readonly protocolVersion: ProtocolVersion
}

/** Throws -32021 when the client did not declare all of this. Older revisions get the same code: they have none for it. */
export function requireCapabilities(client: ClientFacts, required: ClientCapabilities): void {
  const missing = missingCapabilities(client.clientCapabilities, required, client.protocolVersion)
  if (missing !== undefined) throw new MissingClientCapabilityError(missing)
}

/** Whether the client declared all of `required`, and its revision has it. `elicitation: {}` means forms, on either side. */
export function hasClientCapability(
  declared: ClientCapabilities | undefined,
  required: ClientCapabilities,
  version: ProtocolVersion = LATEST_PROTOCOL_VERSION,
): boolean {
  return missingCapabilities(declared, required, version) === undefined
}

/**
 * The part of `required` that was not declared or that the revision does not have, as the error -32021 lists it; `undefined` when
 * nothing is missing.
 */
export function missingCapabilities(
  declared: ClientCapabilities | undefined,
  required: ClientCapabilities,
  version: ProtocolVersion = LATEST_PROTOCOL_VERSION,
): ClientCapabilities | undefined {
  return missingMembers(withinRevision(declared, version), required as JSONObject, missingCapability)
}

/** Throws where the client cannot be asked, because it lacks one of these capabilities. The handler can catch that. */
export function requireAnswerable(client: ClientFacts, needed: ClientCapabilities): void {
  const { clientCapabilities, protocolVersion } = client
  const missing = missingCapabilities(clientCapabilities, needed, protocolVersion)
  if (missing === undefined) return
  const names = pathsOf(missing).join(', ')
  const hasDeclared = missingMembers(clientCapabilities, needed as JSONObject, missingCapability) === undefined
  const reason = hasDeclared ? `protocol revision ${protocolVersion} has no ${names}` : `it did not declare ${names}`
  // The specification has the code since 2026-07-28: only then is it sent to the caller.
  const local = !isModernVersion(protocolVersion)
  const message = `This client cannot be asked: ${reason}${local && !hasDeclared ? adviceFor(missing) : ''}`
  throw new MissingClientCapabilityError(missing, message, undefined, { local })
}

/** What makes a client declare it: these callbacks, in this package. */
const CALLBACKS: Readonly<Record<string, string>> = {
  elicitation: 'onElicitation',
  sampling: 'onSampling',
  roots: 'onListRoots',
}

/** On a legacy connection the message is the result of the tool. A modern client gets an error, and adds this by itself. */
function adviceFor(missing: ClientCapabilities): string {
  const names = Object.keys(missing).flatMap((name) => ownMember(CALLBACKS, name) ?? [])
  return names.length === 0 ? '' : `. A client of mcpwire declares it with the option ${names.join(', ')}.`
}

/** Clients may declare what only a later revision has; no request of the negotiated one could carry it. */
function withinRevision(declared: ClientCapabilities | undefined, version: ProtocolVersion): JSONObject | undefined {
  if (declared === undefined || isModernVersion(version)) return declared as JSONObject | undefined
  const grammar = grammarOf(version)
  const { elicitation, sampling, ...rest } = declared
  return {
    ...rest,
    ...(elicitation !== undefined &&
      grammar.has('ElicitRequestFormParams') && {
        elicitation: grammar.has('ElicitRequestURLParams') ? elicitation : without(withModes(elicitation), 'url'),
      }),
    ...(sampling !== undefined && {
      sampling: grammar.has('ToolChoice') ? sampling : without(sampling, 'tools', 'context'),
    }),
  }
}

function without(capability: unknown, ...parts: readonly string[]): unknown {
  if (!isPlainObject(capability)) return capability
  return Object.fromEntries(Object.entries(capability).filter(([name]) => !parts.includes(name)))
}

/** As in `elicitation.url`. */
function pathsOf(capabilities: ClientCapabilities): string[] {
  return Object.entries(capabilities).flatMap(([name, parts]) => {
    const within = isPlainObject(parts) ? Object.keys(parts) : []
    return within.length === 0 ? [name] : within.map((part) => `${name}.${part}`)
  })
}

/** The missing part of one needed capability, or `undefined`. */
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

/** A flag must be set; an object must have all needed members. */
function missingPart(declared: unknown, needed: unknown): unknown {
  if (needed === undefined || needed === false) return undefined
  if (!isPlainObject(needed)) return declared === needed ? undefined : needed
  return isPlainObject(declared) ? missingMembers(declared, needed, missingPart) : needed
}

/** Only the two sides know what an experimental capability means, so both values must be equal. */
function missingExperiment(declared: unknown, needed: unknown): unknown {
  return isEqual(declared, needed) ? undefined : needed
}

/** Extensions compare their settings themselves. */
function missingExtension(declared: unknown, needed: unknown): unknown {
  return isPlainObject(declared) ? undefined : needed
}

// Spec, Elicitation: an empty object is what clients declared before there were modes, and means forms only.
function withModes(elicitation: unknown): unknown {
  if (!isPlainObject(elicitation)) return elicitation
  const namesMode = elicitation['form'] !== undefined || elicitation['url'] !== undefined
  return namesMode ? elicitation : { ...elicitation, form: {} }
}
