// Turns a schema into a validator made of plain closures: no generated code, and subschemas compile on first use.

import { dialectNamed } from './dialect.ts'
import { copySchema } from './engine/copy.ts'
import { Seen } from './engine/evaluate.ts'
import type { Issue } from './engine/issue.ts'
import type { DialectName, JSONObject } from './engine/json-schema.ts'
import { type Program, Site } from './engine/keyword.ts'
import { resolveLimits, type SchemaLimits } from './engine/limits.ts'
import { type Check, SchemaNode, UNNAMED_BASE } from './engine/node.ts'
import { Run } from './engine/run.ts'
import { Budget, ENTRY, TURN } from './engine/steps.ts'
import { CHECKS } from './keywords/checks.ts'
import { keepScope } from './keywords/references.ts'
import { Library, type SchemaDocuments } from './library.ts'
import { findMetaSchema } from './meta-schemas.ts'
import { type CreatePattern, PatternSource } from './patterns/patterns.ts'

/** Options of `compileSchema()`. */
export interface CompileOptions {
  /** The dialect of schemas without `$schema`. Default `2020-12`. */
  dialect?: DialectName
  /** What `$ref` and `$schema` may refer to besides the schema itself. Nothing is ever fetched. */
  documents?: SchemaDocuments
  /** Whether `format` is checked or only an annotation, which is the default. Unknown formats always pass. */
  formats?: 'annotate' | 'assert'
  /** Makes the matcher of a pattern, for instance a linear-time one. The default is a guarded `RegExp`. */
  regexp?: CreatePattern
  /** Limits on the schema, so that a hostile one can't use up memory or time. */
  limits?: Partial<SchemaLimits>
}

/** A schema ready for use. Throws `LimitError` when a value costs more than the limits allow. */
export interface SchemaValidator {
  /** Whether the value fits. */
  check(value: unknown): boolean
  /** Why the value does not fit; no issue means that it does. */
  validate(value: unknown): readonly Issue[]
}

/**
 * Compiles a JSON Schema (2020-12 or draft-07). `SchemaError` when it is invalid or refers to what is not there,
 * `LimitError` when it is too large. The schema may be changed afterwards; the validator has its own copy.
 */
export function compileJsonSchema(schema: unknown, options: CompileOptions = {}): SchemaValidator {
  const limits = resolveLimits(options.limits)
  return createValidator(compileRoot(schema, options, limits, new Budget(limits.maxCompilationSteps)), limits)
}

/** The check of the whole schema; compiling is paid for out of the budget. */
export function compileRoot(
  schema: unknown,
  options: CompileOptions,
  limits: SchemaLimits,
  budget: Budget,
): SchemaNode {
  const program: Program = {
    assertsFormats: options.formats === 'assert',
    usesDynamicScope: false,
    patterns: new PatternSource(options.regexp, budget),
  }
  const compile = (node: SchemaNode) => compileNode(node, program)
  const library = new Library({
    limits,
    budget,
    defaultDialect: dialectNamed(options.dialect ?? '2020-12'),
    documents: options.documents ?? {},
    createNode: (part, pointer, resource) => new SchemaNode(part, pointer, resource, compile),
    checkPattern: (source, schemaPath) => program.patterns.get(source, schemaPath),
    findMetaSchema,
  })
  const root = library.add(copySchema(schema, limits), UNNAMED_BASE)
  program.usesDynamicScope = library.resolveReferences().usesDynamicScope
  return root
}

const NO_ISSUES: readonly Issue[] = Object.freeze([])

function createValidator(root: SchemaNode, limits: SchemaLimits): SchemaValidator {
  // One run serves all calls; a call from inside another, through a pattern of the caller's, gets its own.
  const shared = new Run(limits)
  let isBusy = false

  function borrowRun(): Run {
    if (isBusy) return new Run(limits)
    isBusy = true
    return shared
  }

  function giveBack(run: Run): void {
    run.end()
    if (run === shared) isBusy = false
  }

  function check(value: unknown): boolean {
    const run = borrowRun()
    try {
      run.start()
      return root.check(value, run, undefined)
    } finally {
      giveBack(run)
    }
  }

  function validate(value: unknown): readonly Issue[] {
    const run = borrowRun()
    try {
      run.start()
      return root.check(value, run, undefined) ? NO_ISSUES : explain(value, run)
    } finally {
      giveBack(run)
    }
  }

  function explain(value: unknown, run: Run): readonly Issue[] {
    run.startExplaining()
    root.check(value, run, undefined)
    return run.takeIssues()
  }

  return { check, validate }
}

function compileNode(node: SchemaNode, program: Program): Check {
  const { schema, resource } = node
  if (typeof schema === 'boolean') return compileBoolean(schema, node, program)
  const check = compileKeywords(schema, node, program)
  return program.usesDynamicScope && resource.dynamicAnchors.size > 0 ? keepScope(check, resource) : check
}

function compileBoolean(schema: boolean, node: SchemaNode, program: Program): Check {
  if (schema) return () => true
  const reject = new Site('false schema', node, {}, program).reject(() => 'no value is allowed here')
  return (value, run) => reject(value, run)
}

function compileKeywords(schema: JSONObject, node: SchemaNode, program: Program): Check {
  const { name: dialect, keywords, referenceStandsAlone } = node.resource.dialect
  const checks = CHECKS[dialect]
  const names = referenceStandsAlone && Object.hasOwn(schema, '$ref') ? ['$ref'] : Object.keys(schema)
  const early: Check[] = []
  const late: Check[] = []
  let weight = TURN
  for (const name of names) {
    const keyword = keywords.get(name)
    const made = keyword && checks[name]
    const check = made?.compile(new Site(name, node, schema, program))
    if (made === undefined || check === undefined) continue
    weight += TURN + (made.weigh?.(schema[name]) ?? 0)
    if (keyword?.isLate) late.push(check)
    else early.push(check)
  }
  const ordinary = checkAll(early, weight)
  return late.length === 0 ? ordinary : checkLate(ordinary, late)
}

function checkAll(checks: readonly Check[], weight: number): Check {
  const [first, second] = checks
  if (first === undefined) return () => true
  if (second === undefined) {
    return (value, run, seen) => {
      run.enter(weight)
      const fits = first(value, run, seen)
      run.leave()
      return fits
    }
  }
  return (value, run, seen) => {
    run.enter(weight)
    let fits = true
    for (const check of checks) {
      if (check(value, run, seen)) continue
      fits = false
      if (run.stopsEarly) break
    }
    run.leave()
    return fits
  }
}

/** `unevaluated…` looks at what the other keywords left over, which is only known when the value fits those. */
function checkLate(ordinary: Check, late: readonly Check[]): Check {
  const checkLeftovers = checkAll(late, TURN * (1 + late.length))
  return (value, run, seen) => {
    run.spend(ENTRY)
    const own = new Seen()
    if (!ordinary(value, run, own) || !checkLeftovers(value, run, own)) return false
    seen?.merge(own, run)
    return true
  }
}
