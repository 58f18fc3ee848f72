// The assertions of the contract suite, so that it needs no test runner in particular.

/** Throws what the test runner shows. */
export function fail(message: string): never {
  throw new Error(message)
}

export function isTrue(what: string, value: boolean): void {
  if (!value) fail(`${what}: expected true, got false`)
}

/** Equal as JSON, whatever the order of the keys. `undefined` members count as absent. */
export function equal(what: string, actual: unknown, expected: unknown): void {
  const [was, should] = [show(actual), show(expected)]
  if (was !== should) fail(`${what}: expected ${should}, got ${was}`)
}

/** The members of `expected` are those of `actual`, which may have more. */
export function has<T extends object>(what: string, actual: T | undefined, expected: Partial<T>): void {
  if (actual === undefined) fail(`${what}: expected ${show(expected)}, got undefined`)
  for (const [key, value] of Object.entries(expected)) equal(`${what}.${key}`, actual[key as keyof T], value)
}

export function present<T>(what: string, value: T | undefined): T {
  return value === undefined ? fail(`${what}: expected a value, got undefined`) : value
}

/** The work throws or rejects with a `BackendError` of this kind, which names the operation and neither a key nor a value. */
export async function rejects(kind: string, operation: string, work: () => unknown): Promise<Error> {
  let error: unknown
  try {
    await work()
  } catch (thrown) {
    error = thrown
  }
  if (error === undefined) fail(`${operation}: expected a BackendError of kind "${kind}", got none`)
  // By its name, since an engine may have been built with another copy of the package.
  if (!(error instanceof Error) || error.name !== 'BackendError')
    fail(`${operation}: ${String(error)} is no BackendError`)
  const found = error as Error & { kind?: unknown; operation?: unknown }
  equal(`kind of the error of ${operation}`, found.kind, kind)
  equal('operation of the error', found.operation, operation)
  return found
}

/** As `rejects`, with the limit that was reached. */
export async function rejectsAtLimit(limit: string, operation: string, work: () => unknown): Promise<void> {
  const kind = limit === 'perOwner' || limit === 'total' ? 'refused' : 'too-large'
  const error = (await rejects(kind, operation, work)) as Error & { limit?: { name?: unknown } }
  equal(`limit in the error of ${operation}`, error.limit?.name, limit)
}

function show(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'undefined'
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.assign(Object.create(null) as object, ...entries.map(([key, member]) => own(key, sorted(member))))
}

/** `__proto__` is a key like any other. */
function own(key: string, value: unknown): object {
  return Object.defineProperty(Object.create(null) as object, key, { value, enumerable: true })
}
