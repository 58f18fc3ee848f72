// What became of each operation of a document.
import type { OpenAPIOperation } from './operations/collect.ts'
import type { OperationKind } from './operations/extension.ts'
import type { SecurityScheme } from './operations/security.ts'

/** One operation: what it became, or why it is left out. */
export interface OpenAPIReportEntry {
  /** In lower case, such as `get`. */
  readonly method: string
  /** As in the document. */
  readonly path: string
  /** Its name in the document. */
  readonly operationId?: string
  /** What it became; `none` for an operation that is left out. */
  readonly as: OperationKind
  /** The name of the tool, or the URI of the resource. */
  readonly name?: string
  /** Why it is left out. */
  readonly reason?: string
  /** Whether it was left out because of the document, not by an option. */
  readonly isProblem: boolean
  /** What was simplified, and parameters that were left out. */
  readonly notes: readonly string[]
  /** How many answers did not fit the schema of the document so far. */
  readonly misfits: number
}

/** What `openAPIServer()` made of a document. */
export interface OpenAPIReport {
  /** Every operation, in the order of the document. */
  readonly operations: readonly OpenAPIReportEntry[]
  /** How many became tools, resources or templates. */
  readonly mapped: number
  /** How many are left out. */
  readonly leftOut: number
  /** The security schemes of the document, by which `auth` names its values. */
  readonly schemes: readonly SecurityScheme[]
  /** Entries of options that fit nothing in the document, one line each. `onFault` gets them too. */
  readonly unfitting: readonly string[]
}

export class MutableEntry implements OpenAPIReportEntry {
  readonly method: string
  readonly path: string
  declare readonly operationId?: string
  as: OperationKind = 'none'
  declare name?: string
  declare reason?: string
  isProblem = false
  readonly notes: string[] = []
  misfits = 0

  constructor({ method, path, operationId }: OpenAPIOperation) {
    this.method = method
    this.path = path
    if (operationId !== undefined) this.operationId = operationId
  }

  leaveOut(reason: string, isProblem: boolean): void {
    this.as = 'none'
    this.reason = reason
    this.isProblem = isProblem
    delete this.name
  }
}
