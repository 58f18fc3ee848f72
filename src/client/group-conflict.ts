// What to say where two servers of a group would have something of the same name: who has it, and what has not been done about it.
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError } from '../types/errors/errors.ts'
import type { Part } from './group/components.ts'

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
const MAX_LENGTH = 128

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
