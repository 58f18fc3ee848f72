// What a group reports: faults that belong to no call, and the error for a name that two servers have.
import { type Fault, FaultReporter, type OnFault } from '../../dispatcher/fault.ts'
import { messageOfThrown, readableThrown } from '../../primitives/thrown.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ComponentKind, TakenNames } from './components.ts'
import type { GroupMember } from './member.ts'

const MAX_LENGTH = 128

export class GroupReports {
  readonly #faults: FaultReporter

  constructor(onFault: OnFault | undefined) {
    this.#faults = new FaultReporter(onFault)
  }

  configurationWarning(message: string): void {
    this.#report({ kind: 'configuration-warning', message })
  }

  connectFailed(failure: unknown): void {
    const error = readableThrown(failure)
    const reason = messageOfThrown(error)
    this.#report({ kind: 'transport', message: `A server is not in the group: ${reason}`, error })
  }

  listFailed({ label }: GroupMember, kind: ComponentKind, error: unknown): void {
    const message = `The ${kind} of the server '${label}' could not be listed`
    this.#report({ kind: 'invalid-message', message, error })
  }

  /** The server joins the group without them, and they are listed again in the background. */
  listOverdue({ label }: GroupMember, kind: ComponentKind, error: unknown): void {
    const message = `The server '${label}' did not list its ${kind} within the connect time. The group lists them again in the background.`
    this.#report({ kind: 'transport', message, error })
  }

  namesTaken({ label }: GroupMember, kind: ComponentKind, { names, uris }: TakenNames): void {
    const who = `The server '${label}' lists a`
    for (const name of names) this.#conflict(`${who} name among its ${kind} that another server has and keeps`, name)
    for (const uri of uris) this.#conflict(`${who} URI that another server has, and that is read from there`, uri)
  }

  watchEnded({ label }: GroupMember, error: unknown): void {
    const message = `List changes of the server '${label}' are no longer followed. Call refresh(session) to update its lists.`
    this.#report({ kind: 'notification-failed', message, error })
  }

  #conflict(what: string, taken: string): void {
    this.#report({ kind: 'invalid-message', message: `${what}: '${taken.slice(0, MAX_LENGTH)}'` })
  }

  #report(fault: Fault): void {
    this.#faults.report(fault)
  }
}

/** Names of a new server that are already in the group. */
export interface NameConflict {
  readonly kind: ComponentKind
  /** Names in the group. */
  readonly names: readonly string[]
  /** The labels of the servers that have them; the new server's own where it lists a name twice. */
  readonly owners: readonly string[]
  readonly newcomer: string
  readonly hasComponentName: boolean
  /** Whether the user chose the label of the new server. */
  readonly isLabelled: boolean
}

const MAX_NAMES = 10

export function nameConflictError(conflict: NameConflict): MCPError {
  const { kind, names, owners, newcomer } = conflict
  const shown = names.slice(0, MAX_NAMES).map(quoteName).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  const who = [...new Set(owners)].map(quoteName).join(', ')
  const message = `${shown}${more} of server ${quoteName(newcomer)} already ${names.length === 1 ? 'exists' : 'exist'} in group ${kind} (server ${who}). ${adviceOn(conflict)}`
  return groupError(message)
}

/** The next step that helps, and not one that was already taken. */
function adviceOn({ owners, newcomer, hasComponentName, isLabelled }: NameConflict): string {
  if (owners.every((owner) => owner === newcomer)) return 'The server lists a name twice; fix the server.'
  if (!hasComponentName) {
    return `Give the group a componentName, as in { componentName: (name, { label }) => \`\${label}_\${name}\` }.`
  }
  return isLabelled
    ? 'componentName returns the same name for both; make it depend on label.'
    : 'Give the server a label, connectToServer(target, { name }), and make componentName depend on label.'
}

/** An error of the group itself, for a call that no server gets. */
export function groupError(message: string): MCPError {
  return new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
}

function quoteName(name: string): string {
  return `'${name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name}'`
}
