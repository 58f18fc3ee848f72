// What a group reports: faults that belong to no call, and the error for a name that two servers have.
import { type Fault, FaultReporter, type OnFault } from '../../dispatcher/fault.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { Part, Taken } from './components.ts'
import type { GroupMember } from './member.ts'

const MAX_LENGTH = 128

export class GroupReports {
  readonly #faults: FaultReporter

  constructor(onFault: OnFault | undefined) {
    this.#faults = new FaultReporter(onFault)
  }

  warn(message: string): void {
    this.#report({ kind: 'configuration-warning', message })
  }

  notInGroup(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#report({ kind: 'transport', message: `A server is not in the group: ${reason}`, error })
  }

  unlisted({ label }: GroupMember, part: Part, error: unknown): void {
    this.#report({
      kind: 'invalid-message',
      message: `The ${part} of the server '${label}' could not be listed`,
      error,
    })
  }

  taken({ label }: GroupMember, part: Part, { names, uris }: Taken): void {
    const who = `The server '${label}' lists a`
    for (const name of names) this.#conflict(`${who} name among its ${part} that another one has and keeps`, name)
    for (const uri of uris) this.#conflict(`${who} URI that another one lists too, and that is read from there`, uri)
  }

  notFollowed({ label }: GroupMember, error: unknown): void {
    const message = `Changes of the server '${label}' are no longer followed`
    this.#report({ kind: 'notification-failed', message, error })
  }

  #conflict(what: string, taken: string): void {
    this.#report({ kind: 'invalid-message', message: `${what}: '${taken.slice(0, MAX_LENGTH)}'` })
  }

  #report(fault: Fault): void {
    this.#faults.report(fault)
  }
}

/** Two servers that list the same name. */
export interface Conflict {
  readonly part: Part
  /** Names in the group. */
  readonly names: readonly string[]
  /** The labels of those who have them; the newcomer's own where it lists a name twice. */
  readonly owners: readonly string[]
  readonly newcomer: string
  readonly hasComponentName: boolean
  /** Whether the user gave the newcomer its label. */
  readonly isLabelled: boolean
}

const MAX_NAMES = 10

export function conflictError(conflict: Conflict): MCPError {
  const { part, names, owners, newcomer } = conflict
  const shown = names.slice(0, MAX_NAMES).map(quote).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  const who = [...new Set(owners)].map(quote).join(', ')
  const message = `${shown}${more} of server ${quote(newcomer)} already ${names.length === 1 ? 'exists' : 'exist'} in group ${part} (server ${who}); ${remedy(conflict)}`
  return new MCPError(ErrorCode.InvalidParams, message, undefined, { local: true })
}

/** The next thing that would help, not one that was done already. */
function remedy({ owners, newcomer, hasComponentName, isLabelled }: Conflict): string {
  if (owners.every((owner) => owner === newcomer))
    return 'the server lists a name twice, which only the server can mend'
  if (!hasComponentName) {
    return `give the group a componentName, as in { componentName: (name, { label }) => \`\${label}_\${name}\` }`
  }
  return isLabelled
    ? 'componentName returns the same name for both; let what it returns depend on label'
    : 'give the server a label of its own, connectToServer(target, { name }), and let componentName use label'
}

function quote(name: string): string {
  return `'${name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name}'`
}
