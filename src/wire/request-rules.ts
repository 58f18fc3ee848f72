// All that the method table and the grammars of a revision say of one request, found once: each message asks for it several times.
import type { ProtocolVersion } from '../types/protocol/versions.ts'
import { requestRow } from './method-rows.ts'
import type { RequestRow } from './methods.ts'
import { lenientGrammarOf } from './relaxations.ts'
import type { Check } from './shapes/compile.ts'
import { grammarOf } from './shapes/grammar.ts'
import type { Sieve } from './shapes/sieve.ts'

/** Checks give paths that grow from the inside out. */
export interface RequestRules {
  readonly version: ProtocolVersion
  /** Whichever side sends it. */
  readonly row: RequestRow
  /** Whether the revision lets a client send it. */
  readonly isFromClient: boolean
  /** Whether results have a `resultType` at this revision. */
  readonly hasResultTypes: boolean
  /** Of the params. */
  readonly check: Check
  /** Takes out of the params what belongs to other revisions. */
  sieve: Sieve | undefined
  /** Of a complete result, as `RELAXATIONS` forgive. */
  checkComplete: Check | undefined
}

const KNOWN = new Map<ProtocolVersion, Map<string, RequestRules>>()
const KEEP_ALL: Sieve = (value) => value

/** `undefined` where the revision has no such request. */
export function requestRules(method: string, version: ProtocolVersion): RequestRules | undefined {
  return KNOWN.get(version)?.get(method) ?? findRules(method, version)
}

/** Only what is in the method table is kept: its rows are few, and peers may name any method. */
function findRules(method: string, version: ProtocolVersion): RequestRules | undefined {
  const ofClient = requestRow(method, version, 'client')
  const row = ofClient ?? requestRow(method, version, 'server')
  if (row === undefined) return undefined
  const grammar = grammarOf(version)
  const rules: RequestRules = {
    version,
    row,
    isFromClient: ofClient !== undefined,
    hasResultTypes: grammar.has('ResultType'),
    check: grammar.checkOf(row.params),
    sieve: undefined,
    checkComplete: undefined,
  }
  const known = KNOWN.get(version)
  if (known === undefined) KNOWN.set(version, new Map([[method, rules]]))
  else known.set(method, rules)
  return rules
}

/** Made with the first params that are sent: a server sends few. */
export function sieveOf(rules: RequestRules): Sieve {
  rules.sieve ??= grammarOf(rules.version).sieveOf(rules.row.params) ?? KEEP_ALL
  return rules.sieve
}

/** Made with the first result that is read. */
export function completeCheckOf(rules: RequestRules): Check {
  rules.checkComplete ??= lenientGrammarOf(rules.version).checkOf(rules.row.result)
  return rules.checkComplete
}
