// Unions as zod reports them: one issue without a reason, around the issues of every alternative. This finds the alternative that
// was probably meant, or lists what each of them accepts.
import { DEFAULT_SCHEMA_LIMITS, labelOf, showValue, toLine } from './json-schema.ts'
import type { StandardIssue } from './standard-schema.ts'

/** What zod adds to an issue, as far as it is used. */
interface DetailedIssue extends StandardIssue {
  readonly path: readonly PropertyKey[]
  readonly code?: unknown
  readonly expected?: unknown
  readonly values?: readonly unknown[]
  readonly errors?: readonly (readonly DetailedIssue[])[]
}

/** The default message of zod. */
const NO_REASON = 'Invalid input'
const MAX_NESTING = 4
const MAX_ISSUES_PER_BRANCH = DEFAULT_SCHEMA_LIMITS.maxIssues
const MAX_ALTERNATIVES = 5
const MAX_ISSUES_PER_ALTERNATIVE = 2
const MAX_SUMMARY_LENGTH = 300

/** The issues in place of one that is a union; any other issue is itself. */
export function expandUnion(issue: StandardIssue, nestingLeft = MAX_NESTING): readonly StandardIssue[] {
  if (!isUnion(issue) || nestingLeft === 0) return [issue]
  // A library reports one for each item of a list that a caller sent, however long.
  const branches = issue.errors.map((branch) => branch.slice(0, MAX_ISSUES_PER_BRANCH))
  const inner = explainUnion(branches, nestingLeft - 1)
  return inner.map((part) => ({ ...part, path: [...issue.path, ...(part.path ?? [])] }))
}

type UnionIssue = DetailedIssue & Required<Pick<DetailedIssue, 'errors'>>

function isUnion(issue: StandardIssue): issue is UnionIssue {
  const { code, errors, path } = issue as Partial<DetailedIssue>
  if (code !== 'invalid_union' || issue.message !== NO_REASON || !Array.isArray(path)) return false
  return Array.isArray(errors) && errors.length > 0 && errors.every((branch) => Array.isArray(branch))
}

function explainUnion(branches: UnionIssue['errors'], nestingLeft: number): readonly StandardIssue[] {
  const kinds = wantedAt(branches, undefined)
  if (kinds !== undefined) return [expecting(kinds, [])]
  const [meant, ...others] = branches.filter((branch) => !branch.some(meansAnotherKind))
  if (meant !== undefined && others.length === 0) return meant.flatMap((issue) => expandUnion(issue, nestingLeft))
  for (const { path } of branches[0] ?? []) {
    const tags = path.length === 1 ? wantedAt(branches, path[0]) : undefined
    if (tags !== undefined) return [expecting(tags, path)]
  }
  return [
    {
      message: `${NO_REASON}: expected one of ${branches.length} alternatives: ${summarizeBranches(branches)}`,
      path: [],
    },
  ]
}

/** What all alternatives together would take in one place, when it is this place that is wrong in each of them. */
function wantedAt(branches: UnionIssue['errors'], key: PropertyKey | undefined): readonly string[] | undefined {
  const wanted = new Set<string>()
  for (const branch of branches) {
    const issue = branch.find(({ path }) =>
      key === undefined ? path.length === 0 : path.length === 1 && path[0] === key,
    )
    const words = issue && wordsOf(issue, key !== undefined)
    if (words === undefined) return undefined
    for (const word of words) wanted.add(word)
  }
  return [...wanted]
}

function wordsOf({ code, values, expected }: DetailedIssue, isTag: boolean): readonly string[] | undefined {
  if (code === 'invalid_value' && Array.isArray(values)) return values.map(showValue)
  return code === 'invalid_type' && !isTag ? [String(expected)] : undefined
}

/** A wrong type, or a wrong tag one level down, says that another alternative was meant. */
function meansAnotherKind({ code, path }: DetailedIssue): boolean {
  return (code === 'invalid_type' && path.length === 0) || (code === 'invalid_value' && path.length <= 1)
}

function expecting(wanted: readonly string[], path: readonly PropertyKey[]): StandardIssue {
  return { message: `${NO_REASON}: expected ${wanted.join(' or ')}`, path }
}

function summarizeBranches(branches: UnionIssue['errors']): string {
  const shown = branches.slice(0, MAX_ALTERNATIVES).map((branch) =>
    branch
      .slice(0, MAX_ISSUES_PER_ALTERNATIVE)
      .map(({ path, message }) => {
        const label = labelOf(path.map((key) => (typeof key === 'number' ? key : String(key))))
        const reason = message.startsWith(`${NO_REASON}: `) ? message.slice(NO_REASON.length + 2) : message
        return label === '' ? reason : `${label}: ${reason}`
      })
      .join(', '),
  )
  if (branches.length > MAX_ALTERNATIVES) shown.push('…')
  return toLine(shown.join('; or '), MAX_SUMMARY_LENGTH)
}
