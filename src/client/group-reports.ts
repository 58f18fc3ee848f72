// What went wrong in a group without belonging to a call, as faults.
import { type Fault, FaultReporter, type OnFault } from '../dispatcher/fault.ts'
import type { Part, Taken } from './group/components.ts'
import type { GroupMember } from './group/member.ts'

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
